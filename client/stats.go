package client

import (
	"context"
	"net/url"
)

// Stats is the body of GET /api/stats: what a model's requests carry in each mode.
type Stats struct {
	// Tools counts what the agent may reach.
	Tools int `json:"tools"`
	// Tokenizer says how tokens are counted.
	Tokenizer string `json:"tokenizer,omitempty"`
	// Modes are the ways to show them, the largest first.
	Modes []ModeStats `json:"modes"`
	// Owners are the servers and plugins, the largest first.
	Owners []OwnerStats `json:"owners"`
	// Largest are the largest tools of the direct list, at most ten.
	Largest []ToolStats `json:"largest,omitempty"`
	// Savings are what to switch off first, at most five; none while the direct list is small.
	Savings []Saving `json:"savings,omitempty"`
}

// ModeStats is the size of what one mode shows a model.
type ModeStats struct {
	Mode string `json:"mode"`
	// Visible counts the tools in the list.
	Visible int `json:"visible"`
	// Bytes is the size of the list's JSON, as MCP's tools/list sends it, and of
	// the instructions beside it.
	Bytes int `json:"bytes"`
	// Instructions is how many of the bytes are the instructions.
	Instructions int `json:"instructions,omitempty"`
	// Tokens is an estimate: a token for four bytes.
	Tokens int `json:"tokens"`
}

// OwnerStats is the share of one server or plugin in the direct list.
type OwnerStats struct {
	Owner  string `json:"owner"`
	Tools  int    `json:"tools"`
	Bytes  int    `json:"bytes"`
	Tokens int    `json:"tokens"`
}

// ToolStats is the share of one tool in the direct list.
type ToolStats struct {
	ID     string `json:"id"`
	Bytes  int    `json:"bytes"`
	Tokens int    `json:"tokens"`
	// Share is in percent of the direct list.
	Share float64 `json:"share"`
}

// Saving is one thing to switch off, and what that saves in the direct list.
type Saving struct {
	// Command does it.
	Command string `json:"command"`
	// Owner is the server; Tool is the id of the tool when it is about one alone.
	Owner string `json:"owner"`
	Tool  string `json:"tool,omitempty"`
	// Twin is another server that has the same tools, by their names.
	Twin   string `json:"twin,omitempty"`
	Reason string `json:"reason"`
	Bytes  int    `json:"bytes"`
	Tokens int    `json:"tokens"`
}

// Stats measures what an agent's tools cost a model in each mode. An empty agent
// is the default one.
func (c *Client) Stats(ctx context.Context, agent string) (Stats, error) {
	query := url.Values{}
	if agent != "" {
		query.Set("agent", agent)
	}
	return get[Stats](ctx, c, "/api/stats", query)
}
