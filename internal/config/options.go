package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
)

// MaxFileBytes is the largest configuration file, and the largest file that
// ${file:PATH} or envFile reads.
const MaxFileBytes = 8 << 20

// Options is all that Load, ConfigPath, StateDir and CacheDir may know of the process.
type Options struct {
	// Path is the explicit file, of --config; empty when none was given.
	Path string
	// Environ holds NAME=VALUE pairs, as os.Environ gives them.
	Environ []string
	// Home is the user's home folder.
	Home string
	// Flags holds PATH=VALUE pairs such as "gateway.listen=127.0.0.1:8000", the strongest layer.
	Flags []string
	// FlagNames says how the command line calls a path of Flags, such as
	// "gateway.listen": "--listen"; errors and origins then name that.
	FlagNames map[string]string
	// Reserved names TOOLCRIB_ variables beside TOOLCRIB_CONFIG and TOOLCRIB_LOG_LEVEL that are not keys.
	Reserved []string
	// GOOS is the system whose folders are meant; empty means this one.
	GOOS string
	// Again is set where the file was read before: Load then takes a plain file only,
	// since a pipe such as /dev/stdin has given what it had.
	Again bool
	// Open opens a file; nil means OpenPlain, and a wait of ten seconds at most for
	// the end of a pipe or device that somebody named.
	Open func(path string) (fs.File, error)

	patience time.Duration // for a pipe; 0 is pipeTime
}

func (o Options) goos() string {
	if o.GOOS != "" {
		return o.GOOS
	}
	return runtime.GOOS
}

// env returns a variable of the environment. The last of several wins; Windows ignores case.
func (o Options) env(name string) (string, bool) {
	for i := len(o.Environ) - 1; i >= 0; i-- {
		n, v, ok := strings.Cut(o.Environ[i], "=")
		if ok && (n == name || o.goos() == "windows" && strings.EqualFold(n, name)) {
			return v, true
		}
	}
	return "", false
}

// readFile reads a whole file of at most MaxFileBytes. Its errors name the path
// and what to try; a file that isn't there satisfies errors.Is(err, fs.ErrNotExist).
// Of a pipe or a device it reads what comes in time if streamed says so.
func (o Options) readFile(path string, streamed bool) ([]byte, error) {
	read := o.readPlain
	if o.Open == nil && streamed && streams(path) {
		read = func(path string) ([]byte, error) {
			return readStream(path, MaxFileBytes+1, cmp.Or(o.patience, pipeTime))
		}
	}
	data, err := read(path)
	if known := (*toolcrib.Error)(nil); errors.As(err, &known) {
		return nil, err
	}
	if err != nil {
		return nil, readError(path, err)
	}
	if len(data) > MaxFileBytes {
		return nil, configError(fmt.Sprintf("%s is larger than %d MiB", path, MaxFileBytes>>20), "is it the right file?", nil)
	}
	return data, nil
}

// readPlain reads a plain file, at most one byte more than is allowed.
func (o Options) readPlain(path string) ([]byte, error) {
	open := o.Open
	if open == nil {
		open = func(path string) (fs.File, error) { return OpenPlain(path) }
	}
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if info.IsDir() {
		return nil, configError(path+" is a folder, not a file", "name a file, such as "+path+"/config.json5", nil)
	}
	return io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
}

func readError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return configError(path+" does not exist", "check the path", err)
	case errors.Is(err, fs.ErrPermission):
		return configError(path+" may not be read by this user", "change its owner or its permissions", err)
	case errors.Is(err, errNotPlain):
		return configError(path+" is no plain file", "put a plain file there", err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return configError(path+" is a pipe or a device, and nothing ended it in time", "see what writes to it, or name a plain file", err)
	}
	var p *fs.PathError
	reason := err
	if errors.As(err, &p) {
		reason = p.Err
	}
	return configError(fmt.Sprintf("%s can't be read: %v", path, reason), "", err)
}

func configError(message, hint string, cause error) *toolcrib.Error {
	e := toolcrib.NewError(toolcrib.KindConfig, message, hint)
	if cause != nil {
		return e.WithCause(cause)
	}
	return e
}
