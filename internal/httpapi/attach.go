package httpapi

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// Attacher is what a Control may be, too: one that serves MCP over connections
// of the control socket.
type Attacher interface {
	// Attach checks what a client asks for and returns what serves it: serve
	// reads from in, answers to conn, and returns when the session has ended and
	// conn is closed.
	Attach(r client.AttachRequest) (serve func(conn net.Conn, in io.Reader), err error)
}

// errTaken says that the connection is no longer HTTP, and nothing is to be answered.
var errTaken = errors.New("httpapi: the connection is taken")

// attach turns the request's connection into an MCP session, which lasts until
// one of the two ends it.
func (a *api) attach(w http.ResponseWriter, r *http.Request) (any, error) {
	attacher, ok := a.control.(Attacher)
	if !ok {
		return nil, toolcrib.NewError(toolcrib.KindNotFound, "nothing can be attached to this gateway", "")
	}
	if !upgrades(r) {
		w.Header().Set("Upgrade", client.AttachProtocol)
		return nil, toolcrib.NewError(toolcrib.KindInput, "the request asks for no upgrade to "+client.AttachProtocol,
			"send the headers Connection: Upgrade and Upgrade: "+client.AttachProtocol)
	}
	q := r.URL.Query()
	serve, err := attacher.Attach(client.AttachRequest{
		Mode: q.Get("mode"), Agent: q.Get("agent"), Settings: q.Get("settings"), Version: q.Get("version"), Identity: q.Get("identity"),
	})
	if err != nil {
		return nil, err
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, toolcrib.NewError(toolcrib.KindInput, "this connection can't be upgraded", "use the control socket").WithCause(err)
	}
	_, err = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "+client.AttachProtocol+"\r\n\r\n")
	if err != nil {
		conn.Close()
		return nil, errTaken
	}
	serve(conn, buffered.Reader)
	return nil, errTaken
}

// upgrades reports whether a request asks for an MCP session.
func upgrades(r *http.Request) bool {
	for word := range strings.SplitSeq(strings.Join(r.Header.Values("Connection"), ","), ",") {
		if strings.EqualFold(strings.TrimSpace(word), "upgrade") {
			return strings.EqualFold(r.Header.Get("Upgrade"), client.AttachProtocol)
		}
	}
	return false
}
