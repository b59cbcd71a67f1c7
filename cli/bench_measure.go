package cli

import (
	"bytes"
	"os"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// cost is what a span of work took of this process.
type cost struct {
	CPU    float64 // seconds, user and system, of all threads
	Wall   float64 // seconds
	Allocs float64 // objects
	Bytes  float64 // of them
}

// costNow is the cost so far.
func costNow() cost {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return cost{CPU: cpuSeconds(), Wall: float64(time.Now().UnixNano()) / 1e9, Allocs: float64(m.Mallocs), Bytes: float64(m.TotalAlloc)}
}

// since is what was spent between two moments.
func (c cost) since(begin cost) cost {
	return cost{c.CPU - begin.CPU, c.Wall - begin.Wall, c.Allocs - begin.Allocs, c.Bytes - begin.Bytes}
}

func (c cost) plus(o cost) cost {
	return cost{c.CPU + o.CPU, c.Wall + o.Wall, c.Allocs + o.Allocs, c.Bytes + o.Bytes}
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

// resident is the resident set of this process in bytes, now and at its
// highest; 0 where the system has no /proc. It is not what wait says of a
// child (ru_maxrss): that begins with the memory of the parent.
func resident() (now, highest int64) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0
	}
	return kilobytes(status, "VmRSS:"), kilobytes(status, "VmHWM:")
}

func kilobytes(status []byte, name string) int64 {
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			n, _ := strconv.ParseInt(string(bytes.Trim(rest, " \tkB\n")), 10, 64)
			return n << 10
		}
	}
	return 0
}

// median is the middle one, or the mean of the two in the middle.
func median(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
