package sim

import "bytes"

// breakages are what producers do to a record, each with the reason for which
// it is then set aside.
var breakages = [...]func(value []byte) []byte{
	func(value []byte) []byte { return value[:len(value)/2] }, // malformed
	replacing(`"type":"`, `"type":"new_`),                     // unknown_type
	replacing(`"trajectory_id"`, `"run_id"`),                  // missing_member
	replacing(`"trajectory_id"`, `"Trajectory_id"`),           // misspelt_member
}

// breakageShares is how common each is: a record cut short most of all.
var breakageShares = []float64{0.5, 0.2, 0.1, 0.2}

// replacing puts something else where old stands first.
func replacing(old, other string) func([]byte) []byte {
	return func(value []byte) []byte { return bytes.Replace(value, []byte(old), []byte(other), 1) }
}
