package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/builtin/gofunc"
)

// Bounds of a service's state and of one call.
const (
	maxRows   = 200       // records of one table
	maxRecord = 16 << 10  // bytes of one record as JSON
	maxState  = 512 << 10 // bytes of all records of a service
	maxArgs   = 32 << 10  // bytes of the arguments of one call
)

// service is one invented service: its tables, its tools, and the lock that
// every call of it holds.
type service struct {
	owner  string
	tools  []tool
	tables []*table

	now   func() time.Time
	today time.Time // midnight UTC of the day on which the service was opened

	mu    sync.Mutex
	bytes int // size of all records
}

func newService(now func() time.Time) *service {
	return &service{now: now, today: now().UTC().Truncate(24 * time.Hour)}
}

// at is a moment some days from today, for seed data.
func (s *service) at(days, hour, minute int) string {
	return stamp(s.today.AddDate(0, 0, days).Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute))
}

// on is a date some days from today, for seed data.
func (s *service) on(days int) string { return s.today.AddDate(0, 0, days).Format(time.DateOnly) }

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// offer sets the service's name and tools.
func (s *service) offer(owner string, tools ...tool) { s.owner, s.tools = owner, tools }

func (s *service) gofuncs() []gofunc.Tool {
	all := make([]gofunc.Tool, 0, len(s.tools))
	for _, t := range s.tools {
		all = append(all, gofunc.Tool{Tool: t.describe(s.owner), Handler: s.handler(t)})
	}
	return all
}

func (s *service) handler(t tool) gofunc.Handler {
	return func(_ context.Context, in toolcrib.Call) (toolcrib.Result, error) {
		c := &call{now: s.now().UTC().Truncate(time.Second)}
		result, err := s.run(t, c, in.Args)
		if in.Progress != nil {
			for i, step := range c.steps {
				in.Progress(toolcrib.Progress{Done: float64(i + 1), Total: float64(len(c.steps)), Message: step})
			}
		}
		return result, err
	}
}

// run does the work under the lock; the answer is written before it is let go,
// so that no record is shared with anybody.
func (s *service) run(t tool, c *call, args json.RawMessage) (toolcrib.Result, error) {
	if err := c.read(args); err != nil {
		return refusal(err), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out, err := t.run(c)
	var refused refused
	if errors.As(err, &refused) {
		return refusal(err), nil
	}
	if err != nil {
		return toolcrib.Result{}, err
	}
	return gofunc.ResultOf(out)
}

// refused is the service's own no, in words for the model.
type refused string

func (r refused) Error() string { return string(r) }

func refuse(format string, args ...any) error { return refused(fmt.Sprintf(format, args...)) }

func refusal(err error) toolcrib.Result {
	return toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text(err.Error())}, IsError: true}
}

// call is one call as the services see it.
type call struct {
	args  record
	now   time.Time
	steps []string // reported as progress
}

func (c *call) read(args json.RawMessage) error {
	c.args = record{}
	if len(args) > maxArgs {
		return refuse("the arguments are %d bytes long: the demo takes at most %d", len(args), maxArgs)
	}
	if len(args) == 0 {
		return nil
	}
	if err := json.Unmarshal(args, &c.args); err != nil || c.args == nil {
		return refuse("the arguments are not a JSON object")
	}
	return nil
}

func (c *call) step(format string, args ...any) {
	c.steps = append(c.steps, fmt.Sprintf(format, args...))
}

// record is one row of a table, or the arguments of a call. Values are what
// encoding/json decodes: strings, float64, bool, []any, record's own type never.
type record map[string]any

func (r record) has(name string) bool { return r[name] != nil }

func (r record) str(name string) string { s, _ := r[name].(string); return s }

func (r record) num(name string) float64 { n, _ := r[name].(float64); return n }

func (r record) int(name string) int { return int(r.num(name)) }

func (r record) yes(name string) bool { b, _ := r[name].(bool); return b }

func (r record) items(name string) []any { l, _ := r[name].([]any); return l }

// time is the moment or the date in the field; the zero time when there is none.
func (r record) time(name string) time.Time {
	if t, err := time.Parse(time.RFC3339, r.str(name)); err == nil {
		return t.UTC()
	}
	t, _ := time.Parse(time.DateOnly, r.str(name))
	return t
}

// list returns the strings of a list.
func (r record) list(name string) []string {
	var all []string
	for _, v := range r.items(name) {
		if s, ok := v.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// pick returns the values of these names that are there.
func (r record) pick(names ...string) record {
	some := record{}
	for _, n := range names {
		if v, ok := r[n]; ok {
			some[n] = v
		}
	}
	return some
}

// title turns create_issue into "Create issue".
func title(name string) string {
	s := strings.ReplaceAll(name, "_", " ")
	return strings.ToUpper(s[:1]) + s[1:]
}
