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
// them. Registering own types for Fetch leaves it the connections and the choice of
// a version; the bytes are ours. It holds for the whole process, and TestHook holds it.
func init() {
	protocol.Register(new(fetchRequest), new(fetchResponse))
}

// fetchRequest is Fetch v4 to v13: v4 is the first with record batches, v10 the
// first that may answer in zstd, v13 the first that names a topic by its id.
type fetchRequest struct {
	_ struct{} `kafka:"min=v4,max=v13"`

	body    *kmsg.FetchRequest
	leader  int32 // where to send it
	version int16 // what it was sent as
}

const fetchByID = 13 // the version from which on the broker checks the topic's id

func (r *fetchRequest) ApiKey() protocol.ApiKey { return protocol.Fetch }

// Prepare learns the version that the connection settled on. Without an id it must
// be one that asks by name.
func (r *fetchRequest) Prepare(version int16) {
	for i := range r.body.Topics {
		if r.body.Topics[i].TopicID == (TopicID{}) {
			version = min(version, fetchByID-1)
		}
	}
	r.version = version
}

// Broker sends the request to the leader it was made for, whatever the transport
// has heard since: the broker answers for what it does not lead any more.
func (r *fetchRequest) Broker(cluster protocol.Cluster) (protocol.Broker, error) {
	broker, ok := cluster.Brokers[r.leader]
	if !ok {
		return protocol.Broker{}, fmt.Errorf("broker %d has left the cluster: %w", r.leader, kafka.BrokerNotAvailable)
	}
	return broker, nil
}

// Required and RawExchange send the request as franz-go writes it.
func (r *fetchRequest) Required(map[protocol.ApiKey]int16) bool { return true }

func (r *fetchRequest) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	r.body.SetVersion(r.version)
	response := &fetchResponse{body: takeBody()}
	if err := exchange(rw, r.body, response.body); err != nil {
		response.release()
		return nil, err
	}
	return response, nil
}

// fetchResponse is the whole answer as it came.
type fetchResponse struct {
	_    struct{} `kafka:"min=v4,max=v13"`
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

func takeBody() *bytes.Buffer {
	spare.Lock()
	defer spare.Unlock()
	last := len(spare.bodies) - 1
	if last < 0 {
		return new(bytes.Buffer)
	}
	body := spare.bodies[last]
	spare.bodies = spare.bodies[:last]
	return body
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
