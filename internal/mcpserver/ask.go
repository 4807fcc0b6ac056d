package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// errCallOver is the cause with which questions of a call end that is over.
var errCallOver = errors.New("the call that asked is over")

// asker puts the questions of one call to its client in the handshake era: with
// requests that belong to the call, so that they reach that client's stream.
type asker struct {
	conn *conn
	link *mcp.ServerSession
	ctx  context.Context // of the request; ends when the call is over
	end  context.CancelCauseFunc

	mu     sync.Mutex
	closed bool
	open   sync.WaitGroup // questions; Add only under mu while not closed
}

// asker returns nil when the client can't ask its user.
func (c *conn) asker(ctx context.Context, req mcp.Request) *asker {
	link, ok := req.GetSession().(*mcp.ServerSession)
	if !ok || isModern(req) || !showsForms(req) {
		return nil
	}
	a := &asker{conn: c, link: link}
	a.ctx, a.end = context.WithCancelCause(ctx)
	return a
}

// ask implements toolcrib.Ask. It returns when ctx ends, and tells the client
// that the form can be closed.
func (a *asker) ask(ctx context.Context, q toolcrib.Question) (toolcrib.Decision, error) {
	a.mu.Lock()
	if a.closed {
		a.mu.Unlock()
		return "", errCallOver
	}
	a.open.Add(1)
	a.mu.Unlock()
	defer a.open.Done()
	answer := &elicited{}
	asking, cancel := context.WithCancelCause(context.WithValue(a.ctx, elicitedKey{}, answer))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
	_, err := a.link.Elicit(asking, form(q))
	switch {
	case answer.result != nil:
		return decided(q, answer.result), nil
	case asking.Err() != nil:
		a.conn.farewells.expect()
		return "", cmp.Or(context.Cause(ctx), context.Cause(asking))
	case refused(err):
		return "", err
	}
	return malformed, nil // what came back is no result of a form
}

// finish ends what is still asked, and sees to it that the client is told before
// the call's result ends its stream.
func (a *asker) finish() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	gone := a.ctx.Err() != nil
	a.end(errCallOver)
	a.open.Wait()
	if !gone {
		a.conn.farewells.wait()
	}
}

// refused reports whether an error says that nobody was asked: the client
// answered with an error, or can't be reached.
func refused(err error) bool {
	var answer *jsonrpc.Error
	return errors.As(err, &answer) || errors.Is(err, mcp.ErrConnectionClosed)
}

// elicitedKey is the context key of an elicited; ask puts it there and send reads it.
type elicitedKey struct{}

// elicited takes a client's answer as it came. The SDK hands out none that
// doesn't fit the schema, and such an answer must be told from none at all.
type elicited struct{ result *mcp.ElicitResult }

// farewells counts the messages that tell a client of a form that nobody waits
// for any more. The SDK sends them when it gets to it.
type farewells struct {
	mu        sync.Mutex
	due, sent int
	changed   chan struct{} // closed when sent grows; nil while nobody waits
}

// farewellTime bounds the wait for one to be sent, maxFarewell how long one is in bytes.
const (
	farewellTime = time.Second
	maxFarewell  = 4096
)

// cancellation marks them on the wire.
var cancellation = []byte(`"method":"notifications/cancelled"`)

// expect notes that one will be sent.
func (f *farewells) expect() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.due++
}

// look is shown what is written to the client.
func (f *farewells) look(message []byte) {
	if len(message) > maxFarewell || !bytes.Contains(message, cancellation) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent++
	if f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
}

// wait returns when all that are due have been sent, or could have been.
func (f *farewells) wait() {
	timer := time.NewTimer(farewellTime)
	defer timer.Stop()
	for {
		f.mu.Lock()
		if f.sent >= f.due {
			f.mu.Unlock()
			return
		}
		if f.changed == nil {
			f.changed = make(chan struct{})
		}
		changed := f.changed
		f.mu.Unlock()
		select {
		case <-changed:
		case <-timer.C:
			f.mu.Lock()
			f.sent = f.due // what could not be sent isn't waited for again
			f.mu.Unlock()
			return
		}
	}
}
