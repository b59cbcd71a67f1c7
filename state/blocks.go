package state

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"blipd/event/pack"
)

// Badger's costs are by value, not by byte, so trajectories lie in blocks: many
// entries, each sealed for itself, one behind the other in one value. A block is
// never changed. Blocks of one kind are numbered as they are written.

// place is where an entry lies: in which block, and from which byte on.
type place struct{ block, offset int64 }

func (p place) before(q place) bool {
	return p.block < q.block || p.block == q.block && p.offset < q.offset
}

// noPlace is where nothing lies.
var noPlace = place{-1, 0}

// blocks gathers entries that are to be written.
type blocks struct {
	first  int64 // the number of the first
	limit  int   // a block that has grown to so many bytes is followed by another
	values [][]byte
	size   int // of all of them
}

// add seals one more entry and says where it will lie, and its size.
func (b *blocks) add(write func(*pack.Writer)) (place, int) {
	last := len(b.values) - 1
	if last < 0 || len(b.values[last]) >= b.limit {
		b.values = append(b.values, nil)
		last++
	}
	at := place{b.first + int64(last), int64(len(b.values[last]))}
	value := append(b.values[last], 0, 0, 0, 0)
	value = appendSeal(value, write)
	size := len(value) - int(at.offset)
	binary.LittleEndian.PutUint32(value[at.offset:], uint32(size-entryHead))
	b.values[last] = value
	b.size += size
	return at, size
}

// next is the number of the block after them.
func (b *blocks) next() int64 { return b.first + int64(len(b.values)) }

// entryHead is what precedes a sealed entry in its block: its size.
const entryHead = 4

// entryAt is the sealed entry of a block that begins at a byte, and where the
// next one does.
func entryAt(block []byte, offset int64) (sealed []byte, next int64, err error) {
	if offset < 0 || offset+entryHead > int64(len(block)) {
		return nil, 0, damaged("there is no entry at byte %d of %d", offset, len(block))
	}
	begin := offset + entryHead
	next = begin + int64(binary.LittleEndian.Uint32(block[offset:]))
	if next > int64(len(block)) {
		return nil, 0, damaged("the entry at byte %d runs to %d of %d", offset, next, len(block))
	}
	return block[begin:next], next, nil
}

// readEntry reads one entry of a kind of blocks.
func (p *Partition) readEntry(kind byte, at place, what string, read func(*pack.Reader)) error {
	return p.store.value(keyNumber(p.number, kind, at.block), what, func(block []byte) error {
		return unsealEntry(block, at.offset, what, read)
	})
}

// read reads one of the entries that are to be written.
func (b *blocks) read(at place, what string, read func(*pack.Reader)) error {
	return unsealEntry(b.values[at.block-b.first], at.offset, what, read)
}

func unsealEntry(block []byte, offset int64, what string, read func(*pack.Reader)) error {
	sealed, _, err := entryAt(block, offset)
	if err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return unseal(what, sealed, read)
}

// eachBlock visits the blocks of a kind from number on, in their order, until
// visit says stop.
func (p *Partition) eachBlock(kind byte, from int64, visit func(number int64, block []byte) (more bool, err error)) error {
	return p.store.each(key(p.number, kind), keyNumber(p.number, kind, from), func(at, block []byte) (bool, error) {
		return visit(numberOf(at), block)
	})
}

// blank overwrites a sealed entry, which keeps its size: zeros, sealed.
func blank(sealed []byte) {
	body := sealed[1 : len(sealed)-4]
	clear(body)
	sealed[0] = valueVersion
	binary.LittleEndian.PutUint32(sealed[len(sealed)-4:], crc32.Checksum(sealed[:len(sealed)-4], checksums))
}

// isBlank tells whether an entry was erased: every other one begins with the length
// of an id, or with what it is.
func isBlank(sealed []byte) bool { return len(sealed) > 5 && sealed[1] == 0 }

// eachEntry visits the sealed entries of a block that were not erased.
func eachEntry(number int64, block []byte, visit func(at place, sealed []byte) error) error {
	for offset := int64(0); offset < int64(len(block)); {
		sealed, next, err := entryAt(block, offset)
		if err == nil && !isBlank(sealed) {
			err = visit(place{number, offset}, sealed)
		}
		if err != nil {
			return fmt.Errorf("block %d: %w", number, err)
		}
		offset = next
	}
	return nil
}
