package state

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/ristretto/v2/z"
)

// Tables that the MANIFEST does not name are left by a kill: half of one, or one whose
// contents are elsewhere too. Badger deletes them. But a MANIFEST that has lost its end
// leaves such tables as well, and what they hold is nowhere else. So Badger does not
// see them, and they are deleted only if nothing in them is newer than all it has found.

const hidden = ".hidden" // behind the name of a table that Badger should not see

// orphans are tables by their path, with the version of the newest transaction in each.
type orphans map[string]uint64

// hideOrphans renames tables that the MANIFEST does not name.
func hideOrphans(dir string, manifest *badger.Manifest) (orphans, error) {
	if err := unhide(dir); err != nil { // what a kill has left
		return nil, err
	}
	all, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil {
		return nil, err
	}
	found := orphans{}
	for _, path := range all {
		number, err := strconv.ParseUint(strings.TrimSuffix(filepath.Base(path), ".sst"), 10, 64)
		if _, named := manifest.Tables[number]; named || err != nil {
			continue
		}
		_ = contained("read table", func() error { // one that cannot be read holds nothing
			found[path] = 0
			file, err := z.OpenMmapFile(path, os.O_RDONLY, 0)
			if err != nil {
				return err
			}
			t, err := table.OpenTable(file, table.Options{ReadOnly: true, BlockSize: tableBlockSize, ChkMode: options.OnTableRead})
			if err != nil {
				return err
			}
			found[path] = t.MaxVersion()
			return t.Close(-1)
		})
		if err := os.Rename(path, path+hidden); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func unhide(dir string) error {
	all, err := filepath.Glob(filepath.Join(dir, "*"+hidden))
	if err != nil {
		return err
	}
	for _, path := range all {
		if err := os.Rename(path, strings.TrimSuffix(path, hidden)); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes them, unless one has something that is newer than newest.
func (o orphans) remove(newest uint64) error {
	for path, version := range o {
		if version > newest {
			return damaged("table %s holds what %s does not know of", filepath.Base(path), badger.ManifestFilename)
		}
	}
	var errs []error
	for path := range o {
		errs = append(errs, os.Remove(path+hidden))
	}
	return errors.Join(errs...)
}
