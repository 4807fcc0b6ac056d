package gateway

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// attached are the MCP sessions over connections: those that came through the
// control socket, and those inside of the process.
type attached struct {
	mu      sync.Mutex
	open    map[*attachment]struct{}
	closed  bool
	running sync.WaitGroup // Add only under mu while not closed
	// settings is config.SettingsHash of the environment.
	settings string
}

// attachment is one of them.
type attachment struct {
	conn   net.Conn
	in     io.Reader
	ctx    context.Context
	cancel context.CancelFunc
}

// Read reads what the client sends, until that ends or the gateway does.
func (a *attachment) Read(b []byte) (int, error) {
	n, err := a.in.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, net.ErrClosed) {
		err = io.EOF
	}
	return n, err
}

// add enters a connection; nil when the gateway is on its way out.
func (x *attached) add(conn net.Conn, in io.Reader) *attachment {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil
	}
	a := &attachment{conn: conn, in: in}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	if x.open == nil {
		x.open = map[*attachment]struct{}{}
	}
	x.open[a] = struct{}{}
	x.running.Add(1)
	return a
}

func (x *attached) remove(a *attachment) {
	a.cancel()
	a.conn.Close()
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.open, a)
	x.running.Done()
}

// count is how many there are.
func (x *attached) count() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.open)
}

// ending reports whether there will be no more.
func (x *attached) ending() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.closed
}

// end takes no more requests from anybody, lets those that go on finish for a
// while, and cuts off the rest.
func (x *attached) end(patience time.Duration) {
	x.mu.Lock()
	x.closed = true
	var rest []*attachment
	for a := range x.open {
		rest = append(rest, a)
	}
	x.mu.Unlock()
	for _, a := range rest {
		_ = a.conn.SetReadDeadline(time.Unix(1, 0)) // a connection without deadlines is cut off below
	}
	cut := time.AfterFunc(patience, func() {
		for _, a := range rest {
			a.cancel()
			a.conn.Close()
		}
	})
	defer cut.Stop()
	x.running.Wait()
}

// Attach opens one MCP session inside the process, as ServeStdio serves it, and
// returns the client's end of it. Closing that ends the session. It fails as
// ServeStdio does, with KindNotFound for an agent that is not configured and with
// KindInput for a mode that is not allowed.
func (g *Gateway) Attach(mode, agent string) (io.ReadWriteCloser, error) {
	serve, err := control{g}.Attach(client.AttachRequest{Mode: mode, Agent: agent})
	if err != nil {
		return nil, err
	}
	near, far := net.Pipe()
	go serve(far, far)
	return near, nil
}

// Attach implements httpapi.Attacher.
func (c control) Attach(r client.AttachRequest) (func(net.Conn, io.Reader), error) {
	if c.attached.ending() {
		return nil, toolcrib.NewError(toolcrib.KindUnavailable, "the gateway is shutting down", "connect again once it is back")
	}
	if _, err := c.stdioScope(r.Mode, r.Agent); err != nil {
		return nil, err
	}
	if r.Settings != "" && r.Settings != c.attached.settings {
		return nil, toolcrib.NewError(toolcrib.KindConfig, "the running gateway has other TOOLCRIB_ settings in its environment",
			"start both with the same ones, or use --attach=never")
	}
	return func(conn net.Conn, in io.Reader) { c.serveAttached(conn, in, r) }, nil
}

// serveAttached serves one connection until its session has ended.
func (g *Gateway) serveAttached(conn net.Conn, in io.Reader, r client.AttachRequest) {
	a := g.attached.add(conn, in)
	if a == nil {
		conn.Close()
		return
	}
	defer g.attached.remove(a)
	g.logger.Debug("a client attaches", "mode", r.Mode, "agent", r.Agent, "version", r.Version)
	identity := ""
	if r.Identity != "" {
		identity = "attached\x00" + r.Identity
	}
	err := g.serveStdio(a.ctx, StdioOptions{In: a, Out: conn, Mode: r.Mode, Agent: r.Agent}, identity)
	if err != nil && a.ctx.Err() == nil && !errors.Is(err, net.ErrClosed) {
		g.logger.Debug("an attached client's connection broke", "error", err)
	}
}

// stdioScope is the scope of a client on a pair of streams, if it may have what it asks for.
func (g *Gateway) stdioScope(mode, agent string) (toolcrib.Scope, error) {
	scope := toolcrib.Scope{Door: toolcrib.DoorMCP, Agent: cmp.Or(agent, toolcrib.DefaultAgent)}
	a, err := g.settings.Load().agents.named(scope.Agent)
	if err != nil {
		return scope, err
	}
	_, err = a.mode(mode)
	return scope, err
}
