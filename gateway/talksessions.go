package gateway

import (
	"strings"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Bounds of the sessions of models that are kept open between requests.
const (
	maxTalks = 1000
	talkIdle = time.Hour
)

// talkSessions are the sessions of those who ask models, by who they are and the
// session's name. The one that was used longest ago goes first.
type talkSessions struct {
	gateway *Gateway

	mu   sync.Mutex
	open map[string]*talkSession
}

type talkSession struct {
	*Session
	used time.Time
}

// of returns the session, opened when there is none. What a caller's token may do
// is part of who it is.
func (x *talkSessions) of(scope toolcrib.Scope, name string) (*Session, error) {
	scope.Session = name
	key := strings.Join([]string{name, scope.Caller, scope.Agent, string(scope.Door), narrowText(scope.Narrow), scope.Harness, scope.Provider}, "\x00")
	now := time.Now()
	x.mu.Lock()
	if s := x.open[key]; s != nil {
		s.used = now
		x.mu.Unlock()
		return s.Session, nil
	}
	x.mu.Unlock()
	opened, err := x.gateway.Open(SessionOptions{Scope: scope})
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	if s := x.open[key]; s != nil { // somebody was faster
		s.used = now
		x.mu.Unlock()
		opened.Close()
		return s.Session, nil
	}
	if x.open == nil {
		x.open = map[string]*talkSession{}
	}
	x.open[key] = &talkSession{opened, now}
	idle := x.idle(now)
	x.mu.Unlock()
	for _, s := range idle {
		s.Close()
	}
	return opened, nil
}

// idle takes out the sessions that nobody uses any more; x is locked.
func (x *talkSessions) idle(now time.Time) []*Session {
	var gone []*Session
	oldest := ""
	for key, s := range x.open {
		if now.Sub(s.used) > talkIdle {
			gone = append(gone, s.Session)
			delete(x.open, key)
		} else if oldest == "" || s.used.Before(x.open[oldest].used) {
			oldest = key
		}
	}
	if len(x.open) > maxTalks {
		gone = append(gone, x.open[oldest].Session)
		delete(x.open, oldest)
	}
	return gone
}
