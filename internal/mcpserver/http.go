package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// Headers of the streamable transport.
const (
	headerProtocol = "Mcp-Protocol-Version"
	headerSession  = "Mcp-Session-Id"
)

// Serve answers one HTTP request of MCP's streamable transport, of either era.
// The caller has checked who is asking: scope, and the mode that was asked for.
// Mode and scope count when the session is opened; later requests of a session
// must come from the same caller and agent.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, scope toolcrib.Scope, mode string) {
	head, ok := s.readHead(w, r)
	if !ok {
		return
	}
	who := Who{Scope: scope, Mode: mode, Identity: identity(r, scope, mode)}
	if r.Header.Get(headerProtocol) >= firstModern || head.protocol() >= firstModern {
		s.serveStateless(w, r, who, head)
		return
	}
	s.serveHandshake(w, r, who, head)
}

// serveHandshake serves the era of initialize and session ids.
func (s *Server) serveHandshake(w http.ResponseWriter, r *http.Request, who Who, head head) {
	if id := r.Header.Get(headerSession); id != "" {
		c := s.handshake.acquire(id)
		if c == nil || !c.belongsTo(who) {
			if c != nil {
				s.handshake.release(c)
			}
			http.Error(w, "session not found: it has ended, or was never yours; initialize again", http.StatusNotFound)
			return
		}
		defer s.handshake.release(c)
		switch r.Method {
		case http.MethodDelete:
			c.cancel(errEnded) // or the SDK would wait for the calls in flight
		case http.MethodGet:
			defer c.listening()()
			live := &liveWriter{silence: s.o.Silence, opened: c.catchUp, look: c.farewells.look}
			defer s.streams.add(w, r, live)()
			w = live
		case http.MethodPost:
			if head.streams() {
				live := &liveWriter{silence: s.o.Silence, opened: func() {}, look: c.farewells.look}
				defer s.streams.add(w, r, live)()
				w = live
			}
		}
		s.stateful.ServeHTTP(w, with(r, c))
		return
	}
	if r.Method != http.MethodPost || !head.opens() {
		s.stateful.ServeHTTP(w, r)
		return
	}
	c := s.newConn(who)
	s.stateful.ServeHTTP(w, with(r, c))
	if !s.handshake.release(c) {
		c.close() // initialize failed
	}
}

// serveStateless serves the era in which every request stands alone.
func (s *Server) serveStateless(w http.ResponseWriter, r *http.Request, who Who, head head) {
	if r.Method != http.MethodPost || head.Method == "" {
		s.ephemeral.ServeHTTP(w, r)
		return
	}
	key := who.identified(head.Params.Meta.Client.Name)
	c := s.stateless.obtain(key, func() *conn {
		c := s.newConn(who)
		c.ages = true
		return c
	})
	defer s.stateless.release(c)
	if head.streams() {
		live := &liveWriter{silence: s.o.Silence, opened: func() {}, look: c.farewells.look}
		defer s.streams.add(w, r, live)()
		w = live
	}
	s.ephemeral.ServeHTTP(w, with(r, c))
}

// identity names who sends a request, but for the client's own name.
func identity(r *http.Request, scope toolcrib.Scope, mode string) string {
	place := ""
	if scope.Caller == "" {
		place, _, _ = net.SplitHostPort(r.RemoteAddr)
	}
	return strings.Join([]string{scope.Caller, place, scope.Agent, mode}, "\x00")
}

// identified is Identity with the name of the client, which names the session of
// a request that carries no session id.
func (w Who) identified(client string) string {
	if w.Identity == "" {
		return ""
	}
	return w.Identity + "\x00" + client
}

// belongsTo reports whether the session is that of the caller: an id that leaked
// opens nothing.
func (c *conn) belongsTo(who Who) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.who.Scope.Caller == who.Scope.Caller && c.who.Scope.Agent == who.Scope.Agent
}

// connKey is the context key under which a request's conn passes through the
// SDK's handler to serverOf; nothing else reads it.
type connKey struct{}

func with(r *http.Request, c *conn) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), connKey{}, c))
}

// serverOf gives the SDK the server of a request; it asks twice for each.
func (s *Server) serverOf(r *http.Request) *mcp.Server {
	if c, ok := r.Context().Value(connKey{}).(*conn); ok {
		return c.sdk
	}
	return s.nobody
}

// head is what must be known of a body before the SDK reads it.
type head struct {
	Method string `json:"method"`
	Params struct {
		Meta struct {
			Protocol string `json:"io.modelcontextprotocol/protocolVersion"`
			Client   struct {
				Name string `json:"name"`
			} `json:"io.modelcontextprotocol/clientInfo"`
		} `json:"_meta"`
	} `json:"params"`
	batch bool
}

func (h head) protocol() string { return h.Params.Meta.Protocol }

// opens reports whether the body may begin a session of the handshake era.
func (h head) opens() bool { return h.batch || h.Method == methodInitialize }

// streams reports whether the answer comes as a stream and may take long.
func (h head) streams() bool { return h.Method == methodCall || h.Method == methodListen }

// readHead reads the body, at most MaxBody, and puts it back for the SDK. A body
// that isn't JSON has an empty head: the SDK says what is wrong with it.
func (s *Server) readHead(w http.ResponseWriter, r *http.Request) (head, bool) {
	var h head
	if r.Method != http.MethodPost || r.Body == nil {
		return h, true
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.o.MaxBody))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			http.Error(w, fmt.Sprintf("the request body is larger than %d bytes", tooLarge.Limit), http.StatusRequestEntityTooLarge)
		} else {
			http.Error(w, "the request body could not be read", http.StatusBadRequest)
		}
		return h, false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	if len(trimmed) > 0 && trimmed[0] == '[' {
		h.batch = true
		return h, true
	}
	if err := json.Unmarshal(body, &h); err != nil && h.Method == "" {
		return head{}, true
	}
	return h, true
}
