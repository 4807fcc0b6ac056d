package client

import (
	"context"
	"net/url"
)

// Stats is the body of GET /api/stats: what a model's requests carry in each mode.
type Stats struct {
	// Tools counts what the agent may reach.
	Tools int `json:"tools"`
	// Modes are the ways to show them, the largest first.
	Modes []ModeStats `json:"modes"`
	// Owners are the servers and plugins, the largest first.
	Owners []OwnerStats `json:"owners"`
}

// ModeStats is the size of the tool list that one mode shows a model.
type ModeStats struct {
	Mode string `json:"mode"`
	// Visible counts the tools in the list.
	Visible int `json:"visible"`
	// Bytes is the size of the list's JSON, as MCP's tools/list sends it.
	Bytes int `json:"bytes"`
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

// Stats measures what an agent's tools cost a model in each mode. An empty agent
// is the default one.
func (c *Client) Stats(ctx context.Context, agent string) (Stats, error) {
	query := url.Values{}
	if agent != "" {
		query.Set("agent", agent)
	}
	return get[Stats](ctx, c, "/api/stats", query)
}
