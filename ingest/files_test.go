package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"blipd/event"
)

// schema is enough to decode the events of these tests.
var schema = &event.Schema{Experiments: []event.Experiment{{Name: "x", Control: "direct", Interventions: []string{"review"},
	MinProbability: 1e-4, Outcomes: []event.OutcomeRule{{Name: "y", Required: true}}}}}

// notebook is a partition that notes what it is given.
type notebook struct {
	offsets []int64
	faults  int
	next    int64
	log     event.Log
	err     error
}

func (n *notebook) Next() int64        { return n.next }
func (n *notebook) Commit() error      { return n.err }
func (n *notebook) Log() event.Log     { return n.log }
func (n *notebook) From(log event.Log) { n.log = log }
func (n *notebook) Apply(batch iter.Seq[*event.Entry], next int64) error {
	for e := range batch {
		n.offsets = append(n.offsets, e.Record.Offset)
		if e.Fault != nil {
			n.faults++
		}
	}
	n.next = next
	return n.err
}

func line(i int) string {
	return fmt.Sprintf(`{"type":"outcome","trajectory_id":"t%d","time":"2026-11-29T10:00:00Z","outcomes":{"y":1}}`, i)
}

// TestFiles reads the same lines in every form, one file behind the other.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	text := line(1) + "\n\r\n" + line(2) + "\r\nbroken\n" + line(3) // the last line has no end
	var gz, zst bytes.Buffer
	z := gzip.NewWriter(&gz)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	s, _ := zstd.NewWriter(&zst)
	_, _ = s.Write([]byte(text))
	_ = s.Close()
	names := []string{filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "a.jsonl.gz"), filepath.Join(dir, "a.jsonl.zst"), "-"}
	for i, b := range [][]byte{[]byte(text), gz.Bytes(), zst.Bytes()} {
		if err := os.WriteFile(names[i], b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var n notebook
	read := int64(0)
	if err := Files(context.Background(), names, strings.NewReader(text), schema, &n, func(b int64) { read = b }); err != nil {
		t.Fatal(err)
	}
	if want := "[0 2 3 4 5 7 8 9 10 12 13 14 15 17 18 19]"; fmt.Sprint(n.offsets) != want || n.faults != 4 || n.next != 20 {
		t.Errorf("offsets %v, %d faults, next %d; want %s, 4, 20", n.offsets, n.faults, n.next, want)
	}
	if want := int64(2*len(text) + gz.Len() + zst.Len()); read != want {
		t.Errorf("%d bytes were told, want %d", read, want)
	}
}

func TestFilesErrors(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "b.gz")
	if err := os.WriteFile(broken, []byte("no gzip"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(dir, "nowhere"), broken} {
		if err := Files(context.Background(), []string{name}, nil, schema, &notebook{}, nil); err == nil || !strings.Contains(err.Error(), filepath.Base(name)) {
			t.Errorf("%s: %v, want an error that names it", name, err)
		}
	}
	full := &notebook{err: errors.New("disk full")}
	if err := Files(context.Background(), []string{"-"}, strings.NewReader(line(1)), schema, full, nil); !errors.Is(err, full.err) {
		t.Errorf("%v, want the error of Apply", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Files(ctx, []string{"-"}, strings.NewReader(line(1)+"\n"+line(2)), schema, &notebook{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's error", err)
	}
}
