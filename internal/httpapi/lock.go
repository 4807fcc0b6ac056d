package httpapi

import (
	"errors"
	"net"
	"os"

	"github.com/toolcrib/toolcrib"
)

// errLocked is what lockFile returns for a file that another process has locked.
var errLocked = errors.New("httpapi: locked by another process")

// holdLock takes the lock beside a socket, without which two that start at once
// would each take the other's socket for a leftover. The system gives it back
// when the process ends, however it does; the file stays. It is nil where locks
// are not to be had, as on some network folders.
func holdLock(socket string) (*os.File, error) {
	f, err := os.OpenFile(socket+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, socketError(socket, err)
	}
	err = lockFile(f)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, errLocked) {
		return nil, alreadyRuns(socket)
	}
	return nil, nil
}

func alreadyRuns(socket string) error {
	return toolcrib.NewError(toolcrib.KindConfig, "another toolcrib serve of this configuration runs already: it listens at "+socket,
		"use that one, or stop it first")
}

// lockedListener gives the lock back after it has closed the socket.
type lockedListener struct {
	net.Listener
	lock *os.File
}

// Close closes the socket, which removes it, and then lets others have the place.
func (l *lockedListener) Close() error {
	err := l.Listener.Close()
	if l.lock != nil {
		l.lock.Close()
	}
	return err
}
