package toolsearch

import (
	"slices"
	"strings"
	"sync"

	"github.com/toolcrib/toolcrib"
)

// remembered is how many searches of one session are remembered.
const remembered = 64

// Memory remembers which searches of a session found nothing, so that a
// repeated one can be told so. It is bounded and safe for concurrent use.
type Memory struct {
	mu       sync.Mutex
	max      int
	sessions map[sessionKey][]string
	order    []sessionKey // oldest first
}

type sessionKey struct{ caller, agent, session string }

// NewMemory returns a memory for at most that many sessions; older ones are forgotten.
func NewMemory(sessions int) *Memory {
	return &Memory{max: max(sessions, 1), sessions: map[sessionKey][]string{}}
}

// repeated notes a search that found nothing and reports whether the session
// has made the same one, of the same catalog, before.
func (m *Memory) repeated(s toolcrib.Scope, fingerprint, query string) bool {
	key := sessionKey{s.Caller, s.Agent, s.Session}
	note := fingerprint + " " + strings.ToLower(strings.Join(strings.Fields(clipText(query, maxQueryBytes)), " "))
	m.mu.Lock()
	defer m.mu.Unlock()
	notes, known := m.sessions[key]
	if slices.Contains(notes, note) {
		return true
	}
	if !known {
		m.order = append(m.order, key)
		if len(m.order) > m.max {
			delete(m.sessions, m.order[0])
			m.order = slices.Delete(m.order, 0, 1)
		}
	}
	if len(notes) >= remembered {
		notes = notes[1:]
	}
	m.sessions[key] = append(notes, note)
	return false
}
