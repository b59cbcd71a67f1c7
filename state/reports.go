package state

import (
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"blipd/event/pack"
)

// reportChunk is the size of a part of a report. It is below what Badger moves
// to its value log, where a report that is written every few seconds would
// pile up.
const reportChunk = 512 << 10

// SetReport keeps the latest report of an epoch of an experiment, as bytes
// that state does not understand. It stays when the epoch has ended.
func (s *Store) SetReport(experiment string, epoch int, report []byte) error {
	parts := max(1, (len(report)+reportChunk-1)/reportChunk)
	err := s.db.Update(func(txn *badger.Txn) error {
		for n := range parts {
			part := report[n*reportChunk : min(len(report), (n+1)*reportChunk)]
			value := seal(func(w *pack.Writer) {
				w.Int(int64(parts))
				w.Bytes(part)
			})
			if err := txn.Set(keyReport(experiment, epoch, n), value); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("state: keep report of experiment %q, epoch %d, %d bytes: %w", experiment, epoch, len(report), err)
	}
	return nil
}

// Report reads it again; nil where there is none.
func (s *Store) Report(experiment string, epoch int) (report []byte, err error) {
	what := fmt.Sprintf("report of experiment %q, epoch %d", experiment, epoch)
	err = s.db.View(func(txn *badger.Txn) error {
		for n, parts := 0, 1; n < parts; n++ {
			item, err := txn.Get(keyReport(experiment, epoch, n))
			if err != nil {
				return fmt.Errorf("state: read %s: %w", what, err)
			}
			err = valueOf(item, what, func(value []byte) error {
				return unseal(what, value, func(r *pack.Reader) {
					parts = int(r.Int())
					report = append(report, r.Bytes()...)
				})
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if isAbsent(err) && report == nil {
		return nil, nil
	}
	return report, err
}

func keyReport(experiment string, epoch, part int) []byte {
	return fmt.Appendf(nil, "report %d %d %s", epoch, part, experiment)
}
