package attach

import (
	"bytes"
	"maps"
	"slices"
	"time"
)

// Bounds of what is kept in mind.
const (
	// maxFlights bounds the requests without an answer, in each direction.
	maxFlights = 4096
	// maxKept bounds a request that is kept to be sent again, in bytes; a
	// handshake is kept whatever its length.
	maxKept = 16 << 10
	// maxRepeats bounds how often one is: it may be what ends the gateway.
	maxRepeats = 2
)

// flight is one request of the client that has no answer yet.
type flight struct {
	id        []byte
	key       string
	method    string
	order     int
	line      []byte // to be sent again; nil for what may have had an effect
	repeats   int
	waiting   bool   // for a gateway, to be sent again
	cancelled bool   // by the client, which wants no answer any more
	held      []byte // an answer that is held back, see hold
}

// repeatable are the requests that only ask. They are asked again at another
// gateway, and the client notices nothing.
func repeatable(method string) bool {
	switch method {
	case "server/discover", methodPing, methodListen, methodSetLevel, "tools/list",
		"prompts/list", "resources/list", "resources/templates/list":
		return true
	}
	return false
}

// ledger knows who waits for whose answer.
type ledger struct {
	flights map[string]*flight
	count   int
	last    time.Time // when a request that does more than ask came or was answered
	// asked are the requests of the present gateway to the client, by key, and
	// stale those of former ones that the client has not answered.
	asked map[string][]byte
	stale map[string]bool
}

func newLedger() ledger {
	return ledger{flights: map[string]*flight{}, asked: map[string][]byte{}, stale: map[string]bool{}}
}

// open enters a request whose id is free.
func (l *ledger) open(m *message) {
	l.count++
	f := &flight{id: bytes.Clone(m.id), key: m.key, method: m.method, order: l.count}
	if m.method == methodInitialize || repeatable(m.method) && len(m.raw) <= maxKept {
		f.line = append(bytes.Clone(m.raw), '\n')
	}
	l.flights[m.key] = f
	l.touch(f)
}

func (l *ledger) touch(f *flight) {
	if f != nil && !repeatable(f.method) {
		l.last = time.Now()
	}
}

// close takes a request out that has got its answer; nil when there is none.
func (l *ledger) close(key string) *flight {
	f := l.flights[key]
	delete(l.flights, key)
	l.touch(f)
	return f
}

// inOrder returns the open requests in the order in which they came.
func (l *ledger) inOrder() []*flight {
	return slices.SortedFunc(maps.Values(l.flights), func(a, b *flight) int { return a.order - b.order })
}

// lost sorts the open requests when the gateway has ended: those that can be
// asked again wait for another one, the others are returned to be answered. It
// returns the requests of the gateway, too, whose answers nobody wants any more.
func (l *ledger) lost(again bool) (failed []*flight, asked [][]byte) {
	for _, f := range l.inOrder() {
		f.held = nil
		switch {
		case f.cancelled:
			delete(l.flights, f.key)
		case f.waiting: // it was not even sent
		case again && f.line != nil && f.repeats < maxRepeats:
			f.repeats++
			f.waiting = true
		default:
			delete(l.flights, f.key)
			failed = append(failed, f)
		}
	}
	if len(l.stale) > maxFlights {
		clear(l.stale)
	}
	for key, id := range l.asked {
		asked = append(asked, id)
		l.stale[key] = true
	}
	clear(l.asked)
	return failed, asked
}

// waiting are the requests that wait to be sent again.
func (l *ledger) waiting() (all []*flight) {
	for _, f := range l.inOrder() {
		if f.waiting {
			all = append(all, f)
		}
	}
	return all
}

// busy reports whether an answer is owed; a subscription is none.
func (l *ledger) busy() bool {
	for _, f := range l.flights {
		if f.method != methodListen && !f.cancelled {
			return true
		}
	}
	return false
}

// owed reports whether a request is going on that does more than ask.
func (l *ledger) owed() bool {
	for _, f := range l.flights {
		if !repeatable(f.method) {
			return true
		}
	}
	return false
}
