package invoke

import (
	"sync"

	"github.com/toolcrib/toolcrib"
)

// relay passes progress on until the call has returned, and nothing after: a
// tool that ignores its deadline may go on reporting.
type relay struct {
	mu sync.Mutex
	to func(toolcrib.Progress)
}

// relayed returns what a source reports to, nil when nobody listens, and what
// ends it.
func relayed(to func(toolcrib.Progress)) (send func(toolcrib.Progress), stop func()) {
	if to == nil {
		return nil, func() {}
	}
	r := &relay{to: to}
	return r.send, r.stop
}

func (r *relay) send(p toolcrib.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.to != nil {
		r.to(p)
	}
}

func (r *relay) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to = nil
}
