// Blipd is a streaming online analytics daemon: it reads decisions of AI agents,
// randomized interventions and outcomes from Kafka, and keeps live estimates of
// where intervening changes the outcome, and where not.
package main

import (
	"os"

	"blipd/cli"
)

func main() { os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
