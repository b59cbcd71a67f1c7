package kafka

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// versions are clusters that fetch by topic id, tell ids and fetch by name, and
// know no ids.
var versions = map[string]*kversion.Versions{"4.0": kversion.V4_0_0(), "2.8": kversion.V2_8_0(), "2.7": kversion.V2_7_0()}

func idOf(t *testing.T, broker *kfake.Cluster) TopicID {
	t.Helper()
	return TopicID(broker.TopicInfo(topic).TopicID)
}

// recreate makes the topic anew, with n records in each partition.
func recreate(t *testing.T, broker *kfake.Cluster, partitions int32, n int) {
	t.Helper()
	if err := broker.DeleteTopic(topic); err != nil {
		t.Fatal(err)
	}
	if err := broker.CreateTopic(topic, partitions, nil); err != nil {
		t.Fatal(err)
	}
	producer := franz(t, broker)
	for partition := range partitions {
		send(t, producer, values(partition, 1000, n)...)
	}
}

func failsAs[E error](t *testing.T, s *shelf, partition int) E {
	t.Helper()
	var is E
	eventually(t, "the partition fails", func() bool { return s.failure(partition) != nil })
	if err := s.failure(partition); !errors.As(err, &is) {
		t.Fatalf("partition %d failed with %T %v", partition, err, err)
	}
	return is
}

func TestIdentify(t *testing.T) {
	for name, version := range versions {
		t.Run(name, func(t *testing.T) {
			broker := cluster(t, kfake.SeedTopics(3, topic), kfake.MaxVersions(version))
			s, _ := fetch(t, client(t, broker), map[int]int64{0: 0})
			reaches(t, s, 0, 0)
			want := Log{Topic: idOf(t, broker), Partitions: 3}
			if name == "2.7" {
				want.Topic = TopicID{}
			}
			if got := s.log(0); got != want {
				t.Errorf("read from %v, want %v", got, want)
			}
		})
	}
}

// TestRecreatedWhileDown: a topic of the same name is not read on, be it shorter or
// longer than what was read.
func TestRecreatedWhileDown(t *testing.T) {
	for _, version := range []string{"4.0", "2.8"} {
		for name, n := range map[string]int{"shorter": 4, "longer": 30} {
			t.Run(version+" "+name, func(t *testing.T) {
				broker := cluster(t, kfake.SeedTopics(2, topic), kfake.MaxVersions(versions[version]))
				was := Log{Topic: idOf(t, broker), Partitions: 2}
				recreate(t, broker, 2, n)
				s := newShelf()
				start := map[int]Start{0: {Offset: 10, Log: was}, 1: {Offset: Earliest}}
				startInto(t, client(t, broker), start, s)
				fault := failsAs[*RecreatedError](t, s, 0)
				want := RecreatedError{Topic: topic, Was: was, Is: Log{Topic: idOf(t, broker), Partitions: 2}}
				if diff := cmp.Diff(want, *fault); diff != "" {
					t.Error(diff)
				}
				if text := fault.Error(); !strings.Contains(text, was.Topic.String()) || !strings.Contains(text, "new state") {
					t.Errorf("text is %q", text)
				}
				reaches(t, s, 1, int64(n)) // it is of no other topic
				if got := s.texts(0); len(got) > 0 {
					t.Errorf("read %q of another topic", got)
				}
			})
		}
	}
}

// TestRecreatedWhileRunning: not one record of the new topic is delivered, however
// the deletion falls between two looks at the id.
func TestRecreatedWhileRunning(t *testing.T) {
	for _, version := range []string{"4.0", "2.8"} {
		for name, n := range map[string]int{"shorter": 4, "longer": 30} {
			t.Run(version+" "+name, func(t *testing.T) {
				broker := cluster(t, kfake.SeedTopics(1, topic), kfake.MaxVersions(versions[version]))
				send(t, franz(t, broker), values(0, 0, 10)...)
				c := client(t, broker)
				s, _ := fetch(t, c, map[int]int64{0: 0})
				reaches(t, s, 0, 10)
				recreate(t, broker, 1, n)
				failsAs[*RecreatedError](t, s, 0)
				if got := s.texts(0); len(got) != 10 || got[9] != "0-9" {
					t.Errorf("read %q", got)
				}
			})
		}
	}
}

