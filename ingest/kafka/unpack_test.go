package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

var packers = map[string]kgo.CompressionCodec{
	"gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
}

// packed is a batch of one record of size bytes.
func packed(t *testing.T, base int64, codec kgo.CompressionCodec, size int) []byte {
	t.Helper()
	record := kmsg.Record{Value: make([]byte, size)}
	record.Length = int32(len(record.AppendTo(nil)) - 1)
	compressor, err := kgo.DefaultCompressor(codec)
	if err != nil {
		t.Fatal(err)
	}
	bytes, attribute := compressor.Compress(new(bytes.Buffer), record.AppendTo(nil))
	return sealed(kmsg.RecordBatch{FirstOffset: base, Magic: 2, Attributes: int16(attribute), ProducerID: -1, NumRecords: 1, Records: bytes})
}

// TestTooLarge: a batch that unpacks to 200 MB stops its partition, with its offsets;
// the one before it is read.
func TestTooLarge(t *testing.T) {
	for name, codec := range packers {
		t.Run(name, func(t *testing.T) {
			size := 200 << 20
			if name == "gzip" { // packs slowly
				size = mostUnpacked + 1
			}
			bomb := packed(t, 1, codec, size)
			raw := slices.Concat(rawBatch(0, 0, "a"), bomb, rawBatch(2, 0, "b"))
			batch, err := decodeBytes(true, raw, 0)
			if err != nil || batch.Next != 1 || len(batch.Records) != 1 {
				t.Fatalf("decoded %d records up to %d, %v", len(batch.Records), batch.Next, err)
			}
			var large *TooLargeError
			if _, err = decodeBytes(true, raw[len(rawBatch(0, 0, "a")):], 1); !errors.As(err, &large) {
				t.Fatalf("%d bytes that unpack to %d: %v", len(bomb), size, err)
			}
			if text := large.Error(); large.First != 1 || large.Last != 1 || !strings.Contains(text, "more than 128 MiB") || !strings.Contains(text, "up to offset 2") {
				t.Errorf("text is %q", text)
			}
		})
	}
}

// TestTooLargeStopsAlone: the others go on.
func TestTooLargeStopsAlone(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(2, topic), kfake.BrokerConfigs(map[string]string{"message.max.bytes": "20000000"}))
	producer := franz(t, broker, kgo.ProducerBatchCompression(kgo.ZstdCompression()), kgo.ProducerBatchMaxBytes(200<<20), kgo.BrokerMaxWriteBytes(256<<20))
	send(t, producer, values(0, 0, 3)...)
	send(t, producer, &kgo.Record{Partition: 0, Value: make([]byte, 150<<20)})
	send(t, producer, values(1, 0, 5)...)
	s, _ := fetch(t, client(t, broker), map[int]int64{0: 0, 1: 0})
	failsAs[*TooLargeError](t, s, 0)
	reaches(t, s, 1, 5)
	reaches(t, s, 0, 3)
}

// TestUnpackedTogether: batches of one answer that together unpack to more than the
// limit come in several deliveries.
func TestUnpackedTogether(t *testing.T) {
	for _, name := range []string{"snappy", "lz4", "zstd"} { // gzip is unpacked as lz4 is
		codec := packers[name]
		t.Run(name, func(t *testing.T) {
			var raw []byte
			stops := map[int64]int{}
			for base := range int64(3) {
				stops[base] = len(raw)
				raw = append(raw, packed(t, base, codec, 60<<20)...)
			}
			next := int64(0)
			for _, want := range []int64{2, 3} {
				batch, err := decodeBytes(true, raw[stops[next]:], next)
				if err != nil || batch.Next != want {
					t.Fatalf("from %d to %d, %v; want %d", next, batch.Next, err, want)
				}
				next = batch.Next
			}
		})
	}
}

// TestUnpackLies: what claims to be large is refused before it is reserved.
func TestUnpackLies(t *testing.T) {
	huge := binary.AppendUvarint(nil, 1<<31)
	var framed []byte
	framed = append(framed, xerial...)
	framed = append(framed, 0, 0, 0, 1, 0, 0, 0, 1)
	framed = binary.BigEndian.AppendUint32(framed, uint32(len(huge)))
	framed = append(framed, huge...)
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 2, 0, 0, 0} // single segment of 8 GiB
	for name, test := range map[string]struct {
		src   []byte
		codec kgo.CompressionCodecType
	}{"snappy": {huge, kgo.CodecSnappy}, "xerial": {framed, kgo.CodecSnappy}, "zstd": {frame, kgo.CodecZstd}} {
		u := unpacker{limit: mostUnpacked}
		allocated := testing.AllocsPerRun(1, func() {
			if _, err := u.Decompress(test.src, test.codec); !errors.Is(err, errTooLarge) {
				t.Errorf("%s: %v", name, err)
			}
		})
		if allocated > 100 {
			t.Errorf("%s: %v allocations", name, allocated)
		}
	}
}
