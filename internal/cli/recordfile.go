package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
)

// maxClientFile bounds a client's file, in bytes. Some keep a history in it.
const maxClientFile = 64 << 20

// readClientFile reads another program's file; one that isn't there is nil.
func readClientFile(path string) ([]byte, error) {
	f, err := config.OpenPlain(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fileError(path, "can't be read", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		return nil, toolcrib.NewError(toolcrib.KindConfig, path+" is not a file", "name a file with --file")
	}
	text, err := io.ReadAll(io.LimitReader(f, maxClientFile+1))
	if err != nil {
		return nil, fileError(path, "can't be read", err)
	}
	if len(text) > maxClientFile {
		return nil, toolcrib.NewError(toolcrib.KindLimit, fmt.Sprintf("%s is larger than %d MiB", path, maxClientFile>>20), "is it the right file?")
	}
	return append([]byte{}, text...), nil
}

// fileError says what can't be done with a file, and what to try.
func fileError(path, what string, err error) error {
	reason, hint := err, ""
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		reason = p.Err
	}
	if errors.Is(err, fs.ErrPermission) {
		hint = "change the owner or the permissions of the file and its folder"
	}
	return toolcrib.NewError(toolcrib.KindConfig, fmt.Sprintf("%s %s: %v", path, what, reason), hint).WithCause(err)
}

// swap is a change to another program's file.
type swap struct {
	path string
	// before is what was read, nil for no file; after is what shall be there, nil for no file.
	before, after []byte
}

// do makes the change in one step: a reader sees the old file or the new one.
// The file keeps its mode and owner, and a link stays a link. It refuses a file
// that somebody else has changed since it was read, and one that is write-protected.
func (s swap) do() error {
	if len(s.after) > maxClientFile {
		return toolcrib.NewError(toolcrib.KindLimit, fmt.Sprintf("%s would be larger than %d MiB; nothing was written", s.path, maxClientFile>>20), "is it the right file?")
	}
	if s.after != nil {
		return (&config.Edited{Path: s.path, Before: s.before, After: s.after}).Write()
	}
	if err := s.possible(); err != nil {
		return err
	}
	now, err := readClientFile(s.path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, s.before) {
		return toolcrib.NewError(toolcrib.KindConfig, s.path+" changed in the meantime; nothing was written", "run the command again")
	}
	target, err := config.FollowLinks(s.path)
	if err == nil {
		err = os.Remove(target)
	}
	if err != nil {
		return fileError(s.path, "can't be deleted", err)
	}
	return nil
}

// possible reports a file that may not be changed, before anything is asked or
// written.
func (s swap) possible() error {
	info, err := os.Stat(s.path)
	if err == nil && info.Mode().Perm()&0o200 == 0 {
		return toolcrib.NewError(toolcrib.KindConfig, s.path+" is write-protected; nothing was written", "make it writable: chmod u+w "+shellQuote(s.path))
	}
	return nil // what else is wrong with it shows when it is read
}

// writePrivate writes a file for this user alone, in a folder for this user alone.
func writePrivate(path string, text []byte) error {
	now, err := readClientFile(path)
	if err != nil {
		return err
	}
	return (&config.Edited{Path: path, Before: now, After: text}).Write()
}
