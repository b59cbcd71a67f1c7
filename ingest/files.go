package ingest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"blipd/event"
)

// fileBatch is how many lines are applied at once.
const fileBatch = 2000

// Files brings the lines of files to a partition, one file behind the other,
// one line a record; offsets count lines from 0, empty ones too. A name ending
// in .gz or .zst is uncompressed, "-" is in. read, unless nil, is told how many
// bytes of the files were read so far, before uncompressing.
func Files(ctx context.Context, names []string, in io.Reader, schema *event.Schema, p Partition, read func(bytes int64)) error {
	f := &files{decoder: event.Decoder{Schema: schema, Keyless: true}, partition: p, told: read}
	for _, name := range names {
		if err := f.file(ctx, name, in); err != nil {
			return err
		}
	}
	return f.flush()
}

type files struct {
	decoder   event.Decoder
	partition Partition
	batch     []event.Entry
	line      int64
	bytes     int64
	told      func(int64)
}

func (f *files) file(ctx context.Context, name string, in io.Reader) error {
	source := in
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
		defer file.Close()
		source = file
	}
	lines, closing, err := uncompressed(name, &counter{source, f})
	if err != nil {
		return fmt.Errorf("read events: %s: %w", name, err)
	}
	defer closing()
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			if applyErr := f.take(line); applyErr != nil {
				return applyErr
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read events: %s: line %d of the input: %w", name, f.line+1, err)
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
}

// uncompressed reads the text of a file by the ending of its name.
func uncompressed(name string, in io.Reader) (*bufio.Reader, func(), error) {
	const size = 1 << 20
	switch {
	case strings.HasSuffix(name, ".gz"):
		z, err := gzip.NewReader(bufio.NewReaderSize(in, size))
		return bufio.NewReaderSize(z, size), func() {}, err
	case strings.HasSuffix(name, ".zst"):
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, nil, err
		}
		return bufio.NewReaderSize(z, size), z.Close, nil
	}
	return bufio.NewReaderSize(in, size), func() {}, nil
}

func (f *files) take(line []byte) error {
	record := event.Record{Offset: f.line, Value: bytes.TrimRight(line, "\r\n")}
	f.line++
	if len(record.Value) > 0 {
		f.batch = append(f.batch, readRecord(&f.decoder, record))
	}
	if len(f.batch) < fileBatch {
		return nil
	}
	return f.flush()
}

func (f *files) flush() error {
	err := f.partition.Apply(f.batch, f.line)
	f.batch = f.batch[:0]
	if f.told != nil {
		f.told(f.bytes)
	}
	return err
}

// counter counts what is read of the files themselves.
type counter struct {
	in io.Reader
	f  *files
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	c.f.bytes += int64(n)
	return n, err
}
