package state

import (
	"fmt"
	"strconv"

	"blipd/event/pack"
)

// SetReport keeps the latest report of an epoch of an experiment, as bytes
// that state does not understand. It stays when the epoch has ended.
func (s *Store) SetReport(experiment string, epoch int, report []byte) error {
	if err := s.set(keyReport(experiment, epoch), seal(func(w *pack.Writer) { w.Bytes(report) })); err != nil {
		return fmt.Errorf("state: keep report of experiment %q, epoch %d: %w", experiment, epoch, err)
	}
	return nil
}

// Report reads it again; nil where there is none.
func (s *Store) Report(experiment string, epoch int) (report []byte, err error) {
	what := fmt.Sprintf("report of experiment %q, epoch %d", experiment, epoch)
	err = s.read(keyReport(experiment, epoch), what, func(r *pack.Reader) { report = r.Bytes() })
	if isAbsent(err) {
		return nil, nil
	}
	return report, err
}

func keyReport(experiment string, epoch int) []byte {
	return append([]byte("report "+strconv.Itoa(epoch)+" "), experiment...)
}
