package mcpserver

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// The methods that this package answers or adds to; the SDK does the others.
const (
	methodInitialize = "initialize"
	methodDiscover   = "server/discover"
	methodList       = "tools/list"
	methodCall       = "tools/call"
	methodListen     = "subscriptions/listen"
	methodElicit     = "elicitation/create"
	sentAcknowledged = "notifications/subscriptions/acknowledged"
)

// receive is the middleware for requests from the client.
func (c *conn) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (result mcp.Result, err error) {
		switch method {
		case methodInitialize, methodDiscover, methodList, methodCall, methodListen:
		default:
			return next(ctx, method, req)
		}
		defer func() {
			if p := recover(); p != nil {
				c.server.o.Logger.Error("panic in an MCP request", "method", method, "panic", p, "stack", string(debug.Stack()))
				result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error in " + method}
			}
		}()
		ctx, leave, err := c.enter(ctx)
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
		}
		defer leave()
		session, err := c.open(ctx, req)
		if err != nil {
			return nil, c.refusal(err)
		}
		return c.answer(ctx, method, req, session, next)
	}
}

func (c *conn) answer(ctx context.Context, method string, req mcp.Request, session Session, next mcp.MethodHandler) (mcp.Result, error) {
	switch method {
	case methodList:
		return c.list(ctx, req, c.show(ctx, session))
	case methodCall:
		return c.call(ctx, req, session.Surface(ctx))
	case methodInitialize:
		if !c.connected(req) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "this session is already initialized"}
		}
	case methodListen:
		defer c.listening()()
	}
	result, err := next(ctx, method, req)
	if err != nil {
		if method == methodInitialize {
			c.disconnected()
		}
		return nil, err
	}
	switch r := result.(type) {
	case *mcp.InitializeResult:
		r.Instructions = session.Surface(ctx).Instructions()
	case *mcp.DiscoverResult:
		r.Instructions = session.Surface(ctx).Instructions()
	}
	return result, nil
}

// connected keeps the link of a session that lasts, and over HTTP puts it into
// the table under the protocol's session id until it ends. It is false when
// there is a link already.
func (c *conn) connected(req mcp.Request) bool {
	link, ok := req.GetSession().(*mcp.ServerSession)
	if !ok {
		return true
	}
	c.mu.Lock()
	again, known := c.initialized, c.link != nil
	c.link, c.initialized = link, true
	c.mu.Unlock()
	if again {
		return false
	}
	if known || link.ID() == "" {
		return true
	}
	c.server.handshake.add(link.ID(), c)
	c.closing.start(func() {
		link.Wait()
		c.server.handshake.drop(c)
		c.close()
	})
	return true
}

// disconnected is for a handshake that failed: another may follow.
func (c *conn) disconnected() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.initialized = false
}

// refusal is the protocol error for a client that gets no session.
func (c *conn) refusal(err error) error {
	var known *toolcrib.Error
	if errors.As(err, &known) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: known.Error()}
	}
	c.server.o.Logger.Error("cannot open an MCP session", slog.Any("error", err))
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the gateway cannot open a session"}
}

// private marks a cacheable result as the caller's own and at once stale: what
// is visible depends on who asks, and changes with the servers behind.
func private(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
	c.TTLMs, c.CacheScope = 0, "private"
}
