package kafka

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// counter is a Sink that counts.
type counter struct{ records, bytes atomic.Int64 }

func (c *counter) Ready(int) bool { return true }

func (c *counter) Deliver(b Batch) {
	size := 0
	for i := range b.Records {
		size += len(b.Records[i].Value)
	}
	c.bytes.Add(int64(size))
	c.records.Add(int64(len(b.Records)))
}

func (c *counter) Fail(int, Stopped) {}

// BenchmarkFetch reads messages of the size of an event from 4 partitions. The
// broker answers from one canned batch, but runs in the same process: cpu-ns/op is
// what both take of the processor for one message.
func BenchmarkFetch(b *testing.B) {
	for name, codec := range map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	} {
		for _, size := range []int{100, 392, 2000} {
			b.Run(fmt.Sprintf("%s/%dB", name, size), func(b *testing.B) {
				broker := cluster(b, kfake.SeedTopics(4, topic), kfake.SyntheticFetch(kfake.SyntheticBatch{
					RecordBytes: size, RandomFrac: 0.3, Compression: codec,
				}))
				c := client(b, broker)
				b.ReportAllocs()
				b.SetBytes(int64(size))
				used := cpu()
				var sink counter
				b.ResetTimer()
				stop := fetchInto(b, c, map[int]int64{0: 0, 1: 0, 2: 0, 3: 0}, &sink)
				for sink.records.Load() < int64(b.N) {
					time.Sleep(100 * time.Microsecond)
				}
				b.StopTimer()
				read := sink.records.Load()
				b.ReportMetric(float64(cpu()-used)/float64(read), "cpu-ns/op")
				b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(read), "ns/msg")
				stop()
			})
		}
	}
}

func cpu() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkDecode is the share of Fetch that is not network: one answer of 1 MiB.
func BenchmarkDecode(b *testing.B) {
	const size, count = 392, 2500
	values := make([]string, count)
	for i := range values {
		values[i] = fmt.Sprintf("%06d%s", i, bytes.Repeat([]byte("x"), size-6))
	}
	raw := rawBatch(0, count-1, values...)
	b.ReportAllocs()
	b.SetBytes(size)
	for n := 0; n < b.N; n += count {
		if batch, err := decodeBytes(true, raw, 0); err != nil || len(batch.Records) != count {
			b.Fatal(err)
		}
	}
}
