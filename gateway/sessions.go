package gateway

import (
	"crypto/rand"
	"sync"

	"github.com/toolcrib/toolcrib"
)

// sessions is the set of open sessions, which are told when tools change.
type sessions struct {
	mu     sync.Mutex
	open   map[*Session]string // and by what its client is known after a restart
	closed bool
}

// add enters s; false when the gateway has been closed.
func (x *sessions) add(s *Session) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return false
	}
	if x.open == nil {
		x.open = map[*Session]string{}
	}
	x.open[s] = ""
	return true
}

// know notes by what the client of an open session is known after a restart.
func (x *sessions) know(s *Session, identity string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, ok := x.open[s]; ok {
		x.open[s] = identity
	}
}

// identity says by what the client of a session is known after a restart, "" when
// it won't be.
func (x *sessions) identity(scope toolcrib.Scope) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	for s, identity := range x.open {
		if s.scope.Session == scope.Session {
			return identity
		}
	}
	return ""
}

// remove takes s out; false when it wasn't there.
func (x *sessions) remove(s *Session) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	_, ok := x.open[s]
	delete(x.open, s)
	return ok
}

// changed tells every session that tools may have changed.
func (x *sessions) changed() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for s := range x.open {
		if s.changed != nil {
			s.changed()
		}
	}
}

// count is how many are open.
func (x *sessions) count() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.open)
}

// close refuses further sessions and returns those that are open.
func (x *sessions) close() []*Session {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	rest := make([]*Session, 0, len(x.open))
	for s := range x.open {
		rest = append(rest, s)
	}
	return rest
}

// newID returns an id that nobody can guess.
func newID() string { return rand.Text() }
