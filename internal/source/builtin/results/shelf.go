package results

import (
	"container/list"
	"crypto/rand"
	"encoding/hex"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/store"
)

// overhead is what an entry costs beside its text, so that many tiny ones are bounded too.
const overhead = store.ResultCost

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

// shelf holds the entries, in front the oldest, which is the first to expire.
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

func (s *shelf) keep(r reader, whole []byte) *entry {
	e := &entry{id: newID(), reader: r, text: newText(whole, s.opts.OneBytes)}
	s.mu.Lock()
	defer s.mu.Unlock()
	e.expires = s.opts.Now().Add(s.opts.TTL)
	s.add(e)
	return e
}

// adopt takes in a result of a process before this one.
func (s *shelf) adopt(e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID[e.id] == nil {
		s.add(e)
	}
}

// add puts an entry in, and drops what is too old or too much beside it.
func (s *shelf) add(e *entry) {
	s.expire(s.opts.Now())
	if s.count[e.reader.session] >= s.opts.PerSession {
		s.dropOldestOf(e.reader.session)
	}
	s.put(e)
	for el := s.order.Front(); el != nil && s.bytes > s.opts.TotalBytes; {
		old := el.Value.(*entry)
		if el = el.Next(); old != e {
			s.remove(old)
		}
	}
}

// find returns the text if it is the reader's, and whether the id is here at all.
func (s *shelf) find(r reader, id string) (kept text, here, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(s.opts.Now())
	e, here := s.byID[id]
	if !here || e.reader != r {
		return text{}, here, false
	}
	return e.text, true, true
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
	before := s.order.Back()
	for before != nil && before.Value.(*entry).expires.After(e.expires) { // one that was adopted is older
		before = before.Prev()
	}
	if before == nil {
		e.place = s.order.PushFront(e)
	} else {
		e.place = s.order.InsertAfter(e, before)
	}
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
