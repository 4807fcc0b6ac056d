package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// lastLegacy is the newest protocol that begins with initialize.
const lastLegacy = "2025-11-25"

// conn is one live connection to a server.
type conn struct {
	server  *Server
	session *sdk.ClientSession
	tap     *tap
	process *process // nil over HTTP
	web     *web     // nil over stdio
	pace    *pacer   // of reading the list again after a gap in the notifications; nil over stdio
	wire    *held
	sse     bool   // the transport of 2024-11-05 was needed
	release func() // ends the context that the connection lives in

	// life ends when the connection is closed from here; cut ends it.
	life context.Context
	cut  context.CancelFunc

	// gone is closed when the connection has ended, for whatever reason.
	gone chan struct{}
	// stale receives when the server says that its list changed.
	stale chan struct{}
	// lost receives when the server forgot the session.
	lost chan struct{}
	// dead receives why the server can't be reached any more.
	dead chan error
}

// held is a transport that lets its connection be closed from outside, also
// when the SDK gave up in the middle of a handshake.
type held struct {
	sdk.Transport
	mu   sync.Mutex
	conn sdk.Connection
}

// Connect implements the SDK's Transport.
func (h *held) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := h.Transport.Connect(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.conn = c
	return c, err
}

// close closes the connection, if there is one.
func (h *held) close() {
	h.mu.Lock()
	c := h.conn
	h.mu.Unlock()
	if c != nil {
		_ = c.Close()
	}
}

// newConn returns a connection that isn't connected yet.
func newConn(s *Server) *conn {
	c := &conn{server: s, release: func() {}, gone: make(chan struct{}), stale: make(chan struct{}, 1), lost: make(chan struct{}, 1), dead: make(chan error, 1)}
	c.life, c.cut = context.WithCancel(context.Background())
	c.tap = newTap(func() { nudge(c.stale) })
	return c
}

// nudge sends without waiting; one that is pending is enough.
func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// connect runs the handshake over a transport. A legacy one begins with initialize.
func (c *conn) connect(ctx context.Context, t sdk.Transport, version string, legacy bool, note func(string)) error {
	client := sdk.NewClient(&sdk.Implementation{Name: "toolcrib", Title: "toolcrib", Version: version}, &sdk.ClientOptions{
		// Nothing is offered to a server: neither roots, nor sampling, nor
		// elicitation may cross from one session to another.
		Capabilities:           &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {}, // the tap hears it; this subscribes
		//lint:ignore SA1019 servers of the older protocols still send log messages
		LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) { note(logLine(r.Params)) },
	})
	opts := &sdk.ClientSessionOptions{}
	if legacy {
		opts.ProtocolVersion = lastLegacy
	}
	c.wire = &held{Transport: t}
	session, err := client.Connect(ctx, c.wire, opts)
	if err != nil {
		c.wire.close()
		return err
	}
	c.session = session
	go func() {
		_ = session.Wait()
		close(c.gone)
	}()
	return nil
}

// logLine is a log message of a server as a line of its log.
//
//lint:ignore SA1019 servers of the older protocols still send log messages
func logLine(p *sdk.LoggingMessageParams) string {
	data, err := json.Marshal(p.Data)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("log %s: %s", p.Level, data)
}

// close ends the connection and, over stdio, the process. It takes at most
// about three times grace.
func (c *conn) close(grace time.Duration) {
	if c.cut(); c.wire != nil {
		c.wire.close()
	}
	if c.process != nil {
		c.process.stop(grace)
	}
	if c.session != nil {
		_ = c.session.Close()
	}
	if c.web != nil {
		c.pace.stop()
		c.web.close()
	}
	c.release()
}

// linger gives a process whose pipes ended the moment to end by itself, so that
// its exit code is known and not taken for our doing.
func (c *conn) linger(err error) {
	if c.process != nil && closedByPeer(err) {
		c.process.gone(500 * time.Millisecond)
	}
}

