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
	Door  Door   `json:"door,omitempty"`
	Agent string `json:"agent,omitempty"`
	// Session names the history that runs share: the stdio process, the
	// protocol's session id, or the token where the protocol is stateless.
	Session string `json:"session,omitempty"`
	// Run names one user request; over MCP, one tools/call.
	Run string `json:"run,omitempty"`
	// Caller names the token that was presented; empty for the local user.
	Caller string `json:"caller,omitempty"`
	// Owner is true only when the caller is proven to be the operator.
	Owner bool `json:"owner,omitempty"`
	// Client is the client program's own name, as it claims it.
	Client string `json:"client,omitempty"`
	// Provider is the model's provider; empty where none is known, as over MCP.
	Provider string `json:"provider,omitempty"`
	// Harness names the program that runs the model, such as "codex", as the
	// agent, the token or the client's name says.
	Harness string `json:"harness,omitempty"`
	// Sandboxed is true for a session that runs sandboxed, Subagent for an agent
	// that another agent started.
	Sandboxed bool `json:"sandboxed,omitempty"`
	Subagent  bool `json:"subagent,omitempty"`
	// Narrow is what the session, the token and the run may use at most; nil
	// where nothing narrows. It is shared and must not be changed.
	Narrow *Narrowing `json:"-"`
}

// Narrowing holds the lists that narrow one caller beside the configuration; a
// nil list doesn't.
type Narrowing struct{ Session, Token, Run *ToolList }

// ToolList is an allow and a deny list of patterns. Deny wins.
type ToolList struct {
	// Allow lists what may be used. An empty one allows all, except in
	// Narrowing.Run: there it allows nothing unless it is nil.
	Allow []string
	Deny  []string
}
