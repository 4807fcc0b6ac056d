package mcpserver

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Defaults of Options.
const (
	DefaultMaxSessions = 1000
	DefaultIdle        = 30 * time.Minute
	DefaultDrain       = 2 * time.Second
	DefaultPageSize    = 5000
)

// Options is what a Server needs.
type Options struct {
	// Opener opens the sessions. Required.
	Opener Opener
	// Name, Title and Version are how the server introduces itself; Name is
	// "toolcrib" when empty.
	Name, Title, Version string
	// MaxSessions bounds the HTTP sessions of each era; the one unused for
	// longest goes first.
	MaxSessions int
	// Idle is how long an HTTP session lives without a request in it.
	Idle time.Duration
	// Drain is how long calls may go on after stdin was closed, so that
	// `printf … | toolcrib mcp` is answered; then they are cancelled.
	Drain time.Duration
	// PageSize is the number of tools in one page of tools/list. Many clients
	// read one page only, so it is large.
	PageSize int
	// MaxBody bounds the body of one HTTP request, 4 MiB when zero.
	MaxBody int64
	// Logger may be nil.
	Logger *slog.Logger
}

// Server serves MCP. Its methods may be used at the same time.
type Server struct{ o Options }

// New checks o and returns a Server.
func New(o Options) (*Server, error) {
	if o.Opener == nil {
		return nil, errors.New("mcpserver: Options.Opener is required")
	}
	return &Server{o: o}, nil
}

// Run serves one client over in and out, newline-delimited JSON, until in ends,
// out breaks or ctx is done. Nothing but protocol is written to out.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer, scope toolcrib.Scope, mode string) error {
	return nil
}

// Serve answers one HTTP request of MCP's streamable transport, of either era.
// The caller has checked who is asking: scope, and the mode that was asked for.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, scope toolcrib.Scope, mode string) {}

// Sessions counts the HTTP sessions that are open.
func (s *Server) Sessions() int { return 0 }

// Close ends all HTTP sessions and cancels their calls.
func (s *Server) Close() error { return nil }
