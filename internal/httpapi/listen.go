package httpapi

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Bounds of a connection. Answers have none: MCP streams stay open.
const (
	headerTimeout  = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// maxSocketPath is the longest path that every system takes for a Unix socket.
const maxSocketPath = 103

// NewServer returns an HTTP server for one of the handlers, with the bounds
// that protect it from slow and oversized headers.
func NewServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(logger(log).Handler(), slog.LevelDebug),
	}
}

// Listen opens a TCP address. One that is in use, or may not be used, is an
// error of kind "config" that says so.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	switch {
	case err == nil:
		return listener, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, toolcrib.NewError(toolcrib.KindConfig, "the address "+address+" is in use: another program, perhaps another toolcrib serve, listens there",
			"stop that one, or choose another port with --listen or gateway.listen").WithCause(err)
	case errors.Is(err, fs.ErrPermission):
		return nil, toolcrib.NewError(toolcrib.KindConfig, "this user may not listen on "+address, "choose a port above 1023 with gateway.listen").WithCause(err)
	}
	return nil, toolcrib.NewError(toolcrib.KindConfig, "cannot listen on "+address+": "+err.Error(),
		"gateway.listen is HOST:PORT, such as 127.0.0.1:7433").WithCause(err)
}

// ListenControl opens the control socket: mode 0600, in a folder that is made,
// or narrowed, to mode 0700. A socket that nobody listens at is replaced; one
// that somebody does is an error of kind "config", and so is a place that another
// process has taken by the lock file beside it. Closing the listener removes the socket.
func ListenControl(path string) (net.Listener, error) {
	if len(path) > maxSocketPath {
		return nil, toolcrib.NewError(toolcrib.KindConfig, "the path of the control socket is too long for a Unix socket: "+path,
			"set XDG_STATE_HOME to a shorter folder")
	}
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, socketError(path, err)
	}
	if err := os.Chmod(folder, 0o700); err != nil {
		return nil, socketError(path, err)
	}
	lock, err := holdLock(path)
	if err != nil {
		return nil, err
	}
	listener, err := listenAt(path)
	if err != nil {
		lock.Close() // nil is fine
		return nil, err
	}
	return &lockedListener{listener, lock}, nil
}

// listenAt opens the socket for whoever has its place.
func listenAt(path string) (net.Listener, error) {
	if err := clearStale(path); err != nil {
		return nil, err
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, socketError(path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		listener.Close()
		return nil, socketError(path, err)
	}
	return listener, nil
}

// clearStale removes a socket that a gateway left behind when it was killed.
func clearStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return socketError(path, err)
	}
	if info.Mode()&fs.ModeSocket == 0 {
		return toolcrib.NewError(toolcrib.KindConfig, path+" is in the way: it is not a socket", "move it away")
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		conn.Close()
		return alreadyRuns(path)
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return socketError(path, err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return socketError(path, err)
	}
	return nil
}

func socketError(path string, err error) error {
	return toolcrib.NewError(toolcrib.KindConfig, "cannot open the control socket "+path+": "+err.Error(),
		"see that its folder belongs to you").WithCause(err)
}
