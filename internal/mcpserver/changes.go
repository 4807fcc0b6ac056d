package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// settle is how long changes are collected before they are looked at: servers
// that start together become one notification.
const settle = 50 * time.Millisecond

// changes knows what list a client has seen, and tells it of another one. A
// change that leaves the visible tools and the instructions as they were is not
// told. There is no notification of other instructions: a client that hears of
// other tools may look at both.
type changes struct {
	// stale is set by a change and cleared when the list is read.
	stale atomic.Bool
	// listeners counts the open ways to tell the client.
	listeners atomic.Int32
	// planned is set while a look is planned.
	planned atomic.Bool
	// seen is the sum of the surface that was listed last; nil when none was.
	seen atomic.Pointer[[sha256.Size]byte]
}

// changed is the callback that the Opener gets. It returns at once.
func (c *conn) changed() {
	c.stale.Store(true)
	c.catchUp()
}

// listening notes that the client can be told until the returned function is called.
func (c *conn) listening() (end func()) {
	c.listeners.Add(1)
	return func() { c.listeners.Add(-1) }
}

// catchUp plans a look at the surface if it may have changed and somebody
// listens. A stream that opens calls it: the change may have come before.
func (c *conn) catchUp() {
	if !c.stale.Load() || c.listeners.Load() == 0 || c.ctx.Err() != nil {
		return
	}
	if c.planned.CompareAndSwap(false, true) {
		time.AfterFunc(settle, c.look)
	}
}

// look tells the client if the surface is another than it has listed. A client
// that has listed none has nothing that could be wrong.
func (c *conn) look() {
	c.planned.Store(false)
	ctx, leave, err := c.enter(c.ctx)
	if err != nil {
		return
	}
	defer leave()
	session, seen := c.opened(), c.seen.Load()
	if session == nil || seen == nil {
		return
	}
	c.stale.Store(false) // before the surface is taken: a change from now on counts
	if sumOf(session.Surface(ctx)) == *seen {
		return
	}
	c.stale.Store(true) // until the client lists
	c.tell()
}

// show returns the surface for a list that the client is about to see.
func (c *conn) show(ctx context.Context, session Session) Surface {
	c.stale.Store(false)
	surface := session.Surface(ctx)
	sum := sumOf(surface)
	c.seen.Store(&sum)
	return surface
}

// tell sends the notification. The SDK does so when a tool is added, to all who
// are connected to this conn's server: the handshake era's client, or the
// stateless era's subscribers. The tool itself is never seen, since receive
// answers tools/list.
func (c *conn) tell() {
	c.sdk.AddTool(&mcp.Tool{Name: "changed", InputSchema: emptySchema}, unreachable)
}

func unreachable(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return nil, errors.New("mcpserver: a call went past the surface")
}

// send is the middleware for messages to the client. A subscription that has
// just begun may have missed a change since the list was read. What a client
// answers to a form is kept as it came.
func (c *conn) send(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		if method == sentAcknowledged && err == nil {
			c.catchUp()
		}
		if answer, ok := ctx.Value(elicitedKey{}).(*elicited); ok && err == nil {
			answer.result, _ = result.(*mcp.ElicitResult)
		}
		return result, err
	}
}

// sumOf hashes everything of the tools that a list shows, and the instructions.
func sumOf(surface Surface) [sha256.Size]byte {
	h := sha256.New()
	write(h, surface.Instructions())
	tools := surface.Tools()
	for i := range tools {
		t := &tools[i]
		write(h, t.Name)
		write(h, t.Title)
		write(h, t.Description)
		write(h, t.InputSchema)
		write(h, t.OutputSchema)
		write(h, t.Meta)
		annotations, err := json.Marshal(t.Annotations)
		if err != nil { // booleans and a string never fail
			continue
		}
		write(h, annotations)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// write hashes a part with its length, so that parts can't run into each other.
func write[T ~string | ~[]byte](h hash.Hash, part T) {
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(part)))
	h.Write(length[:])
	h.Write([]byte(part))
}
