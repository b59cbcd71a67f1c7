package state

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"strings"
)

// badgerLog passes on what Badger complains of: it tries again without end what it
// cannot write, and otherwise nobody would know.
type badgerLog struct{ log *slog.Logger }

func (b badgerLog) Errorf(format string, args ...any) { b.say(slog.LevelError, format, args) }

// Warningf leaves out what is said of caches every minute: they are small on purpose.
func (b badgerLog) Warningf(format string, args ...any) {
	if !strings.Contains(strings.ToLower(format), "cache") && !strings.HasPrefix(format, "%s might be too small") {
		b.say(slog.LevelWarn, format, args)
	}
}

func (badgerLog) Infof(string, ...any)  {}
func (badgerLog) Debugf(string, ...any) {}

func (b badgerLog) say(level slog.Level, format string, args []any) {
	if b.log != nil {
		b.log.Log(context.Background(), level, "badger: "+strings.TrimSpace(fmt.Sprintf(format, told(args)...)))
	}
}

// told are the arguments that the log may have. Badger prints keys, and spans of keys,
// as bytes or within structures, and ids of trajectories are in them.
func told(args []any) []any {
	kept := make([]any, len(args))
	for i, a := range args {
		switch kind := reflect.ValueOf(a).Kind(); {
		case kind >= reflect.Bool && kind <= reflect.Complex128, kind == reflect.String:
			kept[i] = a
		default:
			if err, ok := a.(error); ok {
				kept[i] = err
			} else {
				kept[i] = leftOut{}
			}
		}
	}
	return kept
}

// leftOut prints as an ellipsis, whatever the verb.
type leftOut struct{}

// Format is fmt.Formatter's.
func (leftOut) Format(to fmt.State, _ rune) { _, _ = io.WriteString(to, "…") }
