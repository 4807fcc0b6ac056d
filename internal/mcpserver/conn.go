package mcpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// errEnded is the cause with which calls of an ended session are cancelled.
var errEnded = errors.New("the MCP session has ended")

// conn is one client's session. It has an SDK server of its own, so that a
// notification reaches that client and nobody else.
type conn struct {
	server *Server
	sdk    *mcp.Server
	// closing has the goroutines that outlive the requests.
	closing *group
	// ages is set when it stands in the table of the stateless era.
	ages bool
	// ctx ends with the session; every request's context ends with it.
	ctx    context.Context
	cancel context.CancelCauseFunc

	opening sync.Mutex // held while the session is opened

	mu      sync.Mutex
	who     Who
	session Session
	link    *mcp.ServerSession // of the handshake era and stdio; nil in the stateless era
	closed  bool
	// initialized is true when a handshake goes on or is done.
	initialized bool
	running     sync.WaitGroup // requests inside; Add only under mu while not closed

	changes
	farewells farewells
	held      shelf // calls of the stateless era that wait for an answer
	slot            // the table's
}

func (s *Server) newConn(who Who) *conn {
	c := &conn{server: s, who: who, closing: &s.closing}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	c.sdk = mcp.NewServer(s.implementation(), s.sdkOptions())
	c.sdk.AddReceivingMiddleware(c.receive)
	c.sdk.AddSendingMiddleware(c.send)
	return c
}

// enter notes a request. The context it returns ends with the request and with
// the session; leave must be called. It fails when the session has ended.
func (c *conn) enter(ctx context.Context) (_ context.Context, leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, nil, errEnded
	}
	c.running.Add(1)
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.ctx, func() { cancel(errEnded) })
	return ctx, func() {
		stop()
		cancel(nil)
		c.running.Done()
	}, nil
}

// open returns the session, and opens it if this is the client's first request.
func (c *conn) open(ctx context.Context, req mcp.Request) (Session, error) {
	c.opening.Lock()
	defer c.opening.Unlock()
	if session := c.opened(); session != nil {
		return session, nil
	}
	who := c.who
	who.Client, who.Protocol = introduce(req)
	who.Scope.Client = who.Client.Name
	who.Identity = who.identified(who.Client.Name)
	if who.Scope.Session == "" {
		who.Scope.Session = "mcp-" + rand.Text()
	}
	session, err := c.server.o.Opener.Open(ctx, who, c.changed)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.who, c.session = who, session
	return session, nil
}

func (c *conn) opened() Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// scope is the scope of one call.
func (c *conn) scope(run string) toolcrib.Scope {
	c.mu.Lock()
	defer c.mu.Unlock()
	scope := c.who.Scope
	scope.Run = run
	return scope
}

// close ends the session in the background: it cancels what runs, ends the
// streams and then closes the Session. Only the first call does anything.
func (c *conn) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	c.cancel(errEnded)
	session, link := c.session, c.link
	c.closing.start(func() {
		if link != nil {
			link.Close()
		}
		c.running.Wait()
		c.clear()
		if session != nil {
			session.Close()
		}
	})
}

// introduce reads who the client says it is: in initialize for good, in the
// stateless era with each request.
func introduce(req mcp.Request) (Client, string) {
	var (
		info     *mcp.Implementation
		protocol string
	)
	if p, ok := req.GetParams().(*mcp.InitializeParams); ok {
		info, protocol = p.ClientInfo, p.ProtocolVersion
	} else if r, ok := req.(interface {
		ClientInfo() *mcp.Implementation
		ProtocolVersion() string
	}); ok {
		info, protocol = r.ClientInfo(), r.ProtocolVersion()
	}
	if info == nil {
		info = &mcp.Implementation{}
	}
	return Client{Name: info.Name, Version: info.Version}, protocol
}
