package state

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/dgraph-io/badger/v4"

	"blipd/event/pack"
)

// Hold is one entry of the book of holds: somebody held an experiment, so that
// nobody decides by what blipd says of it, or released it. Estimates go on.
type Hold struct {
	At         time.Time `json:"at"`
	Experiment string    `json:"experiment"`
	Held       bool      `json:"held"`   // false: released
	Reason     string    `json:"reason"` // in their own words
	By         string    `json:"by"`     // as they name themselves
	User       string    `json:"user"`   // whose password or certificate was checked; "" where none is asked for
	Remote     string    `json:"remote"` // the address it came from
}

// mostHolds bounds the entries that are kept. What is held stays so whatever
// comes after it.
const mostHolds = 1000

// SetHolds writes entries behind the last one, and what they leave held, on the
// disk before it returns.
func (s *Store) SetHolds(entries []Hold) error {
	book, last, err := s.book()
	if err != nil {
		return err
	}
	err = s.db.Update(func(txn *badger.Txn) error {
		for i, h := range entries {
			value := seal(h.write)
			if err := txn.Set(keyHold(last+1+uint64(i)), value); err != nil {
				return err
			}
			held := keyHeld(h.Experiment)
			if err := txn.Delete(held); err != nil {
				return err
			}
			if h.Held {
				if err := txn.Set(held, value); err != nil {
					return err
				}
			}
		}
		oldest := last + 1 - uint64(len(book))
		for n := oldest; last+uint64(len(entries))-n >= mostHolds && n <= last; n++ {
			if err := txn.Delete(keyHold(n)); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = s.db.Sync() // it is rare, and must not be lost where commits are not synced
	}
	if err != nil {
		return fmt.Errorf("state: write %d entries of the book of holds: %w", len(entries), err)
	}
	return nil
}

// Held are the entries by which experiments are held, by experiment.
func (s *Store) Held() (map[string]Hold, error) {
	held := map[string]Hold{}
	err := s.eachHold(prefixHeld, func(_ []byte, h Hold) { held[h.Experiment] = h })
	return held, err
}

// Holds are the entries that are kept, the oldest first.
func (s *Store) Holds() ([]Hold, error) {
	book, _, err := s.book()
	return book, err
}

// book is the entries that are kept, and the number of the last one; 0 for none.
func (s *Store) book() (book []Hold, last uint64, err error) {
	err = s.eachHold(prefixHold, func(key []byte, h Hold) {
		book, last = append(book, h), binary.BigEndian.Uint64(key[len(prefixHold):])
	})
	return book, last, err
}

func (s *Store) eachHold(prefix []byte, visit func(key []byte, h Hold)) error {
	err := s.each(prefix, prefix, func(key, value []byte) (bool, error) {
		var h Hold
		err := unseal("a hold", value, h.read)
		if err == nil {
			visit(key, h)
		}
		return true, err
	})
	if err != nil {
		return fmt.Errorf("state: read the book of holds: %w", err)
	}
	return nil
}

var prefixHold, prefixHeld = []byte("hold "), []byte("held ")

func keyHold(n uint64) []byte { return binary.BigEndian.AppendUint64([]byte("hold "), n) }

func keyHeld(experiment string) []byte { return []byte("held " + experiment) }

func (h *Hold) write(w *pack.Writer) {
	w.Int(h.At.UnixNano())
	w.Bool(h.Held)
	for _, text := range []string{h.Experiment, h.Reason, h.By, h.User, h.Remote} {
		w.Text(text)
	}
}

func (h *Hold) read(r *pack.Reader) {
	h.At, h.Held = time.Unix(0, r.Int()).UTC(), r.Bool()
	for _, text := range []*string{&h.Experiment, &h.Reason, &h.By, &h.User, &h.Remote} {
		*text = r.Text()
	}
}
