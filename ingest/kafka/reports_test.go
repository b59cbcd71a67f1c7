package kafka

import "testing"

// TestReports tries with hand-made batches what broke other systems in public; the
// rest of it is in package daemon. Each name is the repository and number of the report.
func TestReports(t *testing.T) {
	for name, report := range map[string]func(*testing.T){
		"segmentio/kafka-go/1416":  reportKafkaGo1416,
		"influxdata/telegraf/7555": reportTelegraf7555,
	} {
		t.Run(name, report)
	}
}

// Offsets above 2^53 keep their last digit.
func reportTelegraf7555(t *testing.T) {
	const base = 1<<60 + 1
	batch, err := decodeBytes(true, rawBatch(base, 1, "a", "b"), base)
	if err != nil || batch.Next != base+2 || len(batch.Records) != 2 || batch.Records[1].Offset != base+1 {
		t.Errorf("decoded %v up to %d, %v", batch.Records, batch.Next, err)
	}
}
