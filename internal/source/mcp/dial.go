package mcp

import (
	"context"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// dial connects over HTTP: by the newest protocol, then by the handshake of the
// older ones, then by the transport of the oldest.
func dial(ctx context.Context, s *Server, o *Options, log *serverLog) (*conn, error) {
	var told *conn // whose failure tells most
	var why error
	for _, by := range ways(s) {
		if told != nil && !worthAnother(told.web, by) {
			break
		}
		c, err := dialBy(ctx, s, o, log, by)
		if err == nil {
			return c, nil
		}
		if told == nil || c != nil && isLogin(c.web.lastRefusal().status) {
			told, why = c, err
		}
		if ctx.Err() != nil || c == nil {
			break
		}
	}
	return told, why
}

// isLogin reports whether a status asks for a login.
func isLogin(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// way is one manner of speaking over HTTP.
type way int

const (
	wayModern way = iota
	wayLegacy
	waySSE
)

// ways are the manners to try, in their order.
func ways(s *Server) []way {
	if s.SSE {
		return []way{waySSE}
	}
	return []way{wayModern, wayLegacy, waySSE}
}

// worthAnother reports whether a refusal is one that another manner may mend.
func worthAnother(w *web, next way) bool {
	status := w.lastRefusal().status
	switch status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable,
		http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusNotImplemented:
		return true
	}
	return next == wayLegacy && status >= 500
}

// dialBy connects in one manner. On error it returns the closed connection for
// what it saw.
func dialBy(ctx context.Context, s *Server, o *Options, log *serverLog, by way) (*conn, error) {
	c := newConn(s)
	stray := func(line string) { log.note("not a message: " + line) }
	var err error
	c.pace = &pacer{every: o.tuning.reopen, do: func() { nudge(c.stale) }}
	c.web, err = newWeb(s, c.tap, o.Environ, o.tuning.headers, stray, c.pace.ask, func() { nudge(c.lost) })
	if err != nil {
		return nil, err
	}
	if o.passed != nil {
		c.web.connected = func() { o.pass(stageConnect) }
	}
	var t sdk.Transport = &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: c.web.client(), MaxEventSize: maxFrame}
	if by == waySSE {
		c.sse, c.web.sse = true, true
		t = &sdk.SSEClientTransport{Endpoint: s.URL, HTTPClient: c.web.client(), MaxEventSize: maxFrame}
	}
	if err := c.connect(ctx, t, o.Version, by != wayModern, log.note); err != nil {
		c.pace.stop()
		c.web.close()
		return c, err
	}
	return c, nil
}
