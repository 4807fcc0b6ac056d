package agent

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/model"
)

// Budgets of a run; a zero is the default, a negative one is none.
type Budgets struct {
	Steps  int           // answers of the model; 40
	Time   time.Duration // without the caller's; 30 minutes
	Tokens int64         // input and output of all steps; none
}

// maxParallel bounds how many calls of one step run at once.
const maxParallel = 16

// Options is what an Agent needs.
type Options struct {
	// Store keeps runs; required.
	Store Store
	// Now is the clock, time.Now if nil.
	Now func() time.Time
}

// Agent begins runs and goes on with them. It is safe for concurrent use.
type Agent struct {
	opt Options

	mu    sync.Mutex
	locks map[string]*lock
}

// New checks the options.
func New(opt Options) (*Agent, error) {
	if opt.Store == nil {
		return nil, toolcrib.NewError(toolcrib.KindInternal, "agent: Options needs Store", "")
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	return &Agent{opt: opt, locks: map[string]*lock{}}, nil
}

// Sink takes the answer to the caller. Errors mean that the caller is gone.
type Sink interface {
	// Begin comes before the first Write, with the headers of the provider that
	// tell a caller something.
	Begin(streamed bool, h http.Header) error
	// Write takes the next piece, which is to be sent at once.
	Write(piece []byte) (int, error)
}

// Work is what a Turn is done with. All but Budgets, Ask, Model, System and Observe is required.
type Work struct {
	Provider model.Provider
	Toolbox  Toolbox
	Sink     Sink
	Budgets  Budgets
	// Ask holds the key and the headers for the provider.
	Ask model.Ask
	// Model is the name by which the provider knows the model; "" leaves the caller's.
	Model string
	// System is added to what the operator tells the model. It must be the same
	// for all steps of a run.
	System string
	// Observe is told what happens; it is called by one goroutine at a time, and
	// must not block for long. It may be nil.
	Observe func(Event)
}

// Outcome is what came of a turn.
type Outcome struct {
	// Steps and Usage are those of the whole run.
	Steps int
	Usage model.Usage
	// Handed is how many calls the caller is to run; the run is not over then.
	Handed int
	// Stopped names the budget that ended the run: "steps", "time" or "tokens".
	Stopped string
	// Begun is true when the answer was begun: an error was reported in it.
	Begun bool
}

// EventKind sorts what is observed.
type EventKind string

// What is observed.
const (
	EventAsk    EventKind = "ask"    // the model is asked: Step, Bytes, ToolBytes, Tools
	EventText   EventKind = "text"   // it says something: Text
	EventSaid   EventKind = "said"   // it has ended its answer: Said
	EventCall   EventKind = "call"   // a call begins: Call
	EventResult EventKind = "result" // it has ended: Call, Answer, Took
	EventHand   EventKind = "hand"   // the caller is to run Call, under Call.ID
)

// Event is one thing that happened.
type Event struct {
	Kind EventKind
	Step int
	// Bytes is the size of the request, ToolBytes that of the definitions of its Tools.
	Bytes, ToolBytes, Tools int
	Text                    string
	Said                    model.Said
	Call                    model.Call
	Answer                  Answer
	Took                    time.Duration
}

// lock is one that is given up when nobody wants it any more.
type lock struct {
	held  chan struct{}
	users int
}

// hold waits until nobody else goes on with a run.
func (a *Agent) hold(ctx context.Context, run string) (release func(), err error) {
	a.mu.Lock()
	l := a.locks[run]
	if l == nil {
		l = &lock{held: make(chan struct{}, 1)}
		a.locks[run] = l
	}
	l.users++
	a.mu.Unlock()
	leave := func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(a.locks, run)
		}
	}
	select {
	case l.held <- struct{}{}:
		return func() { <-l.held; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, toolcrib.NewError(toolcrib.KindCanceled, "the caller went away", "").WithCause(context.Cause(ctx))
	}
}

func (b Budgets) filled() Budgets {
	return Budgets{Steps: cmp.Or(b.Steps, 40), Time: cmp.Or(b.Time, 30*time.Minute), Tokens: b.Tokens}
}
