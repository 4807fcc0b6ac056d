package memory

import (
	"sync"

	"github.com/toolcrib/toolcrib/internal/approval"
	"github.com/toolcrib/toolcrib/internal/session"
	"github.com/toolcrib/toolcrib/internal/store"
	"github.com/toolcrib/toolcrib/internal/token"
)

// MaxEvents is how many events are kept.
const MaxEvents = 20_000

// Store keeps everything in memory. The zero value isn't usable: see New.
type Store struct {
	sessions  sessions
	approvals approvals
	tokens    tokens
	pins      pins
	results   results
}

// New returns an empty store.
func New() *Store {
	return &Store{
		sessions: sessions{known: map[string]*known{}},
		pins:     pins{all: map[[2]string]store.Pin{}},
		results:  results{all: map[string]store.Result{}, order: map[string]int{}},
	}
}

// Sessions returns the events' part.
func (s *Store) Sessions() session.Store { return &s.sessions }

// Approvals returns the grants' and questions' part.
func (s *Store) Approvals() approval.Store { return &s.approvals }

// Tokens returns the tokens' part.
func (s *Store) Tokens() token.Store { return &s.tokens }

// Pins returns the pins' part.
func (s *Store) Pins() store.Pins { return &s.pins }

// Results returns the kept results' part.
func (s *Store) Results() store.Results { return &s.results }

// Close does nothing; what was kept stays as long as the Store is held.
func (s *Store) Close() error { return nil }

// guarded is a lock with the two ways to hold it.
type guarded struct{ mu sync.Mutex }

func (g *guarded) lock() (unlock func()) {
	g.mu.Lock()
	return g.mu.Unlock
}
