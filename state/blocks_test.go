package state

import "testing"

// TestBlocks: what closes in one commit shares blocks, and so does what is open.
func TestBlocks(t *testing.T) {
	u := newRun(t, retail())
	u.options.pace.block = 1 << 20
	u.p = openPartition(t, u.store, u.options)
	u.apply(t, someEvents()) // 40 closed, one open
	for _, kind := range []byte{'a', 'j'} {
		blocks := 0
		if err := u.store.eachKey(key(3, kind), nil, func([]byte) bool { blocks++; return true }); err != nil || blocks != 1 {
			t.Errorf("%d blocks of kind %c, want 1 (%v)", blocks, kind, err)
		}
	}
}
