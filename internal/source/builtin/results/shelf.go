package results

import (
	"container/list"
	"crypto/rand"
	"encoding/hex"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
)

// overhead is what an entry costs beside its text, so that many tiny ones are bounded too.
const overhead = 512

// reader is who may read a result.
type reader struct{ session, caller, agent string }

func readerOf(s toolcrib.Scope) reader {
	agent := s.Agent
	if agent == "" {
		agent = toolcrib.DefaultAgent
	}
	return reader{s.Session, s.Caller, agent}
}

type entry struct {
	id      string
	reader  reader
	text    text
	expires time.Time
	place   *list.Element
}

func (e *entry) cost() int { return len(e.text.s) + overhead }

// shelf holds the entries, oldest in front. All of them live equally long, so
// the oldest is also the first to expire.
type shelf struct {
	opts Options

	mu    sync.Mutex
	byID  map[string]*entry
	order *list.List // of *entry
	bytes int
	count map[string]int // entries by session
}

func newShelf(opts Options) *shelf {
	return &shelf{opts: opts, byID: map[string]*entry{}, order: list.New(), count: map[string]int{}}
}

func (s *shelf) keep(r reader, whole []byte) string {
	e := &entry{id: newID(), reader: r, text: newText(whole, s.opts.OneBytes)}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.opts.Now()
	e.expires = now.Add(s.opts.TTL)
	s.expire(now)
	if s.count[r.session] >= s.opts.PerSession {
		s.dropOldestOf(r.session)
	}
	s.put(e)
	for s.bytes > s.opts.TotalBytes && s.order.Len() > 1 {
		s.remove(s.order.Front().Value.(*entry))
	}
	return e.id
}

// find returns the text, or false alike for all reasons why there is none.
func (s *shelf) find(r reader, id string) (text, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(s.opts.Now())
	e, ok := s.byID[id]
	if !ok || e.reader != r {
		return text{}, false
	}
	return e.text, true
}

func (s *shelf) drop(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for el := s.order.Front(); el != nil; {
		e := el.Value.(*entry)
		el = el.Next()
		if e.reader.session == session {
			s.remove(e)
		}
	}
}

func (s *shelf) dropOldestOf(session string) {
	for el := s.order.Front(); el != nil; el = el.Next() {
		if e := el.Value.(*entry); e.reader.session == session {
			s.remove(e)
			return
		}
	}
}

func (s *shelf) expire(now time.Time) {
	for el := s.order.Front(); el != nil; el = s.order.Front() {
		e := el.Value.(*entry)
		if now.Before(e.expires) {
			return
		}
		s.remove(e)
	}
}

func (s *shelf) put(e *entry) {
	s.byID[e.id] = e
	e.place = s.order.PushBack(e)
	s.bytes += e.cost()
	s.count[e.reader.session]++
}

func (s *shelf) remove(e *entry) {
	delete(s.byID, e.id)
	s.order.Remove(e.place)
	s.bytes -= e.cost()
	if s.count[e.reader.session]--; s.count[e.reader.session] == 0 {
		delete(s.count, e.reader.session)
	}
}

// newID returns 128 random bits in hexadecimal.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return "r" + hex.EncodeToString(b[:])
}
