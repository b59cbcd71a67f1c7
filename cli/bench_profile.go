package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A profile of the processor is a gzipped protobuf message, described in
// github.com/google/pprof/proto/profile.proto. Of it only the samples are read
// here, as stacks of function names; go tool pprof reads everything.

// stacks are the samples of a profile: for each a stack of function names, the
// innermost first, and its nanoseconds.
type stacks []sample

type sample struct {
	stack []string
	value int64
}

// Numbers of fields in profile.proto.
const (
	profileSample, profileLocation, profileFunction, profileString = 2, 4, 5, 6

	sampleLocation, sampleValue   = 1, 2
	locationID, locationLine      = 1, 4
	lineFunction                  = 1
	functionID, functionNameIndex = 1, 2
)

var errProfile = errors.New("bench: the profile cannot be read")

// readProfile reads what runtime/pprof has written.
func readProfile(zipped []byte) (stacks, error) {
	z, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errProfile, err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errProfile, err)
	}
	return readRawProfile(raw)
}

func readRawProfile(raw []byte) (stacks, error) {
	var texts []string
	var samples [][]byte
	functions, locations := map[uint64]uint64{}, map[uint64][]uint64{} // to a name's number; to functions
	err := fields(raw, func(field int, _ uint64, b []byte) error {
		switch field {
		case profileSample:
			samples = append(samples, b)
		case profileLocation:
			return readLocation(b, locations)
		case profileFunction:
			return readFunction(b, functions)
		case profileString:
			texts = append(texts, string(b))
		}
		return nil
	})
	var all stacks
	for _, b := range samples {
		places, values, e := readSample(b)
		if err = errors.Join(err, e); len(values) < 2 { // the number of ticks and their nanoseconds
			continue
		}
		s := sample{value: int64(values[1])}
		for _, place := range places {
			for _, f := range locations[place] {
				if name := functions[f]; name < uint64(len(texts)) {
					s.stack = append(s.stack, texts[name])
				}
			}
		}
		all = append(all, s)
	}
	return all, err
}

func readSample(b []byte) (places, values []uint64, err error) {
	err = fields(b, func(field int, v uint64, packed []byte) error {
		var into *[]uint64
		switch field {
		case sampleLocation:
			into = &places
		case sampleValue:
			into = &values
		default:
			return nil
		}
		if packed == nil {
			*into = append(*into, v)
			return nil
		}
		for len(packed) > 0 {
			v, n := binary.Uvarint(packed)
			if n <= 0 {
				return errProfile
			}
			*into, packed = append(*into, v), packed[n:]
		}
		return nil
	})
	return places, values, err
}

// readLocation notes the functions at a place in the code: one, or several of
// which each is inlined into the next.
func readLocation(b []byte, into map[uint64][]uint64) error {
	var id uint64
	var functions []uint64
	err := fields(b, func(field int, v uint64, line []byte) error {
		switch field {
		case locationID:
			id = v
		case locationLine:
			return fields(line, func(field int, v uint64, _ []byte) error {
				if field == lineFunction {
					functions = append(functions, v)
				}
				return nil
			})
		}
		return nil
	})
	into[id] = functions
	return err
}

func readFunction(b []byte, into map[uint64]uint64) error {
	var id, name uint64
	err := fields(b, func(field int, v uint64, _ []byte) error {
		switch field {
		case functionID:
			id = v
		case functionNameIndex:
			name = v
		}
		return nil
	})
	into[id] = name
	return err
}

// fields walks the fields of a protobuf message: numbers as v, what has a
// length as bytes, which are not nil.
func fields(b []byte, see func(field int, v uint64, bytes []byte) error) error {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return errProfile
		}
		b = b[n:]
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return errProfile
		}
		b = b[n:]
		var inside []byte
		switch tag & 7 {
		case 0: // a number
		case 2: // bytes
			if v > uint64(len(b)) {
				return errProfile
			}
			inside, b = b[:v:v], b[v:]
			if inside == nil {
				inside = []byte{}
			}
		default: // profiles have no others
			return errProfile
		}
		if err := see(int(tag>>3), v, inside); err != nil {
			return err
		}
	}
	return nil
}
