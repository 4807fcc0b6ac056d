package results

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/store"
)

// Store is where results outlive the process. Errors are shown to the operator.
type Store interface {
	PutResult(ctx context.Context, r store.Result) error
	Result(ctx context.Context, id, reader string, now time.Time) (r store.Result, ok bool, err error)
	TrimResults(ctx context.Context, b store.ResultBounds) error
	EndSession(ctx context.Context, session string) error
}

// Bounds of what a call may lose by a store that is slow or broken.
const (
	storeTime  = 3 * time.Second // for one piece of work
	storePause = time.Minute     // after a failure
)

// disk keeps in the store what belongs to a session that can be known again. It
// fails softly: what it can't keep is in memory all the same.
type disk struct {
	opts Options

	mu     sync.Mutex
	live   map[string]bool // the sessions of this process that have results in it
	failed bool
	next   time.Time // of the next try after a failure
	left   bool      // sessions end with the process now
}

func newDisk(opts Options) *disk { return &disk{opts: opts, live: map[string]bool{}} }

// reader names in the store who may read a result; "" for nobody after this process.
func (d *disk) reader(s toolcrib.Scope) string {
	if d.opts.Store == nil {
		return ""
	}
	identity := d.opts.Identity(s)
	if identity == "" {
		return ""
	}
	r := readerOf(s)
	whole, _ := json.Marshal([]string{identity, r.caller, r.agent}) // of strings: never fails
	sum := sha256.Sum256(whole)
	return hex.EncodeToString(sum[:])
}

// put keeps a result, and no more than the bounds of all.
func (d *disk) put(s toolcrib.Scope, e *entry) {
	reader := d.reader(s)
	if reader == "" || !d.begin(s.Session) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTime)
	defer cancel()
	err := d.opts.Store.PutResult(ctx, store.Result{
		ID: e.id, Session: s.Session, Reader: reader, Bytes: []byte(e.text.s), Dropped: e.text.dropped, Expires: e.expires,
	})
	if err == nil {
		err = d.opts.Store.TrimResults(ctx, store.ResultBounds{
			Now: d.opts.Now(), Session: s.Session, PerSession: d.opts.PerSession, Total: d.opts.TotalBytes,
		})
	}
	d.note(err)
}

// find returns a result that this process hasn't in memory. One of a session that
// lives is nobody else's; one whose session ended with a process before belongs to
// who comes back as the same.
func (d *disk) find(ctx context.Context, s toolcrib.Scope, id string) (*entry, bool) {
	reader := d.reader(s)
	if reader == "" {
		return nil, false
	}
	bounded, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	r, ok, err := d.opts.Store.Result(bounded, id, reader, d.opts.Now())
	if ctx.Err() == nil {
		d.note(err)
	}
	if err != nil || !ok || d.foreign(r.Session, s.Session) {
		return nil, false
	}
	return &entry{id: id, reader: readerOf(s), text: text{string(r.Bytes), r.Dropped}, expires: r.Expires}, true
}

// foreign reports whether a session is another that lives.
func (d *disk) foreign(session, mine string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return session != mine && d.live[session]
}

// begin reports whether something may be written for a session now.
func (d *disk) begin(session string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failed && d.opts.Now().Before(d.next) {
		return false
	}
	d.live[session] = true
	return true
}

// end forgets a session's results.
func (d *disk) end(session string) {
	d.mu.Lock()
	had := d.live[session] && !d.left
	delete(d.live, session)
	d.mu.Unlock()
	if !had {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTime)
	defer cancel()
	d.note(d.opts.Store.EndSession(ctx, session))
}

// leave leaves what is in the store to who comes back.
func (d *disk) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left = true
}

// note tells the operator once that the store fails, and once that it works again.
func (d *disk) note(err error) {
	d.mu.Lock()
	before := d.failed
	d.failed = err != nil
	if d.failed {
		d.next = d.opts.Now().Add(storePause)
	}
	d.mu.Unlock()
	switch {
	case err != nil && !before:
		d.opts.Logger.Warn("results that are kept for reading on will not outlive this process: the store can't be used", slog.Any("error", err))
	case err == nil && before:
		d.opts.Logger.Info("results that are kept for reading on are in the store again")
	}
}
