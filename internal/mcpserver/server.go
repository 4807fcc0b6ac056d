package mcpserver

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Defaults of Options.
const (
	DefaultMaxSessions = 1000
	DefaultIdle        = 30 * time.Minute
	DefaultDrain       = 2 * time.Second
	DefaultPageSize    = 5000
	DefaultMaxBody     = 4 << 20
	DefaultSilence     = 15 * time.Second
)

// Options is what a Server needs.
type Options struct {
	// Opener opens the sessions. Required.
	Opener Opener
	// Name, Title and Version are how the server introduces itself; Name is
	// "toolcrib" and Version "dev" when empty.
	Name, Title, Version string
	// MaxSessions bounds the HTTP sessions of each era; the one unused for
	// longest goes first, those without a request in flight before others.
	MaxSessions int
	// Idle is how long an HTTP session lives without a request. An open stream
	// counts as one.
	Idle time.Duration
	// Drain is how long calls may go on after stdin was closed, so that
	// `printf … | toolcrib mcp` is answered; then they are cancelled. Negative
	// means not at all.
	Drain time.Duration
	// PageSize is the number of tools in one page of tools/list. Many clients
	// read one page only, so it is large.
	PageSize int
	// Silence is how long a stream over HTTP may be silent before it says that it
	// is still there.
	Silence time.Duration
	// MaxBody bounds the body of one HTTP request in bytes.
	MaxBody int64
	// Logger may be nil.
	Logger *slog.Logger
}

func (o *Options) complete() error {
	if o.Opener == nil {
		return errors.New("mcpserver: Options.Opener is required")
	}
	if o.MaxSessions < 0 || o.Idle < 0 || o.Silence < 0 || o.PageSize < 0 || o.MaxBody < 0 {
		return fmt.Errorf("mcpserver: a bound is negative: sessions %d, idle %v, silence %v, page %d, body %d",
			o.MaxSessions, o.Idle, o.Silence, o.PageSize, o.MaxBody)
	}
	setDefault(&o.Name, "toolcrib")
	setDefault(&o.Version, "dev")
	setDefault(&o.MaxSessions, DefaultMaxSessions)
	setDefault(&o.Idle, DefaultIdle)
	setDefault(&o.Drain, DefaultDrain)
	setDefault(&o.PageSize, DefaultPageSize)
	setDefault(&o.Silence, DefaultSilence)
	setDefault(&o.MaxBody, DefaultMaxBody)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Server serves MCP. Its methods may be used at the same time.
type Server struct {
	o Options
	// handshake and stateless hold the sessions of the two eras of HTTP.
	handshake, stateless *table
	// stateful and ephemeral are the SDK's handlers of the two eras.
	stateful, ephemeral http.Handler
	// nobody answers requests that belong to no session.
	nobody  *mcp.Server
	streams streams
	// waiting counts the calls whose clients were asked something and have not
	// come back.
	waiting atomic.Int64
	// closing waits for sessions that are on their way out.
	closing group
}

// New checks o and returns a Server.
func New(o Options) (*Server, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	s := &Server{
		o:         o,
		handshake: newTable(o.MaxSessions, o.Idle),
		stateless: newTable(o.MaxSessions, o.Idle),
	}
	s.nobody = mcp.NewServer(s.implementation(), s.sdkOptions())
	s.stateful = mcp.NewStreamableHTTPHandler(s.serverOf, &mcp.StreamableHTTPOptions{
		Logger:                     s.sdkLogger(),
		MaxRequestBodyBytes:        o.MaxBody,
		DisableLocalhostProtection: true, // whoever mounts Serve checks Host and Origin, by its own list
	})
	s.ephemeral = mcp.NewStreamableHTTPHandler(s.serverOf, &mcp.StreamableHTTPOptions{
		Stateless:                    true,
		Logger:                       s.sdkLogger(),
		MaxRequestBodyBytes:          o.MaxBody,
		DisableLocalhostProtection:   true,
		PropagateRequestCancellation: true,
	})
	return s, nil
}

// Sessions counts the HTTP sessions that are open.
func (s *Server) Sessions() int { return s.handshake.len() + s.stateless.len() }

// Close ends all HTTP sessions, cancels their calls and waits for them. It ends
// open streams too, so call it before shutting down the HTTP server around it.
func (s *Server) Close() error {
	for _, c := range append(s.handshake.shut(), s.stateless.shut()...) {
		c.close()
	}
	s.closing.wait()
	return nil
}

func (s *Server) implementation() *mcp.Implementation {
	return &mcp.Implementation{Name: s.o.Name, Title: s.o.Title, Version: s.o.Version}
}

func (s *Server) sdkOptions() *mcp.ServerOptions {
	return &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
		Logger:       s.sdkLogger(),
		SetCacheable: private,
	}
}
