package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	noteDamage = "blipd.damaged" // in a directory that was found damaged while it was in use: why
	noteOrigin = "blipd.rebuilt" // in a directory that began because another was damaged: an Origin
	asideMark  = ".damaged-"     // in the name of a directory that was set aside, before the time
	asideTime  = "20060102T150405.000Z"
)

// Within AsideWithin, SetAside sets at most MostAside directories aside: what is
// damaged more often than that will be damaged again, and somebody should look at the
// disk, or at blipd.
const (
	MostAside   = 3
	AsideWithin = 24 * time.Hour
)

// Origin says that state began because another directory was damaged.
type Origin struct {
	Aside string        `json:"set_aside"` // where that is
	Why   string        `json:"why"`
	At    time.Time     `json:"at"`
	Late  map[int]int64 `json:"late,omitempty"` // where the log of a partition began then, if not at 0: what was before is not counted again
}

// Condemn notes that damage was found while the directory was in use: the next Open
// fails with it.
func (s *Store) Condemn(why error) error {
	if err := os.WriteFile(filepath.Join(s.config.Dir, noteDamage), []byte(why.Error()+"\n"), 0o640); err != nil {
		return fmt.Errorf("state: note that %s is damaged: %w", s.config.Dir, err)
	}
	return nil
}

// condemned is the error that Condemn has noted, if any.
func condemned(dir string) error {
	why, err := os.ReadFile(filepath.Join(dir, noteDamage))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("state: open %s: %w: %w", dir, err, ErrUnusable)
	}
	return damaged("state: open %s: it was found damaged while it was in use (%s): %s", dir, noteDamage, strings.TrimSpace(string(why)))
}

// SetAside renames a damaged directory, which nobody has open, and makes an empty one
// in its place that says so. Nothing is deleted. Where the directory itself cannot be
// renamed, as a mount point, its files go into a new one within it. An error is
// ErrUnusable, and leaves the directory where it was.
func SetAside(dir string, why error, now time.Time) (*Origin, error) {
	fail := func(err error) (*Origin, error) {
		return nil, fmt.Errorf("state: set %s aside: %w: %w", dir, err, ErrUnusable)
	}
	lock, err := lockDir(dir) // whoever else starts now finds it damaged too, or gone
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	before, err := asideBefore(dir, now)
	if err != nil {
		return fail(err)
	}
	if len(before) >= MostAside {
		return fail(fmt.Errorf("%d directories were set aside within %v, the last is %s: look at the disk and at the log of the kernel, then start again with an empty directory", len(before), AsideWithin, before[len(before)-1]))
	}
	name := asideMark + now.UTC().Format(asideTime)
	origin := &Origin{Aside: filepath.Clean(dir) + name, Why: why.Error(), At: now.UTC()}
	if _, err := os.Lstat(origin.Aside); !errors.Is(err, os.ErrNotExist) {
		return fail(fmt.Errorf("%s is there already", origin.Aside))
	}
	if err := os.Rename(dir, origin.Aside); err != nil {
		origin.Aside = filepath.Join(dir, strings.TrimPrefix(name, "."))
		if err := moveWithin(dir, origin.Aside); err != nil {
			return fail(err)
		}
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fail(err)
	}
	return origin, origin.Write(dir)
}

// asideBefore lists what was set aside within AsideWithin before now, oldest first.
func asideBefore(dir string, now time.Time) (recent []string, err error) {
	for _, pattern := range []string{filepath.Clean(dir) + asideMark + "*", filepath.Join(dir, strings.TrimPrefix(asideMark, ".")+"*")} {
		all, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		for _, path := range all {
			_, stamp, _ := strings.Cut(filepath.Base(path), strings.TrimPrefix(asideMark, "."))
			if at, err := time.Parse(asideTime, stamp); err == nil && now.Sub(at) < AsideWithin {
				recent = append(recent, path)
			}
		}
	}
	return recent, nil
}

// moveWithin moves all files of a directory into a new one within it. The MANIFEST
// goes first: what a kill leaves behind is then seen to be damaged, and moved the next
// time.
func moveWithin(dir, to string) error {
	if err := os.Mkdir(to, 0o750); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	names := []string{"MANIFEST"}
	for _, e := range entries {
		if !e.IsDir() && e.Name() != "MANIFEST" && e.Name() != noteLock {
			names = append(names, e.Name())
		}
	}
	for _, name := range names {
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(to, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Write keeps an Origin in the directory that has begun so.
func (o *Origin) Write(dir string) error {
	bytes, err := json.MarshalIndent(o, "", " ")
	if err == nil {
		half := filepath.Join(dir, noteOrigin+".new")
		if err = os.WriteFile(half, append(bytes, '\n'), 0o640); err == nil {
			err = os.Rename(half, filepath.Join(dir, noteOrigin))
		}
	}
	if err != nil {
		return fmt.Errorf("state: note in %s that it began anew: %w", dir, err)
	}
	return nil
}

// ReadOrigin tells whether the state in a directory began because another was
// damaged; nil when not, or when somebody has removed the note, blipd.rebuilt.
func ReadOrigin(dir string) (*Origin, error) {
	bytes, err := os.ReadFile(filepath.Join(dir, noteOrigin))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var o Origin
	if err == nil {
		err = json.Unmarshal(bytes, &o)
	}
	if err != nil {
		return nil, fmt.Errorf("state: read %s of %s: %w", noteOrigin, dir, err)
	}
	return &o, nil
}
