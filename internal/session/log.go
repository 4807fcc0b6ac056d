package session

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Bounds of a Log that its Options may change.
const (
	// DefaultQueue is how many events wait at most to be written.
	DefaultQueue = 4096
	// maxBatch is how many are written at once.
	maxBatch = 512
	// linger is how long an event waits for others to be written with.
	linger = 250 * time.Millisecond
	// appendTime bounds one writing.
	appendTime = 10 * time.Second
	// sayEvery is how often at most the log says that events were dropped.
	sayEvery = time.Minute
)

// Options is what a Log needs. Store is required.
type Options struct {
	// Store gives the store, and may open it first; an error says why there is
	// none now. It is called anew for each batch, and by one goroutine.
	Store func(context.Context) (Store, error)
	// Redactor takes secrets out; nil knows the usual forms alone.
	Redactor *Redactor
	// Args keeps the arguments of calls.
	Args bool
	// Queue is how many events wait at most, DefaultQueue if 0.
	Queue int
	// Now is the clock, time.Now if nil.
	Now func() time.Time
	// Logger is told of events that were dropped; nil discards it.
	Logger *slog.Logger
}

// Log takes events and writes them in the background, many at a time. It is safe
// for concurrent use.
type Log struct {
	opt     Options
	rules   atomic.Pointer[rules]
	queue   chan entry
	dropped atomic.Uint64
	failure atomic.Pointer[string] // of the last writing; nil when it went well

	mu     sync.RWMutex // held for reading while something is put into the queue
	closed bool
	done   chan struct{}

	// These are the writer's own.
	told       uint64    // how many of the dropped have been told
	said       time.Time // when that was
	complained time.Time // when a failure of the store was logged
}

// rules is what is taken out, and replaced whole.
type rules struct {
	redactor *Redactor
	args     bool
}

// entry is a place in the queue. One that somebody waits for has an answer.
type entry struct {
	of     func() Event // nil for one that only asks to be told
	answer chan error
}

// New starts a Log.
func New(o Options) (*Log, error) {
	if o.Store == nil {
		return nil, toolcrib.NewError(toolcrib.KindInternal, "session: Options.Store is missing", "")
	}
	if o.Queue <= 0 {
		o.Queue = DefaultQueue
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	l := &Log{opt: o, queue: make(chan entry, o.Queue), done: make(chan struct{})}
	if o.Redactor == nil {
		var err error
		if o.Redactor, err = NewRedactor(RedactorOptions{}); err != nil {
			return nil, err
		}
	}
	l.Use(o.Redactor, o.Args)
	go l.run()
	return l, nil
}

// Use changes what is taken out of events that are written from now on.
func (l *Log) Use(r *Redactor, args bool) { l.rules.Store(&rules{r, args}) }

// Record takes an event to be written soon. It never waits: when the queue is
// full the event is dropped, counted, and the operator's log says so.
func (l *Log) Record(e Event) {
	l.stamp(&e)
	l.Defer(func() Event { return e })
}

// Defer is Record for an event that takes a while to make: it is made when its
// turn has come. Its Time should be that of now.
func (l *Log) Defer(of func() Event) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		l.dropped.Add(1)
		return
	}
	select {
	case l.queue <- entry{of: of}:
	default:
		l.dropped.Add(1)
	}
}

// Write writes an event for good: it is in the store when Write returns nil.
// Events that were recorded before are written before it or dropped.
func (l *Log) Write(ctx context.Context, e Event) error {
	l.stamp(&e)
	return l.ask(ctx, func() Event { return e })
}

// Flush waits until all that was recorded before is written or dropped.
func (l *Log) Flush(ctx context.Context) error { return l.ask(ctx, nil) }

func (l *Log) ask(ctx context.Context, of func() Event) error {
	answer := make(chan error, 1)
	if err := l.put(ctx, entry{of, answer}); err != nil {
		return err
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return toolcrib.NewError(toolcrib.KindCanceled, "the caller went away before the record was written", "").WithCause(ctx.Err())
	}
}

// put waits for a place in the queue.
func (l *Log) put(ctx context.Context, e entry) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		return toolcrib.NewError(toolcrib.KindUnavailable, "the record is closed", "the gateway is shutting down")
	}
	select {
	case l.queue <- e:
		return nil
	case <-ctx.Done():
		return toolcrib.NewError(toolcrib.KindCanceled, "the caller went away while the record was busy", "").WithCause(ctx.Err())
	}
}

// Dropped counts the events that could not be kept since the start.
func (l *Log) Dropped() uint64 { return l.dropped.Load() }

// Failure says why the last events could not be written; "" when they were.
func (l *Log) Failure() string {
	if why := l.failure.Load(); why != nil {
		return *why
	}
	return ""
}

// Close writes what is in the queue and ends the log. What comes later is dropped.
func (l *Log) Close() error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.queue)
	}
	l.mu.Unlock()
	<-l.done
	return nil
}

func (l *Log) stamp(e *Event) {
	if e.Time.IsZero() {
		e.Time = l.opt.Now()
	}
}