// TestRecreatedWithFewerPartitions shows without an id as well.
func TestRecreatedWithFewerPartitions(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(1, topic), kfake.MaxVersions(versions["2.7"]))
	send(t, franz(t, broker), values(0, 0, 10)...)
	s := newShelf()
	startInto(t, client(t, broker), map[int]Start{0: {Offset: 5, Log: Log{Partitions: 2}}}, s)
	if text := failsAs[*RecreatedError](t, s, 0).Error(); !strings.Contains(text, "it has 1 partitions, state is of one with 2") {
		t.Errorf("text is %q", text)
	}
	if got := s.texts(0); len(got) > 0 {
		t.Errorf("read %q", got)
	}
}

// TestDeletedTopic is a trouble of the moment: it may come back as it was.
func TestDeletedTopic(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(1, topic))
	var told changes
	s, _ := fetch(t, client(t, broker, func(c *Config) { c.Changed = told.add }), map[int]int64{0: 0})
	reaches(t, s, 0, 0)
	if err := broker.DeleteTopic(topic); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is told", func() bool { return len(told.all()) > 0 })
	if err := s.failure(0); err != nil {
		t.Errorf("failed with %v", err)
	}
}

func TestGrown(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(2, topic))
	send(t, franz(t, broker), values(0, 0, 5)...)
	s, _ := fetch(t, client(t, broker), map[int]int64{0: 0, 1: 0})
	reaches(t, s, 0, 5)
	reaches(t, s, 1, 0)
	grow(t, broker, 3)
	for partition := range 2 {
		fault := failsAs[*GrownError](t, s, partition)
		want := GrownError{Topic: topic, Partition: partition, Was: 2, Is: 3}
		if diff := cmp.Diff(want, *fault); diff != "" {
			t.Error(diff)
		}
	}
}

// TestOneLookIsNotEnough: a broker that tells of an earlier topic once is not believed.
func TestOneLookIsNotEnough(t *testing.T) {
	broker := cluster(t, kfake.SeedTopics(1, topic))
	send(t, franz(t, broker), values(0, 0, 5)...)
	looks := make(chan struct{}, 100)
	broker.ControlKey(int16(kmsg.Metadata), func(req kmsg.Request) (kmsg.Response, error, bool) {
		broker.KeepControl()
		if req.GetVersion() < 10 { // of the transport
			return nil, nil, false
		}
		looks <- struct{}{}
		if len(looks) != 2 {
			return nil, nil, false
		}
		answer := req.ResponseKind().(*kmsg.MetadataResponse)
		about, partition := kmsg.NewMetadataResponseTopic(), kmsg.NewMetadataResponseTopicPartition()
		about.Topic, about.TopicID = kmsg.StringPtr(topic), TopicID{1}
		about.Partitions = append(about.Partitions, partition)
		answer.Topics = append(answer.Topics, about)
		return answer, nil, true
	})
	s, _ := fetch(t, client(t, broker), map[int]int64{0: 0})
	eventually(t, "four looks", func() bool { return len(looks) > 3 })
	send(t, franz(t, broker), values(0, 5, 5)...)
	reaches(t, s, 0, 10)
	if err := s.failure(0); err != nil {
		t.Errorf("failed with %v", err)
	}
}

// TestExchangeBadAnswers: lengths and numbers of an answer are checked.
func TestExchangeBadAnswers(t *testing.T) {
	for name, answer := range map[string]string{
		"cut head": "\x00\x00", "negative": "\xff\xff\xff\xff\x00\x00\x00\x01", "small": "\x00\x00\x00\x03\x00\x00\x00\x01",
		"huge": "\x7f\xff\xff\xff\x00\x00\x00\x01", "other": "\x00\x00\x00\x06\x7f\x00\x00\x01ab",
	} {
		t.Run(name, func(t *testing.T) {
			request := kmsg.NewApiVersionsRequest()
			if err := exchange(&script{Reader: *bytes.NewReader([]byte(answer))}, &request, new(bytes.Buffer)); err == nil {
				t.Error("it was taken")
			}
		})
	}
}

// script answers whatever is said to it.
type script struct{ bytes.Reader }

func (*script) Write(b []byte) (int, error) { return len(b), nil }
