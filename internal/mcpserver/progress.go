package mcpserver

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// maxQueuedProgress is how many reports of one call may wait for a slow client.
// Further ones are dropped: a client that doesn't read must not hold up the
// tool, which may share its connection with others.
const maxQueuedProgress = 64

// reporter sends the progress of one call to the client that asked for it, and
// to nobody else, before the call's result.
type reporter struct {
	mu     sync.Mutex
	closed bool
	queue  chan toolcrib.Progress
	done   chan struct{}
}

// report starts a reporter. The notifications belong to the request of ctx.
func (c *conn) report(ctx context.Context, req mcp.Request, token any) *reporter {
	r := &reporter{queue: make(chan toolcrib.Progress, maxQueuedProgress), done: make(chan struct{})}
	link, ok := req.GetSession().(*mcp.ServerSession)
	go func() {
		defer close(r.done)
		for p := range r.queue {
			if !ok || ctx.Err() != nil {
				continue
			}
			err := link.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Progress: p.Done, Total: p.Total, Message: p.Message,
			})
			if err != nil {
				c.server.o.Logger.Debug("progress not sent", "error", err)
			}
		}
	}()
	return r
}

// put takes one report; it never blocks, and does nothing after finish.
func (r *reporter) put(p toolcrib.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	select {
	case r.queue <- p:
	default:
	}
}

// finish sends what is queued and ends the reporter.
func (r *reporter) finish() {
	r.mu.Lock()
	r.closed = true
	close(r.queue)
	r.mu.Unlock()
	<-r.done
}
