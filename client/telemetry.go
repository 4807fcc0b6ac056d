package client

import (
	"context"
	"net/url"
	"strconv"
	"time"
)

// Telemetry is the body of GET /api/telemetry: what models were shown and did.
type Telemetry struct {
	// Since is where counting begins: of sessions with an event since then, all of
	// it counts. Zero for all that is recorded.
	Since time.Time `json:"since,omitzero"`
	// Tokenizer says how tokens of bytes are counted.
	Tokenizer string `json:"tokenizer"`
	// Agents are sorted by name.
	Agents []AgentTelemetry `json:"agents"`
	Total  AgentTelemetry   `json:"total"`
}

// AgentTelemetry is what was done for one agent.
type AgentTelemetry struct {
	Agent     string `json:"agent,omitempty"`
	Sessions  int    `json:"sessions"`
	Searches  int    `json:"searches"`
	Describes int    `json:"describes"`
	Calls     int    `json:"calls"`
	// Failed and Refused are how many of the calls.
	Failed  int `json:"failed"`
	Refused int `json:"refused"`
	// Lists counts the times that a list of tools was shown: each request to a model
	// or, where a client asks the model, each list that the client got.
	Lists int `json:"lists"`
	// Bytes is the size of all those lists, and DirectBytes what lists of all tools
	// would have been. SavedTokens is an estimate of the difference.
	Bytes       int64 `json:"bytes"`
	DirectBytes int64 `json:"directBytes"`
	SavedTokens int64 `json:"savedTokens"`
	// InputTokens and OutputTokens are what models counted by themselves.
	InputTokens  int64 `json:"inputTokens"`
	OutputTokens int64 `json:"outputTokens"`
}

// Telemetry sums up what models were shown and did in the last days; 0 for all
// that is recorded.
func (c *Client) Telemetry(ctx context.Context, days int) (Telemetry, error) {
	query := url.Values{}
	if days != 0 {
		query.Set("days", strconv.Itoa(days))
	}
	return get[Telemetry](ctx, c, "/api/telemetry", query)
}
