package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"blipd/event/pack"
)

// Keys. All but the first six begin with the partition, four bytes, then a
// letter, then an id or big-endian numbers:
//
//	format       version of this layout
//	topic        the topic whose state this is
//	parts e      what experiment e sums side by side
//	report n p e part p of the last report of epoch n of experiment e
//	hold n       entry n of the book of holds
//	held e       the entry by which experiment e is held; absent while it is not
//	P m      next offset, clock, counters, epochs
//	P j n    block n of the journal of open trajectories
//	P a n    block n of the archive of closed ones, as long as one of them is kept
//	P c id   where in the archive a closed trajectory lies
//	P e id   an excluded trajectory that is yet to be erased, and where it last lay in the archive
//	P l n    operations on ledgers from number n on, since the newest generation
//	P g      the newest whole generation of ledgers
//	P k g n  chunk n of generation g
//	P x n    letter number n of the outbox
var (
	keyFormat = []byte("format")
	keyTopic  = []byte("topic")
)

func key(partition int, kind byte, rest ...byte) []byte {
	k := binary.BigEndian.AppendUint32(make([]byte, 0, 5+len(rest)), uint32(partition))
	return append(append(k, kind), rest...)
}

func keyID(partition int, kind byte, id string) []byte { return key(partition, kind, []byte(id)...) }

func keyNumber(partition int, kind byte, numbers ...int64) []byte {
	k := key(partition, kind)
	for _, n := range numbers {
		k = binary.BigEndian.AppendUint64(k, uint64(n))
	}
	return k
}

// nameOfKey names a value by its key, for errors: without the id that may be in it,
// which is nobody's but the event's.
func nameOfKey(k []byte) string {
	if len(k) > 4 && k[0] == 0 { // a partition, of fewer than 2^24; the others begin with a word
		return fmt.Sprintf("a value %q of partition %d", k[4], binary.BigEndian.Uint32(k))
	}
	return fmt.Sprintf("%q", k)
}

// numberOf is the last number of a key.
func numberOf(key []byte) int64 { return int64(binary.BigEndian.Uint64(key[len(key)-8:])) }

// valueVersion is the version of values that this program writes and reads.
const valueVersion = 1

// ErrUnusable is in the chain of every error that says that state cannot be
// used as it is: another daemon holds it, it is of a newer version, of another
// topic, or damaged. Such an error leaves state as it was found.
var ErrUnusable = errors.New("state cannot be used")

var checksums = crc32.MakeTable(crc32.Castagnoli)

// seal puts a version before a value and a checksum behind it.
func seal(write func(*pack.Writer)) []byte { return appendSeal(nil, write) }

// appendSeal appends a sealed value to b.
func appendSeal(b []byte, write func(*pack.Writer)) []byte {
	begin := len(b)
	w := pack.Writer{B: append(b, valueVersion)}
	write(&w)
	return binary.LittleEndian.AppendUint32(w.B, crc32.Checksum(w.B[begin:], checksums))
}

// unseal reads a sealed value; what it reads is checked to the last byte.
func unseal(what string, value []byte, read func(*pack.Reader)) error {
	if len(value) < 5 {
		return damaged("read %s: %d bytes are no value", what, len(value))
	}
	body := value[:len(value)-4]
	if sum := binary.LittleEndian.Uint32(value[len(body):]); sum != crc32.Checksum(body, checksums) {
		return damaged("read %s: its checksum does not fit", what)
	}
	if value[0] > valueVersion {
		return fmt.Errorf("read %s: it is of version %d, this program knows %d: run the version that wrote it, or a later one: %w", what, value[0], valueVersion, ErrUnusable)
	}
	r := pack.Reader{B: body[1:]}
	read(&r)
	if err := r.Err(); err != nil {
		return foreign("read %s: %v", what, err)
	}
	return nil
}
