package toolcrib

// Door is the way by which a caller came in.
type Door string

// The doors.
const (
	DoorMCP       Door = "mcp"
	DoorChat      Door = "chat"
	DoorResponses Door = "responses"
	DoorMessages  Door = "messages"
	DoorCLI       Door = "cli"
	DoorAgent     Door = "agent"
)

// DefaultAgent is the agent of a caller that names none.
const DefaultAgent = "main"

// Scope says who is calling. It is a parameter of everything that lists or
// runs tools; it never travels in a context.
type Scope struct {
	Door  Door
	Agent string
	// Session names the history that runs share: the stdio process, the
	// protocol's session id, or the token where the protocol is stateless.
	Session string
	// Run names one user request; over MCP, one tools/call.
	Run string
	// Caller names the token that was presented; empty for the local user.
	Caller string
	// Owner is true only when the caller is proven to be the operator.
	Owner bool
	// Client is the client program's own name, as it claims it.
	Client string
}
