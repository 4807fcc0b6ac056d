package client

import (
	"context"

	"github.com/toolcrib/toolcrib"
)

// PolicyCaller says for whom policy is asked. What is left out holds as it would
// for such a caller: the agent's own harness, for example.
type PolicyCaller struct {
	// Agent is the agent whose policy applies; empty means the default one.
	Agent string `json:"agent,omitempty"`
	// Door is the way by which the caller comes in; empty means "mcp".
	Door toolcrib.Door `json:"door,omitempty"`
	// Provider is the model's provider, or PROVIDER/MODEL.
	Provider  string `json:"provider,omitempty"`
	Harness   string `json:"harness,omitempty"`
	Sandboxed bool   `json:"sandboxed,omitempty"`
	Subagent  bool   `json:"subagent,omitempty"`
	// Owner is true for a caller that is proven to be the operator.
	Owner bool `json:"owner,omitempty"`
}

// PolicyExplainRequest is the body of POST /api/policy/explain.
type PolicyExplainRequest struct {
	// Tool is an id, a unique name, or SERVER__NAME. It need not be that of a tool
	// that there is.
	Tool string `json:"tool"`
	PolicyCaller
}

// PolicyRule is one rule, and where it stands.
type PolicyRule struct {
	// Text says it whole, such as `tools.deny "mcp:github:*"`.
	Text string `json:"text"`
	// Path is the key of the configuration, and List, Pattern and Index its parts;
	// Index is -1 when no single item of a list decided. All but Index are empty
	// where no list decided.
	Path    string `json:"path,omitempty"`
	List    string `json:"list,omitempty"`
	Pattern string `json:"pattern,omitempty"`
	Index   int    `json:"index"`
	// Place is where that is written: FILE:LINE:COLUMN, a variable or a flag. File
	// and Line are its parts, when it is a file.
	Place string `json:"place,omitempty"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
}

// PolicyOpinion is what one scope by itself says of a tool: "allows", "denies",
// "does not allow" (it has a list of what is allowed, and the tool isn't in it)
// or "says nothing".
type PolicyOpinion struct {
	Scope string     `json:"scope"`
	Says  string     `json:"says"`
	Rule  PolicyRule `json:"rule"`
}

// PolicyExplanation is the answer of POST /api/policy/explain.
type PolicyExplanation struct {
	// Tool is the tool's id; of one that isn't known, what was asked for.
	Tool  string `json:"tool"`
	Known bool   `json:"known"`
	// Allowed says whether the caller may see and call it, and Rule why.
	Allowed bool       `json:"allowed"`
	Rule    PolicyRule `json:"rule"`
	// Caller is who was asked for, completed by what the agent says.
	Caller PolicyCaller `json:"caller"`
	// Scopes are those that hold for the caller, the widest first.
	Scopes []PolicyOpinion `json:"scopes"`
	// Notes say what else is to know.
	Notes []string `json:"notes,omitempty"`
}

// PolicyShowReply is the answer of POST /api/policy/show.
type PolicyShowReply struct {
	Caller PolicyCaller `json:"caller"`
	// Owners counts the tools of each owner, sorted by source and name.
	Owners []PolicyOwner `json:"owners"`
	// Allowed are ids, sorted.
	Allowed []string `json:"allowed"`
	// Denied are the rules that refuse tools, those that refuse most first.
	Denied      []PolicyDenied `json:"denied"`
	Unavailable []Unavailable  `json:"unavailable,omitempty"`
}

// PolicyOwner is one server, plugin or part of the core with its tools.
type PolicyOwner struct {
	Source  toolcrib.Source `json:"source"`
	Owner   string          `json:"owner"`
	Allowed int             `json:"allowed"`
	Denied  int             `json:"denied"`
}

// PolicyDenied is one rule with the ids of the tools that it refuses, sorted.
type PolicyDenied struct {
	Rule  PolicyRule `json:"rule"`
	Tools []string   `json:"tools"`
}

// ExplainPolicy says whether a caller may use a tool, and which rule decides.
func (c *Client) ExplainPolicy(ctx context.Context, r PolicyExplainRequest) (PolicyExplanation, error) {
	return post[PolicyExplanation](ctx, c, "/api/policy/explain", r)
}

// ShowPolicy says what a caller may use, and by which rules not the rest.
func (c *Client) ShowPolicy(ctx context.Context, caller PolicyCaller) (PolicyShowReply, error) {
	return post[PolicyShowReply](ctx, c, "/api/policy/show", caller)
}
