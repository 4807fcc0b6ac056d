// Package results keeps, for a while and within bounds, whole results that were
// too large for a model's context, and serves the tool core:results:read that
// reads them on in pieces.
//
// It owns the kept texts, who may read them, and when they go. It does not know
// what was cut or why, nor how a store keeps anything.
//
// A result is bound to the session, the caller and the agent for which it was
// kept. To anybody else it doesn't exist: an id that was never given out, one
// that has expired and one of somebody else are answered alike.
//
// With a Store, results of a session that can be known again outlive the process:
// when the process ends, its sessions do, and who comes back as the same reads on.
// While a session lives its results are its alone, and they go with it.
package results

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/builtin/gofunc"
)

// ToolID is the id of the tool that reads kept results.
const ToolID = "core:results:read"

// Bounds where Options leaves them open.
const (
	DefaultTotalBytes = 64 << 20
	DefaultOneBytes   = 8 << 20
	DefaultPerSession = 64
	DefaultTTL        = time.Hour
	DefaultReplyBytes = 56 << 10
)

// leastReply lets a reading get on, however small replies are said to be.
const leastReply = 1 << 10

// Options is what a Results needs. All of it may be left out; bounds that are
// zero or less take their defaults.
type Options struct {
	// Now is the clock; time.Now when nil.
	Now func() time.Time
	// TotalBytes bounds all kept results together; the oldest goes first.
	TotalBytes int
	// OneBytes bounds one result. Of a larger one the start is kept, and reading
	// says how many bytes were dropped.
	OneBytes int
	// PerSession bounds how many results one session has; its oldest goes first.
	PerSession int
	// TTL is how long a result is kept.
	TTL time.Duration
	// ReplyBytes bounds what one reading costs in a reply, written as JSON, the
	// text counted twice: as content and in the details. It should be a little
	// less than the size at which results are cut, so that a reading never is.
	ReplyBytes int
	// Logger gets what callers are not shown; slog.Default() when nil.
	Logger *slog.Logger
	// Store is where results outlive the process; nil for nowhere.
	Store Store
	// Identity says by what a caller will be known again when the process and its
	// session have ended, "" when it won't be. Without it nobody will.
	Identity func(toolcrib.Scope) string
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	for _, b := range []struct {
		value *int
		usual int
	}{
		{&o.TotalBytes, DefaultTotalBytes},
		{&o.OneBytes, DefaultOneBytes},
		{&o.PerSession, DefaultPerSession},
		{&o.ReplyBytes, DefaultReplyBytes},
	} {
		if *b.value <= 0 {
			*b.value = b.usual
		}
	}
	if o.TTL <= 0 {
		o.TTL = DefaultTTL
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Identity == nil {
		o.Store = nil
	}
	o.OneBytes = min(o.OneBytes, o.TotalBytes)
	o.ReplyBytes = max(o.ReplyBytes, leastReply)
	return o
}

// Results keeps results and is the source of the tool that reads them. It is
// safe for concurrent use.
type Results struct {
	shelf  *shelf
	disk   *disk
	reply  atomic.Int64
	source *gofunc.Source
}

// New returns an empty Results.
func New(opts Options) (*Results, error) {
	opts = opts.withDefaults()
	r := &Results{shelf: newShelf(opts), disk: newDisk(opts)}
	r.SetReplyBytes(opts.ReplyBytes)
	source, err := gofunc.New(gofunc.Options{Tools: []gofunc.Tool{r.tool()}, Logger: opts.Logger})
	if err != nil {
		return nil, err
	}
	r.source = source
	return r, nil
}

// SetReplyBytes changes Options.ReplyBytes for readings from now on.
func (r *Results) SetReplyBytes(n int) { r.reply.Store(int64(max(n, leastReply))) }

// Keep keeps a copy of whole for the session, caller and agent of scope, and
// returns the id to read it by: 128 random bits. Bytes that are not UTF-8 are
// kept as U+FFFD, one for each run of them.
func (r *Results) Keep(scope toolcrib.Scope, whole []byte) string {
	e := r.shelf.keep(readerOf(scope), whole)
	r.disk.put(scope, e)
	return e.id
}

// EndSession drops what was kept for a session, for all of its callers and agents.
func (r *Results) EndSession(session string) {
	r.shelf.drop(session)
	r.disk.end(session)
}

// Leave says that sessions which end from now on end with the process: what the
// store has of them stays there until it expires.
func (r *Results) Leave() { r.disk.leave() }

// find returns a kept text that a caller may read.
func (r *Results) find(ctx context.Context, scope toolcrib.Scope, id string) (text, bool) {
	kept, here, ok := r.shelf.find(readerOf(scope), id)
	if here {
		return kept, ok
	}
	e, ok := r.disk.find(ctx, scope, id)
	if !ok {
		return text{}, false
	}
	r.shelf.adopt(e)
	r.disk.put(scope, e) // it is of this session now, and ends with it
	return e.text, true
}

// Listings returns the one listing with the one tool. Shown directly, it is
// results__read: models have other things to read.
func (r *Results) Listings(ctx context.Context, scope toolcrib.Scope) []toolcrib.Listing {
	listings := r.source.Listings(ctx, scope)
	for i := range listings {
		listings[i].ToolPrefix = listings[i].Owner
	}
	return listings
}

// Execute reads a piece. A result that isn't there is a Result with IsError.
func (r *Results) Execute(ctx context.Context, call toolcrib.Call) (toolcrib.Result, error) {
	return r.source.Execute(ctx, call)
}
