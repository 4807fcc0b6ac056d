package session

import (
	"context"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Store keeps events. It is safe for concurrent use, by several processes too
// where it lies on a disk. Errors are *toolcrib.Error and say what to do.
type Store interface {
	// Append keeps all of the events, in their order, or none. They are kept when
	// it returns nil: the end of the process takes none of them away. Seq and
	// whatever else is not of the caller is given by the store.
	Append(ctx context.Context, events []Event) error
	// Sessions returns the sessions that fit, the newest first.
	Sessions(ctx context.Context, f Filter) ([]Summary, error)
	// Session returns one of them; ok is false when there is no such session.
	Session(ctx context.Context, id string) (s Summary, ok bool, err error)
	// Events returns at most limit events of a session with a Seq greater than
	// after, the oldest first; a limit of 0 means MaxEvents.
	Events(ctx context.Context, session string, after int64, limit int) ([]Event, error)
	// Totals returns what was done since a time, by agent in the order of the names;
	// of a session that began before, all of it counts when its last event is newer.
	Totals(ctx context.Context, since time.Time) ([]Total, error)
	// Prune forgets events older than before, and the oldest of those that are
	// more than keep (0 for no such bound), and sessions that have none left. It
	// returns how many events went.
	Prune(ctx context.Context, before time.Time, keep int) (int, error)
}

// Bounds of what one question returns.
const (
	DefaultSessions = 50
	MaxSessions     = 1000
	MaxEvents       = 10_000
)

// Filter narrows a list of sessions. The zero value doesn't.
type Filter struct {
	Agent string
	// Before takes sessions whose last event has a smaller Seq: the Last of the
	// last one on the page before. 0 for the first page.
	Before int64
	// Limit is how many; DefaultSessions if 0, MaxSessions at most.
	Limit int
}

// Bounded returns the filter with its limit in bounds.
func (f Filter) Bounded() Filter {
	if f.Limit <= 0 {
		f.Limit = DefaultSessions
	}
	f.Limit = min(f.Limit, MaxSessions)
	return f
}

// Summary is a session in a list.
type Summary struct {
	ID      string
	Agent   string
	Client  string
	Caller  string
	Door    string
	Mode    string
	Started time.Time
	Ended   time.Time // of the last event
	// Last is the Seq of the last event.
	Last int64
	// Counts of what was done: all of it, what was pruned too.
	Events, Searches, Describes, Calls, Failed, Refused int
	Cost
}

// Cost is what models were shown, and what it would have been without Tool Search.
type Cost struct {
	// Shows counts the times that a list of tools is known to have been shown: each
	// request to a model or, where the client asks the model, each list that it got.
	Shows int
	// Bytes is the sum of those lists, and DirectBytes that of lists of all tools.
	Bytes, DirectBytes int64
	// InputTokens and OutputTokens are what models counted.
	InputTokens, OutputTokens int64
}

// Total is what was done for one agent.
type Total struct {
	Agent                                                 string
	Sessions, Searches, Describes, Calls, Failed, Refused int
	Cost
}

// Add counts a session in.
func (t *Total) Add(s Summary) {
	t.Sessions++
	t.Searches += s.Searches
	t.Describes += s.Describes
	t.Calls += s.Calls
	t.Failed += s.Failed
	t.Refused += s.Refused
	t.Cost.add(s.Cost)
}

func (c *Cost) add(o Cost) {
	c.Shows += o.Shows
	c.Bytes += o.Bytes
	c.DirectBytes += o.DirectBytes
	c.InputTokens += o.InputTokens
	c.OutputTokens += o.OutputTokens
}

// CostOf is what an event adds. A model that the gateway asks by itself is shown a
// list with each request; one that a client asks, whenever the client gets a list.
func CostOf(e Event) Cost {
	var c Cost
	asked := e.Kind == KindRequest
	if e.Shown != nil && (asked || e.Door == toolcrib.DoorMCP && (e.Kind == KindStart || e.Kind == KindList)) {
		c.Shows, c.Bytes, c.DirectBytes = 1, int64(e.Shown.Bytes), int64(e.Shown.DirectBytes)
	}
	if asked && e.Usage != nil {
		c.InputTokens, c.OutputTokens = int64(e.Usage.Input), int64(e.Usage.Output)
	}
	return c
}

// Add counts an event in; stores keep their summaries with it.
func (s *Summary) Add(e Event) {
	if s.Events == 0 {
		s.ID, s.Started = e.Session, e.Time
	}
	s.Agent, s.Client = keep(s.Agent, e.Agent), keep(s.Client, e.Client)
	s.Caller, s.Door = keep(s.Caller, e.Caller), keep(s.Door, string(e.Door))
	if e.Shown != nil {
		s.Mode = e.Shown.Mode
	}
	s.Ended, s.Last = e.Time, max(s.Last, e.Seq)
	s.Events++
	s.Cost.add(CostOf(e))
	switch e.Kind {
	case KindSearch:
		s.Searches++
	case KindDescribe:
		s.Describes++
	case KindCall:
		s.Calls++
		switch e.Outcome {
		case Failed:
			s.Failed++
		case Refused:
			s.Refused++
		}
	}
}

// keep is what is known first.
func keep(known, now string) string {
	if known != "" {
		return known
	}
	return now
}
