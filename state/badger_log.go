package state

import (
	"context"
	"fmt"
	"log/slog"
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
		b.log.Log(context.Background(), level, "badger: "+strings.TrimSpace(fmt.Sprintf(format, args...)))
	}
}
