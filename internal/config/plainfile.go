package config

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// pipeTime is how long a pipe or a device that somebody named may take to end.
const pipeTime = 10 * time.Second

// errNotPlain says that a path leads to a pipe, a device or a socket.
var errNotPlain = errors.New("it is no plain file")

// OpenPlain opens a plain file to be read. It fails at once for whatever else is
// there: to open a pipe would wait for somebody who writes to it, maybe for ever.
// A folder is opened, too; its Stat tells.
func OpenPlain(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && !readsAtOnce(info) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errNotPlain}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|atOnce, 0) // it may have become another since
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !readsAtOnce(info) {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.Join(err, errNotPlain)}
	}
	return f, nil
}

// readsAtOnce reports whether a file can be opened without waiting for anybody.
func readsAtOnce(info fs.FileInfo) bool { return info.Mode().IsRegular() || info.IsDir() }

// streams reports whether a path leads to a pipe or a device of characters, such
// as /dev/stdin or what <(command) is for a shell.
func streams(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0
}

// readStream reads what streams, at most limit bytes, and waits for its end at
// most patience. What it waits for may hold its goroutine for longer.
func readStream(path string, limit int64, patience time.Duration) ([]byte, error) {
	type outcome struct {
		data []byte
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		f, err := os.Open(path)
		if err != nil {
			done <- outcome{err: err}
			return
		}
		defer f.Close()
		data, err := io.ReadAll(io.LimitReader(f, limit))
		done <- outcome{data, err}
	}()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case o := <-done:
		return o.data, o.err
	case <-late.C:
		return nil, &fs.PathError{Op: "read", Path: path, Err: os.ErrDeadlineExceeded}
	}
}
