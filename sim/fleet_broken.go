package sim

import "bytes"

// breakages are what producers do to a record, each with the reason for which
// it is then set aside.
var breakages = [...]func(value []byte) []byte{
	func(v []byte) []byte { return v[:len(v)/2] },                                                           // malformed
	func(v []byte) []byte { return bytes.Replace(v, []byte(`"type":"`), []byte(`"type":"new_`), 1) },        // unknown_type
	func(v []byte) []byte { return bytes.Replace(v, []byte(`"trajectory_id":"`), []byte(`"run_id":"`), 1) }, // missing_member
	func(v []byte) []byte {
		return bytes.Replace(v, []byte(`"trajectory_id"`), []byte(`"Trajectory_id"`), 1)
	}, // misspelt_member
}

// breakageShares is how common each is: a record cut short most of all.
var breakageShares = []float64{0.5, 0.2, 0.1, 0.2}
