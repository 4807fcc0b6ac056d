package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/toolcrib/toolcrib"
)

// ErrFileChanged says that somebody else changed the file between reading and
// writing it. The edit can be made again.
var ErrFileChanged = errors.New("the file changed since it was read")

// Bounds of Write and Update.
const (
	lockWait  = 10 * time.Second // for others that write in the same folder
	lockPause = 5 * time.Millisecond
	maxTries  = 100 // of an edit whose file keeps changing
	maxLinks  = 40
)

// Update makes an edit and writes it, again and again while others change the
// file in between, so that the edits of all take effect.
func Update(edit func() (*Edited, error)) (*Edited, error) {
	for try := 1; ; try++ {
		e, err := edit()
		if err != nil {
			return nil, err
		}
		if err = e.Write(); err == nil || !errors.Is(err, ErrFileChanged) || try == maxTries {
			return e, err
		}
	}
}

// Write puts the edited text in the place of the file: whole or not at all, also
// when the power fails. The file keeps its mode and owner; a new one gets mode 0600,
// and its folder 0700. A link is followed. Writers of one folder wait for each
// other; the error wraps ErrFileChanged when the file is no longer what the edit
// was made of. All errors are of KindConfig.
func (e *Edited) Write() error {
	target, err := FollowLinks(e.Path)
	if err != nil {
		return e.failed(err)
	}
	dir := filepath.Dir(target)
	if e.Before == nil {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return e.failed(err)
		}
	}
	unlock, err := lockFolder(dir, lockWait)
	if err != nil {
		return e.failed(err)
	}
	defer unlock()
	info, err := e.unchanged(target)
	if err != nil || !e.Changed() {
		return err
	}
	if err := replaceFile(target, e.After, info); err != nil {
		return e.failed(err)
	}
	return nil
}

// unchanged reads the file again. info is nil when there is still none.
func (e *Edited) unchanged(target string) (fs.FileInfo, error) {
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist) && e.Before == nil:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, e.changedMeanwhile()
	case err != nil:
		return nil, e.failed(err)
	case !info.Mode().IsRegular():
		return nil, configError(e.Path+" is not a plain file, so it can't be edited", "name a file with --config", nil)
	case info.Mode().Perm()&0o200 == 0:
		return nil, configError(e.Path+" is write-protected", "make it writable: chmod u+w "+e.Path, nil)
	}
	now, err := os.ReadFile(target)
	if err != nil {
		return nil, e.failed(err)
	}
	if e.Before == nil || !bytes.Equal(now, e.Before) {
		return nil, e.changedMeanwhile()
	}
	return info, nil
}

func (e *Edited) changedMeanwhile() error {
	return configError(e.Path+" changed while it was edited; nothing was written", "run the command again", ErrFileChanged)
}

func (e *Edited) failed(err error) *toolcrib.Error {
	reason, hint := err, "check the folder's permissions and the room on its disk"
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		reason = p.Err
	case errors.As(err, &l):
		reason = l.Err
	}
	if errors.Is(err, fs.ErrPermission) {
		hint = "a new file is written beside it and takes its place, so this user must be able to write to the folder"
	}
	return configError(fmt.Sprintf("%s can't be written: %v", e.Path, reason), hint, err)
}

// FollowLinks is the file that a path leads to, also when that is missing.
func FollowLinks(path string) (string, error) {
	for range maxLinks {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return path, nil // what else is wrong with it shows when it is read
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", errors.New("too many links lead on from it")
}

// replaceFile writes a new file beside target and renames it. info is the old
// file's, nil when there is none.
func replaceFile(target string, text []byte, info fs.FileInfo) error {
	dir := filepath.Dir(target)
	f, err := os.CreateTemp(dir, "."+filepath.Base(target)+".*.tmp") // mode 0600
	if err != nil {
		return err
	}
	err = fill(f, text, info)
	if err == nil {
		err = os.Rename(f.Name(), target)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	return syncFolder(dir)
}

// fill writes and closes the new file, with the rights of the old.
func fill(f *os.File, text []byte, info fs.FileInfo) error {
	_, err := f.Write(text)
	if err == nil && info != nil {
		keepOwner(f, info)
		err = f.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
