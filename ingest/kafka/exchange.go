package kafka

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// sent numbers the requests that exchange sends.
var sent atomic.Int32

// exchange sends a request over a connection that nobody else uses meanwhile, and
// reads the answer into body, without its head. After an error the connection is
// to be closed.
func exchange(rw io.ReadWriter, request kmsg.Request, body *bytes.Buffer) error {
	number := sent.Add(1)
	frame := kmsg.NewRequestFormatter(kmsg.FormatterClientID(clientID)).AppendRequest(nil, request, number)
	if _, err := rw.Write(frame); err != nil {
		return err
	}
	var head [8]byte
	if _, err := io.ReadFull(rw, head[:]); err != nil {
		return err
	}
	size := int64(int32(binary.BigEndian.Uint32(head[:]))) - 4
	if size < 0 || size > maxFrame {
		return fmt.Errorf("answer of %d bytes, not within 4 and %d", size+4, maxFrame)
	}
	if got := int32(binary.BigEndian.Uint32(head[4:])); got != number {
		return fmt.Errorf("answer to request %d, not to %d", got, number)
	}
	if n, err := body.ReadFrom(io.LimitReader(rw, size)); err != nil {
		return err
	} else if n < size {
		return fmt.Errorf("answer of %d bytes ends after %d: %w", size, n, io.ErrUnexpectedEOF)
	}
	if !request.IsFlexible() || request.Key() == int16(kmsg.ApiVersions) {
		return nil
	}
	tags := kbin.Reader{Src: body.Bytes()}
	kmsg.SkipTags(&tags)
	if err := tags.Complete(); err != nil {
		return fmt.Errorf("head of an answer of %d bytes: %w", size, err)
	}
	body.Next(body.Len() - len(tags.Src))
	return nil
}
