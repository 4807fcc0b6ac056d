package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// maxSocketPath is the longest path that every system takes for a Unix socket.
const maxSocketPath = 103

// Paths says where the files of one configuration are.
type Paths struct {
	// Config is the file that Load reads, absolute; empty when no home folder is known.
	Config string
	// Exists is false when there is no such file.
	Exists             bool
	StateDir, CacheDir string
	// Socket is the control socket of a gateway with this configuration.
	Socket string
}

// Locate says where everything is without reading the file, so that a command
// finds a running gateway fast, and also when the file is broken by now.
func Locate(o Options) (Paths, error) {
	var p Paths
	if path, _, err := ConfigPath(o); err == nil {
		p.Config = absolutePath(path)
	}
	var stateErr, cacheErr error
	p.StateDir, stateErr = StateDir(o)
	p.CacheDir, cacheErr = CacheDir(o)
	if err := errors.Join(stateErr, cacheErr); err != nil {
		return p, err
	}
	if p.Config != "" {
		_, err := os.Stat(p.Config)
		p.Exists = !errors.Is(err, fs.ErrNotExist)
	}
	p.Socket = o.socket(p.StateDir, p.Config)
	return p, nil
}

// socket names the control socket after the configuration's path: one gateway a
// configuration. It is in the state folder, or in $XDG_RUNTIME_DIR where that
// path would be too long for a socket.
func (o Options) socket(stateDir, configPath string) string {
	sum := sha256.Sum256([]byte(configPath))
	name := "gateway-" + hex.EncodeToString(sum[:4]) + ".sock"
	path := filepath.Join(stateDir, name)
	if runtime, _ := o.env("XDG_RUNTIME_DIR"); len(path) > maxSocketPath && o.absolute(runtime) {
		return filepath.Join(runtime, "toolcrib", name)
	}
	return path
}
