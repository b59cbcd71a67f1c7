package kafka

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// kafka-go decodes record batches while it reads an answer and keeps too little of
// them. Registering own types for Fetch leaves it the connections and the versions
// and gives us the bytes. It holds for the whole process, and TestHook holds it.
func init() {
	protocol.Register(new(fetchRequest), new(fetchResponse))
}

// fetchRequest is Fetch v4 to v11: v4 is the first with record batches, v11 the
// last before topic ids and flexible fields, v10 the first that may answer in zstd.
type fetchRequest struct {
	ReplicaID      int32        `kafka:"min=v4,max=v11"`
	MaxWaitTime    int32        `kafka:"min=v4,max=v11"`
	MinBytes       int32        `kafka:"min=v4,max=v11"`
	MaxBytes       int32        `kafka:"min=v4,max=v11"`
	IsolationLevel int8         `kafka:"min=v4,max=v11"`
	SessionID      int32        `kafka:"min=v7,max=v11"`
	SessionEpoch   int32        `kafka:"min=v7,max=v11"`
	Topics         []fetchTopic `kafka:"min=v4,max=v11"`
	Forgotten      []forgotten  `kafka:"min=v7,max=v11"`
	RackID         string       `kafka:"min=v11,max=v11"`

	leader  int32 // where to send it
	version int16 // what it was sent as
}

type fetchTopic struct {
	Topic      string           `kafka:"min=v4,max=v11"`
	Partitions []fetchPartition `kafka:"min=v4,max=v11"`
}

type fetchPartition struct {
	Partition          int32 `kafka:"min=v4,max=v11"`
	CurrentLeaderEpoch int32 `kafka:"min=v9,max=v11"`
	FetchOffset        int64 `kafka:"min=v4,max=v11"`
	LogStartOffset     int64 `kafka:"min=v5,max=v11"`
	PartitionMaxBytes  int32 `kafka:"min=v4,max=v11"`
}

type forgotten struct {
	Topic      string  `kafka:"min=v7,max=v11"`
	Partitions []int32 `kafka:"min=v7,max=v11"`
}

func (r *fetchRequest) ApiKey() protocol.ApiKey { return protocol.Fetch }

// Prepare learns the version that the connection settled on.
func (r *fetchRequest) Prepare(version int16) { r.version = version }

// Broker sends the request to the leader it was made for, whatever the transport
// has heard since: the broker answers for what it does not lead any more.
func (r *fetchRequest) Broker(cluster protocol.Cluster) (protocol.Broker, error) {
	broker, ok := cluster.Brokers[r.leader]
	if !ok {
		return protocol.Broker{}, fmt.Errorf("broker %d has left the cluster: %w", r.leader, kafka.BrokerNotAvailable)
	}
	return broker, nil
}

// fetchResponse is the whole answer as it came.
type fetchResponse struct {
	_    struct{} `kafka:"min=v4,max=v11"`
	body *bytes.Buffer
}

// spare keeps a few bodies that have grown to the size of answers. A sync.Pool
// would lose them to every other garbage collection, and growing is dear.
var spare struct {
	sync.Mutex // guards bodies
	bodies     []*bytes.Buffer
}

const (
	maxSpare     = 4
	maxSpareSize = 16 << 20
)

func (r *fetchResponse) ApiKey() protocol.ApiKey { return protocol.Fetch }

// ReadFrom is how kafka-go hands over an answer: r ends where the answer does.
func (r *fetchResponse) ReadFrom(from io.Reader) (int64, error) {
	spare.Lock()
	if last := len(spare.bodies) - 1; last >= 0 {
		r.body, spare.bodies = spare.bodies[last], spare.bodies[:last]
	} else {
		r.body = new(bytes.Buffer)
	}
	spare.Unlock()
	return r.body.ReadFrom(from)
}

// parse reads the answer's frame. Its batches point into the body, so they are
// good until release.
func (r *fetchResponse) parse(version int16) (*kmsg.FetchResponse, error) {
	if r.body == nil {
		return nil, io.ErrUnexpectedEOF
	}
	answer := kmsg.NewPtrFetchResponse()
	answer.SetVersion(version)
	if err := answer.ReadFrom(r.body.Bytes()); err != nil {
		return nil, fmt.Errorf("%d bytes of fetch v%d: %w", r.body.Len(), version, err)
	}
	return answer, nil
}

func (r *fetchResponse) release() {
	body := r.body
	r.body = nil
	if body == nil || body.Cap() > maxSpareSize {
		return
	}
	body.Reset()
	spare.Lock()
	defer spare.Unlock()
	if len(spare.bodies) < maxSpare {
		spare.bodies = append(spare.bodies, body)
	}
}
