package mcpserver

import (
	"context"

	"github.com/toolcrib/toolcrib"
)

// Who is the client that a session is opened for.
type Who struct {
	// Scope is the scope that the door found out; this package adds Session and
	// Client to it. Run is set for each call.
	Scope toolcrib.Scope
	// Mode is the mode that the client asked for (?mode= or --mode); may be empty.
	Mode string
	// Identity is by what the client will be known again when the gateway was
	// restarted, and its session with it: over HTTP what a session of the stateless
	// era is, in both eras; over stdio what whoever runs it says. Empty for one that
	// won't be known. It is secret to nobody and proves nothing: Scope does.
	Identity string
	// Client is the program at the other end, as it names itself.
	Client Client
	// Protocol is the version of MCP that the client asked for.
	Protocol string
}

// Client names a client program.
type Client struct {
	Name    string
	Version string
}

// Opener opens the session of one MCP client.
type Opener interface {
	// Open is called once a session, when the client has said who it is. It
	// must be quick: it need not wait for servers (Surface may). changed is to
	// be called whenever the tools that this session sees may have changed. It
	// returns at once and may be called from any goroutine, also before Open has
	// returned and after Close. The client is told only if the surface then
	// shows other tools than it has listed, or other instructions, once for
	// several calls in a row.
	//
	// An error refuses the client. A *toolcrib.Error's text is shown to it.
	Open(ctx context.Context, who Who, changed func()) (Session, error)
}

// Session is what one client works with.
type Session interface {
	// Surface returns the present surface, cheaply when nothing has changed.
	// It may wait for servers that have never answered, within ctx and a bound
	// of its own.
	Surface(ctx context.Context) Surface
	// Close is called once, when the session has ended and its calls have
	// returned or been cancelled.
	Close()
}

// Surface is an immutable set of visible tools and the way to run them.
type Surface interface {
	Tools() []Visible
	Instructions() string
	// Call runs a visible tool, or answers why it can't: an unknown name and
	// arguments of a wrong shape are replies too.
	Call(ctx context.Context, r CallRequest) Reply
}
