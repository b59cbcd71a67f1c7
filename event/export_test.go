package event

// Given is the number of records that the reader gave to the decoder.
func (r *Reader) Given() int { return r.given }
