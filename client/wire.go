package client

import (
	"encoding/json"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Status is the answer of GET /api/status.
type Status struct {
	Version string    `json:"version"`
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	// Listen is the address of the MCP endpoint, such as "http://127.0.0.1:7433/mcp"; empty when there is none.
	Listen string `json:"listen,omitempty"`
	// ConfigPath is the configuration file in use; empty when there is none.
	ConfigPath string `json:"configPath,omitempty"`
	// ConfigHash tells two configurations apart: a client that read another
	// configuration should not use this gateway.
	ConfigHash string `json:"configHash,omitempty"`
	// SettingsHash tells apart what TOOLCRIB_ variables of the gateway's environment
	// lay over the file.
	SettingsHash string `json:"settingsHash,omitempty"`
	// ConfigError is why the file that was read last is not in force; empty when it is.
	ConfigError string `json:"configError,omitempty"`
	// Mode is the configured mode of tool search, "auto" when the choice is made for each session.
	Mode string `json:"mode,omitempty"`
	// Tools counts what the default agent may reach, direct-only tools included.
	Tools int `json:"tools"`
	// Servers counts the servers by state.
	Servers map[toolcrib.State]int `json:"servers,omitempty"`
	// Sessions counts the open MCP sessions.
	Sessions int `json:"sessions"`
	// Store is where sessions and the like are kept, and StoreError why that can't be
	// written; then calls are refused that must be recorded.
	Store      string `json:"store,omitempty"`
	StoreError string `json:"storeError,omitempty"`
	// Unrecorded counts the events that could not be kept since the start.
	Unrecorded uint64 `json:"unrecorded,omitempty"`
	// Warnings are those of the configuration.
	Warnings []string `json:"warnings,omitempty"`
}

// Server is one configured server in the answer of GET /api/servers.
type Server struct {
	Name  string         `json:"name"`
	State toolcrib.State `json:"state"`
	// Reason says why the server is not ready.
	Reason string `json:"reason,omitempty"`
	// Transport is "stdio" or "http".
	Transport string `json:"transport"`
	// Target is the command's name or the URL's host, without arguments and secrets.
	Target  string `json:"target,omitempty"`
	Trusted bool   `json:"trusted,omitempty"`
	// Scope is "shared" or "session".
	Scope string `json:"scope,omitempty"`
	PID   int    `json:"pid,omitempty"`
	// Protocol is the MCP version that was negotiated.
	Protocol      string     `json:"protocol,omitempty"`
	ServerName    string     `json:"serverName,omitempty"`
	ServerVersion string     `json:"serverVersion,omitempty"`
	Tools         int        `json:"tools"`
	Restarts      int        `json:"restarts"`
	Since         *time.Time `json:"since,omitempty"`
	NextTry       *time.Time `json:"nextTry,omitempty"`
	Warnings      []string   `json:"warnings,omitempty"`
	// Review counts the tools that a person should look at.
	Review Review `json:"review,omitzero"`
}

// ServerList is the body of GET /api/servers.
type ServerList struct {
	Servers []Server `json:"servers"`
}

// LogLines is the body of GET /api/servers/{name}/logs, oldest line first.
type LogLines struct {
	Server string   `json:"server"`
	Lines  []string `json:"lines"`
}

// ToolsRequest narrows GET /api/tools. Empty fields don't.
type ToolsRequest struct {
	Agent string
	Owner string
}

// Tool is one line of a tool list.
type Tool struct {
	ID          string          `json:"id"`
	Source      toolcrib.Source `json:"source"`
	Owner       string          `json:"owner,omitempty"`
	Name        string          `json:"name"`
	Label       string          `json:"label,omitempty"`
	Description string          `json:"description,omitempty"`
	// DirectOnly is true for a tool that no search finds, since models see it always.
	DirectOnly bool `json:"directOnly,omitempty"`
}

// Unavailable names a server whose tools can't be called now.
type Unavailable struct {
	Server string         `json:"server"`
	State  toolcrib.State `json:"state,omitempty"`
	Reason string         `json:"reason,omitempty"`
}

// ToolList is the body of GET /api/tools, sorted by id.
type ToolList struct {
	Tools       []Tool        `json:"tools"`
	Unavailable []Unavailable `json:"unavailable,omitempty"`
}

// SearchRequest is the body of POST /api/search.
type SearchRequest struct {
	Query string `json:"query"`
	// Limit is the number of hits; 0 means the configured default.
	Limit int `json:"limit,omitempty"`
	// Agent is the agent whose policy applies; empty means the default one.
	Agent string `json:"agent,omitempty"`
	// Explain asks how each score came about.
	Explain bool `json:"explain,omitempty"`
}

// Hit is one tool that a search found, as a model would see it.
type Hit struct {
	ID          string          `json:"id"`
	Source      toolcrib.Source `json:"source"`
	Owner       string          `json:"owner,omitempty"`
	Name        string          `json:"name"`
	Label       string          `json:"label,omitempty"`
	Description string          `json:"description"`
	// Input is a TypeScript-like signature of the arguments, or "unknown".
	Input string `json:"input"`
	// Output is the signature of the result's details, where there is a promise.
	Output string `json:"output,omitempty"`
	// Call is the control with which a model runs the tool, where there are several.
	Call string `json:"call,omitempty"`
}

// SearchReply is the answer of POST /api/search, best hit first.
type SearchReply struct {
	Hits        []Hit         `json:"hits"`
	Truncated   bool          `json:"truncated,omitempty"`
	Unavailable []Unavailable `json:"unavailable,omitempty"`
	// Hint says what to do next when there is nothing to show.
	Hint string `json:"hint,omitempty"`
	// Explain is there when it was asked for: the account of each hit's score.
	Explain json.RawMessage `json:"explain,omitempty"`
}

// DescribeRequest is the body of POST /api/describe.
type DescribeRequest struct {
	// ID is a tool's id or its unique name.
	ID    string `json:"id"`
	Agent string `json:"agent,omitempty"`
}

// Description is the answer of POST /api/describe: a Hit with its whole text and schemas.
type Description struct {
	Hit
	Annotations *toolcrib.Annotations `json:"annotations,omitempty"`
	// CatalogMode, ExecutionMode and OwnerOnly are the tool's flags.
	CatalogMode   toolcrib.CatalogMode   `json:"catalogMode,omitempty"`
	ExecutionMode toolcrib.ExecutionMode `json:"executionMode,omitempty"`
	OwnerOnly     bool                   `json:"ownerOnly,omitempty"`
	// Parameters is the exact JSON Schema of the arguments.
	Parameters json.RawMessage `json:"parameters,omitempty"`
	// OutputSchema is there for tools whose promise is trusted.
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
}

// CallRequest is the body of POST /api/call.
type CallRequest struct {
	// ID is a tool's id or its unique name.
	ID string `json:"id"`
	// Args is the object of arguments; nil means {}.
	Args  json.RawMessage `json:"args,omitempty"`
	Agent string          `json:"agent,omitempty"`
}

// CalledTool names the tool that ran.
type CalledTool struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Source toolcrib.Source `json:"source"`
}

// CallReply is the answer of POST /api/call: the raw envelope, whole.
type CallReply struct {
	Tool   CalledTool      `json:"tool"`
	Result toolcrib.Result `json:"result"`
}

// Failure is the body of every answer that is not a success.
type Failure struct {
	Error FailureDetail `json:"error"`
}

// FailureDetail is a *toolcrib.Error on the wire.
type FailureDetail struct {
	Kind    toolcrib.Kind `json:"kind"`
	Op      string        `json:"op,omitempty"`
	Message string        `json:"message"`
	Hint    string        `json:"hint,omitempty"`
}