// errPages reports a list whose pages lead back to one that was read.
var errPages = errors.New("its list has no end: a page leads back to an earlier one")

// list reads all pages of the server's tools, not judged yet. Each page has the whole of wait.
func (c *conn) list(ctx context.Context, wait time.Duration) (*list, error) {
	g := newGatherer(c.server.Name)
	seen := map[string]bool{}
	for cursor := ""; ; {
		p, err := c.page(ctx, wait, cursor)
		if isNoSuchMethod(err) && cursor == "" {
			return g.list(), nil
		}
		if err != nil {
			return nil, err
		}
		g.add(p.tools)
		if p.cursor == "" || g.full {
			return g.list(), nil
		}
		if seen[p.cursor] || len(seen) > maxTools {
			g.warn("%v: what came until there is kept", errPages)
			return g.list(), nil
		}
		seen[p.cursor] = true
		cursor = p.cursor
	}
}

// page reads one page.
func (c *conn) page(ctx context.Context, wait time.Duration, cursor string) (page, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	x := c.tap.open(nil, stripList)
	defer c.tap.close(x)
	if _, err := c.session.ListTools(withExchange(ctx, x), &sdk.ListToolsParams{Cursor: cursor}); err != nil {
		return page{}, fmt.Errorf("listing its tools: %w", err)
	}
	p, err := readPage(x.answer())
	if err != nil {
		return page{}, fmt.Errorf("listing its tools: %w", err)
	}
	return p, nil
}

// prove asks a remote server, of whom a call failed on the way, for its first
// page of tools. When there is no answer of any kind the connection is given up.
func (c *conn) prove(wait time.Duration) bool {
	_, err := c.page(context.Background(), wait, "")
	if err == nil || answered(err) != nil {
		return true
	}
	select {
	case c.dead <- err:
	default:
	}
	return false
}

// selfName is what a server calls itself, fit to be shown.
func selfName(info *sdk.Implementation) (name, version string) {
	return clip(printable(info.Name), 200), clip(printable(info.Version), 100)
}

// isNoSuchMethod reports whether a server doesn't know the method.
func isNoSuchMethod(err error) bool {
	e := answered(err)
	return e != nil && e.Code == jsonrpc.CodeMethodNotFound
}

// call runs a tool. The error is the SDK's, or a KindOutput one.
func (c *conn) call(ctx context.Context, name string, args json.RawMessage, progress func(toolcrib.Progress)) (toolcrib.Result, error) {
	x := c.tap.open(progress, stripCall)
	params := &sdk.CallToolParams{Name: name, Arguments: args}
	if x.token != 0 {
		params.Meta = sdk.Meta{"progressToken": x.token}
	}
	ctx, done := c.within(ctx)
	defer done()
	_, err := c.session.CallTool(withExchange(ctx, x), params)
	c.tap.close(x)
	if x.reports != nil {
		x.reports.finish(ctx.Err() != nil)
	}
	if err != nil && x.wantsInput() && ctx.Err() == nil {
		return toolcrib.Result{}, toolcrib.NewError(toolcrib.KindTool,
			fmt.Sprintf("tool %q asks for input from a person or a model while it runs, which this gateway doesn't pass on", name),
			"give all it needs in its arguments, if it takes that").WithCause(err)
	}
	if err != nil {
		return toolcrib.Result{}, err
	}
	raw := x.answer()
	if raw == nil {
		return toolcrib.Result{}, badResult("the answer has no result")
	}
	return readResult(raw)
}

// within is a context that also ends when the connection is closed from here: a
// call over HTTP would go on, since it has a request of its own.
func (c *conn) within(ctx context.Context) (context.Context, func()) {
	if c.web == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.life, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// ended is why a connection that is gone ended.
func (c *conn) ended() error {
	err := c.session.Wait()
	c.linger(err)
	if errors.Is(err, sdk.ErrSessionMissing) || c.web != nil && c.session.ID() != "" && c.web.lastRefusal().status == http.StatusNotFound {
		return errSessionLost
	}
	return err
}
