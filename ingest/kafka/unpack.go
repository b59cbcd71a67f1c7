package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/segmentio/kafka-go/compress"
	"github.com/twmb/franz-go/pkg/kgo"
)

// mostUnpacked is how many bytes one batch may unpack to, and about how many the
// batches of one answer: one more may come on top before it is noticed.
const mostUnpacked = 128 << 20

var (
	errTooLarge = errors.New("unpacks to more than is taken")
	errEnough   = errors.New("unpacks to more than is left for one answer")
)

// codecs unpack batches whose size is not to be feared.
var codecs = kgo.DefaultDecompressor()

// unpacker unpacks the batches of one answer. A few hundred bytes can claim to be
// gigabytes, so nothing is reserved or kept beyond the limit.
type unpacker struct {
	limit int // mostUnpacked, less in tests
	used  int
}

// Decompress is called by the batch decoder, in the order of the log.
func (u *unpacker) Decompress(src []byte, codec kgo.CompressionCodecType) ([]byte, error) {
	if codec == kgo.CodecNone {
		return src, nil // of the answer, which has a limit of its own
	}
	out, err := u.unpack(src, codec)
	if err == nil && u.used > 0 && u.used+len(out) > u.limit {
		err = errEnough // the next answer begins with it
	}
	if err != nil {
		return nil, err
	}
	u.used += len(out)
	return out, nil
}

func (u *unpacker) unpack(src []byte, codec kgo.CompressionCodecType) ([]byte, error) {
	switch codec {
	case kgo.CodecZstd:
		return u.zstd(src)
	case kgo.CodecSnappy:
		if claimed(src) > uint64(u.limit) {
			return nil, errTooLarge
		}
	case kgo.CodecGzip:
		const most = 1032 // bytes that one byte can become
		if len(src) > u.limit/most {
			return u.stream(src, codec)
		}
	case kgo.CodecLz4:
		const most = 255
		if len(src) > u.limit/most {
			return u.stream(src, codec)
		}
	}
	return codecs.Decompress(src, codec)
}

// stream unpacks up to the limit and no further.
func (u *unpacker) stream(src []byte, codec kgo.CompressionCodecType) ([]byte, error) {
	r := compress.Compression(codec).Codec().NewReader(bytes.NewReader(src))
	defer r.Close()
	var out bytes.Buffer
	switch n, err := out.ReadFrom(io.LimitReader(r, int64(u.limit)+1)); {
	case err != nil:
		return nil, err
	case n > int64(u.limit):
		return nil, errTooLarge
	}
	return out.Bytes(), nil
}

// unzstd are decoders that stop at mostUnpacked.
var unzstd = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostUnpacked))
	if err != nil {
		panic("kafka: options of zstd: " + err.Error())
	}
	return d
}}

func (u *unpacker) zstd(src []byte) ([]byte, error) {
	d := unzstd.Get().(*zstd.Decoder)
	defer unzstd.Put(d)
	out, err := d.DecodeAll(src, nil)
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) || errors.Is(err, zstd.ErrWindowSizeExceeded) || len(out) > u.limit {
		return nil, errTooLarge
	}
	return out, err
}

// xerial is what Java's snappy puts before its blocks: a magic and two versions.
var xerial = []byte{0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0}

const xerialHead = 16

// claimed is what snappy bytes say that they unpack to; unpacking reserves it
// before it looks. What makes no sense is left to the unpacking.
func claimed(src []byte) uint64 {
	if len(src) <= xerialHead || !bytes.HasPrefix(src, xerial) {
		n, _ := binary.Uvarint(src)
		return n
	}
	total := uint64(0)
	for rest := src[xerialHead:]; len(rest) > 4; {
		size := uint64(binary.BigEndian.Uint32(rest))
		n, _ := binary.Uvarint(rest[4:])
		total += n & (1<<40 - 1) // no sum of these wraps
		if size > uint64(len(rest)-4) {
			break
		}
		rest = rest[4+size:]
	}
	return total
}
