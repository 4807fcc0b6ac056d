package telemetry

import (
	"fmt"
	"io"
	"strings"

	"github.com/VictoriaMetrics/metrics"

	"github.com/toolcrib/toolcrib/internal/session"
)

// Counters are the counters of one process, in the form of Prometheus. They are
// safe for concurrent use.
type Counters struct{ set *metrics.Set }

// New returns counters that are all zero.
func New() *Counters { return &Counters{metrics.NewSet()} }

// Add counts an event. Labels are words of the configuration and of this program,
// never of a model or a server, so their number is bounded.
func (c *Counters) Add(e session.Event) {
	agent := label("agent", e.Agent)
	switch e.Kind {
	case session.KindStart:
		c.one("toolcrib_sessions_total", agent, label("door", string(e.Door)))
	case session.KindSearch:
		c.one("toolcrib_searches_total", agent, label("outcome", string(e.Outcome)))
	case session.KindDescribe:
		c.one("toolcrib_describes_total", agent, label("outcome", string(e.Outcome)))
	case session.KindCode:
		c.one("toolcrib_code_bodies_total", agent, label("outcome", string(e.Outcome)))
	case session.KindCall:
		c.one("toolcrib_calls_total", agent, label("source", string(e.Source)), label("outcome", string(e.Outcome)))
		c.seconds("toolcrib_call_seconds", e.Ms, label("source", string(e.Source)))
	case session.KindApproval:
		c.one("toolcrib_approvals_total", agent, label("decision", string(e.Decision)))
	case session.KindRequest:
		c.one("toolcrib_model_requests_total", agent, label("model", e.Model), label("outcome", string(e.Outcome)))
		c.seconds("toolcrib_model_request_seconds", e.Ms, label("model", e.Model))
	}
	c.cost(agent, session.CostOf(e))
}

func (c *Counters) cost(agent string, of session.Cost) {
	for name, n := range map[string]int64{
		"toolcrib_shown_lists_total":  int64(of.Shows),
		"toolcrib_shown_bytes_total":  of.Bytes,
		"toolcrib_direct_bytes_total": of.DirectBytes,
	} {
		if n > 0 {
			c.set.GetOrCreateCounter(series(name, agent)).AddInt64(n)
		}
	}
	for direction, n := range map[string]int64{"input": of.InputTokens, "output": of.OutputTokens} {
		if n > 0 {
			c.set.GetOrCreateCounter(series("toolcrib_model_tokens_total", agent, label("direction", direction))).AddInt64(n)
		}
	}
}

func (c *Counters) one(name string, labels ...string) {
	c.set.GetOrCreateCounter(series(name, labels...)).Inc()
}

func (c *Counters) seconds(name string, ms int64, labels ...string) {
	c.set.GetOrCreatePrometheusHistogram(series(name, labels...)).Update(float64(ms) / 1000)
}

// Write writes all of them in the text form of Prometheus.
func (c *Counters) Write(w io.Writer) { c.set.WritePrometheus(w) }

// Gauge writes one value of now, in the same form.
func Gauge(w io.Writer, name string, value float64, labels ...string) {
	metrics.WriteGaugeFloat64(w, series(name, labels...), value)
}

// Count writes one counter that somebody else keeps.
func Count(w io.Writer, name string, value uint64) { metrics.WriteCounterUint64(w, name, value) }

// Label is a label for Gauge.
func Label(name, value string) string { return label(name, value) }

// label quotes a value as the text form wants it.
func label(name, value string) string {
	return fmt.Sprintf(`%s="%s"`, name, strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(value))
}

func series(name string, labels ...string) string {
	if len(labels) == 0 {
		return name
	}
	return name + "{" + strings.Join(labels, ",") + "}"
}
