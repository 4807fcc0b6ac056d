package files

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// temporary starts the names of files that are being written.
const temporary = ".toolcrib-"

// alone waits until no other call changes a file, and returns what ends that.
func (s *Source) alone(ctx context.Context) (func(), error) {
	select {
	case s.changing <- struct{}{}:
		return func() { <-s.changing }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// put gives the file at a spot new content: a new file takes the place of the
// old one, with its permissions, or nothing changes.
func (s *Source) put(ctx context.Context, at spot, data []byte) (os.FileInfo, error) {
	if at.info != nil && at.info.Mode().Perm()&0o200 == 0 {
		return nil, failed("", "%s is read-only", shown(at.path))
	}
	name := temporary + strings.ToLower(rand.Text())
	defer func() {
		if err := at.in.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.opts.Logger.Warn("a file that was being written is left over", "folder", shown(at.in.path), "name", name, "error", err)
		}
	}()
	info, err := s.fresh(at, name, data)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = at.place(name)
	}
	if err != nil {
		return nil, ended(ctx, "write", at.path, err)
	}
	return info, nil
}

// fresh writes a new file beside the one at the spot.
func (s *Source) fresh(at spot, name string, data []byte) (info os.FileInfo, err error) {
	f, err := at.in.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closing := f.Close(); err == nil {
			err = closing
		}
	}()
	if at.info != nil {
		if err := f.Chmod(at.info.Mode().Perm()); err != nil {
			return nil, err
		}
	}
	if err := s.fill(f, data); err != nil {
		return nil, err
	}
	return f.Stat()
}

// fill writes the bytes and waits until the disk has them.
func fill(f *os.File, data []byte) error {
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
}

// place moves the new file to its name, if what is there is still what was there.
func (s spot) place(name string) error {
	root := s.in.root
	if s.info == nil {
		switch err := root.Link(name, s.name); {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrExist):
			return errChanged
		}
		// Not every file system has hard links.
		if _, err := root.Lstat(s.name); !errors.Is(err, fs.ErrNotExist) {
			return errChanged
		}
		return root.Rename(name, s.name)
	}
	now, err := root.Lstat(s.name)
	if err != nil {
		return err
	}
	if !os.SameFile(now, s.info) || now.Size() != s.info.Size() || !now.ModTime().Equal(s.info.ModTime()) {
		return errChanged
	}
	err = root.Rename(name, s.name)
	if errors.Is(err, syscall.EISDIR) {
		return errChanged
	}
	return err
}
