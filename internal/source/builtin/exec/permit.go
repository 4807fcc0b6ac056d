package exec

import (
	"slices"
	"sync"

	"github.com/toolcrib/toolcrib"
)

// mostPermits bounds the permits that no call came for; the oldest goes first.
const mostPermits = 1024

// permits are the yeses of people to calls that are about to run.
type permits struct {
	mu   sync.Mutex
	open []permit
}

// permit is for one run of one call with these arguments.
type permit struct{ session, caller, agent, run, id, args string }

func permitOf(c toolcrib.Call) permit {
	return permit{c.Scope.Session, c.Scope.Caller, c.Scope.Agent, c.Scope.Run, c.ID, string(c.Args)}
}

func (x *permits) add(c toolcrib.Call) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.open) == mostPermits {
		x.open = slices.Delete(x.open, 0, 1)
	}
	x.open = append(x.open, permitOf(c))
}

// take uses a permit up; false says that there is none.
func (x *permits) take(c toolcrib.Call) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	at := slices.Index(x.open, permitOf(c))
	if at < 0 {
		return false
	}
	x.open = slices.Delete(x.open, at, at+1)
	return true
}
