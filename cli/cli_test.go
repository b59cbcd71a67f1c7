package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"blipd/config"
	"blipd/state"
)

// TestExitCodes: how a command ended, as scripts see it.
func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("broken"), 1},
		{&config.Faults{Name: "f", List: []config.Fault{{Message: "wrong"}}}, 3},
		{fmt.Errorf("open: %w", state.ErrUnusable), 4},
		{exitError(2), 2},
	} {
		var words strings.Builder
		p := &process{words: &words}
		if got := p.exit(c.err); got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.err, got, c.want)
		}
		if c.err != nil && c.want != 2 && words.Len() == 0 {
			t.Errorf("%v: nothing was said", c.err)
		}
	}
}
