package gateway

import (
	"context"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/session"
	"github.com/toolcrib/toolcrib/internal/telemetry"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// Telemetry implements httpapi.SessionControl.
func (c control) Telemetry(ctx context.Context, days int) (client.Telemetry, error) {
	out := client.Telemetry{Tokenizer: tokenizer, Agents: []client.AgentTelemetry{}}
	record, err := c.readable(ctx)
	if err != nil {
		return out, err
	}
	if days > 0 {
		out.Since = time.Now().AddDate(0, 0, -days).UTC().Truncate(time.Second)
	}
	totals, err := record.Totals(ctx, out.Since)
	for _, t := range totals {
		a := wireTotal(t)
		out.Agents = append(out.Agents, a)
		sum(&out.Total, a)
	}
	return out, err
}

func wireTotal(t session.Total) client.AgentTelemetry {
	return client.AgentTelemetry{
		Agent: t.Agent, Sessions: t.Sessions, Searches: t.Searches, Describes: t.Describes, Calls: t.Calls, Failed: t.Failed, Refused: t.Refused,
		Lists: t.Shows, Bytes: t.Bytes, DirectBytes: t.DirectBytes, SavedTokens: (t.DirectBytes - t.Bytes) / toolsearch.BytesPerToken,
		InputTokens: t.InputTokens, OutputTokens: t.OutputTokens,
	}
}

// sum adds one agent to the total.
func sum(total *client.AgentTelemetry, a client.AgentTelemetry) {
	total.Sessions += a.Sessions
	total.Searches += a.Searches
	total.Describes += a.Describes
	total.Calls += a.Calls
	total.Failed += a.Failed
	total.Refused += a.Refused
	total.Lists += a.Lists
	total.Bytes += a.Bytes
	total.DirectBytes += a.DirectBytes
	total.SavedTokens += a.SavedTokens
	total.InputTokens += a.InputTokens
	total.OutputTokens += a.OutputTokens
}

// WriteMetrics implements httpapi.SessionControl: the counters, and what is the
// case now.
func (c control) WriteMetrics(w io.Writer) {
	c.recorder.counters.Write(w)
	telemetry.Count(w, "toolcrib_events_dropped_total", c.recorder.log.Dropped())
	telemetry.Gauge(w, "toolcrib_uptime_seconds", time.Since(c.started).Seconds())
	telemetry.Gauge(w, "toolcrib_open_sessions", float64(c.sessions.count()))
	telemetry.Gauge(w, "toolcrib_approvals_pending", float64(len(c.approvals.broker.Pending())))
	states := map[toolcrib.State]int{}
	tools := 0
	for _, s := range c.servers.Status() {
		states[s.State]++
		tools += s.Tools
	}
	for _, state := range slices.Sorted(maps.Keys(states)) {
		telemetry.Gauge(w, "toolcrib_servers", float64(states[state]), telemetry.Label("state", string(state)))
	}
	telemetry.Gauge(w, "toolcrib_server_tools", float64(tools))
}
