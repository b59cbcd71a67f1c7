package config

import (
	_ "embed"
	"slices"
)

//go:embed example.yaml
var example []byte

// Example is the commented configuration that `blipd init` writes: every key,
// each with its default or a value that shows what it is for.
func Example() []byte { return slices.Clone(example) }
