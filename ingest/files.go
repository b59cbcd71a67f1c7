package ingest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"blipd/event"
)

// Files brings the lines of files to a partition, one file behind the other,
// one line a record; offsets count lines from 0, empty ones too. A name ending
// in .gz or .zst is uncompressed, "-" is in. read, unless nil, is told how many
// bytes of the files were read so far, before uncompressing.
func Files(ctx context.Context, names []string, in io.Reader, schema *event.Schema, p Applier, read func(bytes int64)) error {
	f := &files{reader: newReader(event.Decoder{Schema: schema, Keyless: true}), told: read}
	for _, name := range names {
		if err := f.file(ctx, name, in, p); err != nil {
			return err
		}
	}
	return p.Commit()
}

type files struct {
	reader reader
	line   int64 // of all files, from 0
	bytes  int64
	told   func(int64)
}

func (f *files) file(ctx context.Context, name string, in io.Reader, p Applier) error {
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
	var failed error
	err = p.Apply(f.lines(ctx, lines, &failed), f.line)
	if err == nil { // empty lines at the end move the offset too
		err = p.Apply(nothing, f.line)
	}
	switch {
	case err != nil:
		return err
	case failed != nil:
		return fmt.Errorf("read events: %s: line %d of the input: %w", name, f.line+1, failed)
	}
	return ctx.Err()
}

func nothing(func(*event.Entry) bool) {}

// lines are the records of a file; what ends them early is in failed.
func (f *files) lines(ctx context.Context, in *bufio.Reader, failed *error) iter.Seq[*event.Entry] {
	return func(yield func(*event.Entry) bool) {
		var long []byte
		for more := true; more && ctx.Err() == nil; {
			line, err := readLine(in, &long)
			if more = err == nil; err != nil && !errors.Is(err, io.EOF) {
				*failed = err
				return
			}
			record := event.Record{Offset: f.line, Value: bytes.TrimRight(line, "\r\n")}
			if more || len(line) > 0 {
				f.line++
			}
			if len(record.Value) > 0 {
				more = yield(f.reader.read(record)) && more
			}
		}
	}
}

// readLine reads a line with its end; it is valid until the next one. long is
// room for lines that are longer than the reader's buffer.
func readLine(in *bufio.Reader, long *[]byte) ([]byte, error) {
	part, err := in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return part, err
	}
	*long = append((*long)[:0], part...)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = in.ReadSlice('\n')
		*long = append(*long, part...)
	}
	return *long, err
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

// counter counts what is read of the files themselves.
type counter struct {
	in io.Reader
	f  *files
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	c.f.bytes += int64(n)
	if c.f.told != nil {
		c.f.told(c.f.bytes)
	}
	return n, err
}
