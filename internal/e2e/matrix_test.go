package e2e

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// refusal is one way to be refused.
type refusal struct {
	name string
	x    target
	args object // beside the mark
	// says is what the caller is told, and what stands in the record as the reason.
	says []string
	// rule is in the record.
	rule string
	// absent means that the tool is as one that doesn't exist.
	absent bool
	// person means that somebody answers, at a way of its own the client's user.
	person bool
	// senseless is why a way can't be refused like that; "" when it can.
	senseless func(way) string
}

func in(name string) target { return target{"yard", name} }

// refusals are those that a configuration makes.
func refusals() []refusal {
	notRun := "it did not run"
	operators := func(w way) string {
		if w.place != alone {
			return "there is somebody to ask: an operator can answer at the control API of a gateway that runs"
		}
		return ""
	}
	commandAlone := func(w way) string {
		if w.place == alone && w.single() {
			return "a command by itself can ask nobody: it is refused at once"
		}
		return ""
	}
	operatorsOwn := func(w way) string {
		if w.place == operator || w.single() {
			return "the operator's own commands have the file tools"
		}
		return ""
	}
	return []refusal{
		{name: "policy at planning", x: in("forbidden"), absent: true, rule: `tools.deny "mcp:yard:forbidden"`},
		{name: "policy at planning, a plugin's tool", x: target{"plugin:pier", "moored"}, absent: true, rule: `tools.deny "plugin:pier:moored"`},
		{name: "policy at planning, a core tool", x: target{"core:fs", "write"}, absent: true, rule: `defaults.deny "group:fs"`, senseless: operatorsOwn},
		{name: "hook blocks a plugin's tool", x: target{"plugin:pier", "berthed"}, says: []string{"blocked by hook mooring: the berth is taken", notRun}},
		{name: "quarantined", x: target{"quay", "pinned"}, says: []string{"is withheld", "waits for a review"}},
		{name: "hook blocks", x: in("pumped"), says: []string{"blocked by hook pump: the pump is off", notRun}},
		{name: "hook crashes", x: in("crashed"), says: []string{"hook crash failed: it exited with code 3", notRun}},
		{name: "hook is slow", x: in("slowed"), says: []string{"hook slow failed: it gave no answer within 100ms", notRun}},
		{name: "webhook answers 500", x: in("desked"), says: []string{"hook desk failed: its endpoint answered 500", notRun}},
		{name: "approval denied", x: in("asked"), person: true, says: []string{"tools.approvals[0]", "denied", notRun}, senseless: commandAlone},
		{name: "approval timed out", x: in("ignored"), person: true, says: []string{"tools.approvals[1]", "nobody answered within 1s", notRun}, senseless: commandAlone},
		{name: "no one to ask", x: in("ignored"), says: []string{"tools.approvals[1]", "nobody to ask", notRun}, senseless: operators},
		{name: "arguments against the schema", x: in("strict"), args: object{"deep": true}, says: []string{"its arguments are wrong", "deep", "expected args: { mark: string }", notRun}},
		{name: "rewritten arguments against the schema", x: in("rewritten"), says: []string{"its arguments are wrong", "mark", notRun}},
	}
}

// later are those that come up while sessions are open; each has a phase of the test.
var (
	midway    = refusal{name: "policy changes while the call is held", says: []string{"blocked by policy: tools.deny", "it did not run"}, rule: "tools.deny"}
	withdrawn = refusal{name: "policy changes between listing and call", x: in("withdrawn"), absent: true, rule: `tools.deny "mcp:yard:withdrawn"`}
	down      = refusal{name: "server down", x: target{"pit", "dig"}, says: []string{"pit", "the pit is closed"}}
	unkept    = refusal{name: "store can't be written", x: in("fine"), says: []string{"it did not run: the audit record can't be written"}}
)

// readsOnce is why a command by itself knows no changes.
func readsOnce(w way) string {
	if w.place == alone && w.single() {
		return "a command by itself reads the configuration and lists the tools when it starts, for its one call"
	}
	return ""
}

// opened is a way that is in use.
type opened struct {
	way
	call use
	// asking is the same for a client whose user can be asked; nil where only
	// operators are.
	asking use
}

// person is the user of a client: says no to one tool, and nothing to others.
func person() *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		if strings.Contains(r.Params.Message, in("asked").id()) {
			return &mcp.ElicitResult{Action: "decline"}, nil
		}
		<-ctx.Done()
		return nil, ctx.Err()
	}}
}

// openAll opens every way of a site.
func (s *site) openAll(t *testing.T, all []way) []opened {
	out := make([]opened, len(all))
	var wg sync.WaitGroup
	for i, w := range all {
		wg.Go(func() {
			out[i] = opened{way: w, call: w.open(t, s, w, nil)}
			if w.place == alone && !w.single() {
				out[i].asking = w.open(t, s, w, person())
			}
		})
	}
	wg.Wait()
	return out
}

// eachWay runs a test for each way, all at once.
func eachWay(t *testing.T, name string, all []opened, f func(*testing.T, opened)) {
	t.Run(name, func(t *testing.T) {
		for _, o := range all {
			t.Run(o.name, func(t *testing.T) {
				t.Parallel()
				f(t, o)
			})
		}
	})
}

// TestNothingPasses: every way to reach a tool, and every way to be refused. None
// runs the tool, each says why, and the record has it. A tool that policy left out
// when the run was planned is as one that doesn't exist.
func TestNothingPasses(t *testing.T) {
	t.Parallel()
	s := newSite(t, true)
	s.start()
	all := s.openAll(t, ways())
	table := &cells{}
	eachWay(t, "unrefused", all, func(t *testing.T, o opened) { s.runsBy(t, o) })
	eachWay(t, "refused", all, func(t *testing.T, o opened) {
		for _, r := range refusals() {
			t.Run(r.name, func(t *testing.T) { s.cell(t, o, r, table) })
		}
	})
	s.midway(t, all, table)
	s.closePit(t, all, table)
	for _, name := range yardTools { // a call whose arguments were rewritten has no mark of its way
		if lines := s.runs(t, in(name)); len(lines) > 0 && name != s.free.name && name != withdrawn.x.name {
			t.Errorf("%s ran: %q", name, lines)
		}
	}
	eachWay(t, "recorded", all, func(t *testing.T, o opened) { s.checkRecord(t, o, table.done[o.name]) })
	s.revoked(t, table)
	s.unkept(t, all, table)
	ownersAlone(t, table)
	t.Logf("the cells that make no sense:\n%s", table)
}

// cells notes what was done.
type cells struct {
	mu        sync.Mutex
	done      map[string][]refusal // by way
	senseless []string
}

func (c *cells) did(w way, r refusal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = map[string][]refusal{}
	}
	c.done[w.name] = append(c.done[w.name], r)
}

// skip lists a cell that makes no sense, with the reason.
func (c *cells) skip(t *testing.T, w way, r refusal, why string) {
	c.mu.Lock()
	c.senseless = append(c.senseless, fmt.Sprintf("%-18s × %-40s %s", w.name, r.name, why))
	c.mu.Unlock()
	t.Skip(why)
}

func (c *cells) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.senseless)
	return strings.Join(c.senseless, "\n")
}

func marked(w way, r refusal) object {
	args := object{"mark": w.name}
	maps.Copy(args, r.args)
	return args
}

// runsBy proves that a way leads to a tool when nothing refuses it.
func (s *site) runsBy(t *testing.T, o opened) {
	a := o.call(t, s.free, marked(o.way, refusal{}))
	if a.refused {
		t.Fatalf("it is refused: %s", a.text)
	}
	if n := s.marks(t, s.free, o.way); n != 1 {
		t.Errorf("the tool ran %d times", n)
	}
}

// marks counts how often a tool ran for a way.
func (s *site) marks(t *testing.T, x target, w way) (n int) {
	for _, line := range s.runs(t, x) {
		if strings.Contains(line, `"`+w.name+`"`) {
			n++
		}
	}
	return n
}

// cell is one way to reach a tool that is refused in one way.
func (s *site) cell(t *testing.T, o opened, r refusal, table *cells) {
	if r.senseless != nil {
		if why := r.senseless(o.way); why != "" {
			table.skip(t, o.way, r, why)
		}
	}
	call := o.call
	if r.person && o.asking != nil {
		call = o.asking
	}
	if r.person && o.place != alone {
		done := make(chan struct{})
		defer close(done)
		go s.deny(t, in("asked"), done)
	}
	s.isRefused(t, o, r, call(t, r.x, marked(o.way, r)), table)
}

// isRefused checks an answer, and that nothing ran.
func (s *site) isRefused(t *testing.T, o opened, r refusal, a answered, table *cells) {
	t.Helper()
	if a.broken != nil {
		t.Errorf("in place of an answer there is %v", a.broken)
	}
	if !a.refused {
		t.Errorf("it is not refused: %s", a.text)
	}
	mentions(t, a.text, r.says...)
	if r.absent {
		twin := target{r.x.owner, r.x.name[:len(r.x.name)-1] + "q"}
		b := o.call(t, twin, marked(o.way, r))
		if got, want := plain(strings.ReplaceAll(a.text, r.x.name, twin.name)), plain(b.text); got != want || !b.refused {
			t.Errorf("it answers\n%s\nand a tool that doesn't exist\n%s", got, want)
		}
	}
	if n := s.marks(t, r.x, o.way); n > 0 && r.name != withdrawn.name && r.name != down.name {
		t.Errorf("it ran %d times", n)
	}
	table.did(o.way, r)
}

// took are times in an answer.
var took = regexp.MustCompile(`("ms":|"startedMs":|\+)[\d.]+( ms  [\d.]+ ms)?`)

func plain(text string) string { return took.ReplaceAllString(text, "$1") }

// midway changes the policy while each way's call is held by a hook that lets it
// pass, and looks at calls that come afterwards.
func (s *site) midway(t *testing.T, all []opened, table *cells) {
	var held []opened
	for _, o := range all {
		if readsOnce(o.way) == "" {
			held = append(held, o)
		}
	}
	answers := make([]chan answered, len(held))
	of := func(i int) refusal {
		r := midway
		r.x = in(fmt.Sprintf("midway%d", i%2)) // of one hook at most 16 run at a time
		return r
	}
	for i, o := range held {
		answers[i] = make(chan answered, 1)
		go func() { answers[i] <- o.call(t, of(i).x, marked(o.way, refusal{})) }()
	}
	eventually(t, "each call is held by its hook", func() bool {
		data, _ := os.ReadFile(s.entered)
		return strings.Count(string(data), "\n") == len(held)
	})
	config := s.config(t, true, "mcp:yard:midway*", "mcp:yard:withdrawn")
	s.main.write(config)
	s.other.write(config)
	if code, body, err := s.running.control("POST", "/api/reload", "", "{}"); err != nil || code != 200 {
		t.Fatalf("reload: %d %s %v", code, body, err)
	}
	eachWay(t, withdrawn.name, all, func(t *testing.T, o opened) {
		if why := readsOnce(o.way); why != "" {
			table.skip(t, o.way, withdrawn, why)
		}
		a := o.call(t, withdrawn.x, marked(o.way, refusal{}))
		if o.place == alone { // it looks at the file in its own time
			eventually(t, "the new policy holds", func() bool {
				if !a.refused {
					a = o.call(t, withdrawn.x, marked(o.way, refusal{}))
				}
				return a.refused
			})
			// The change may have come in the middle of that call, planned before it.
			a = o.call(t, withdrawn.x, marked(o.way, refusal{}))
		}
		ran := s.marks(t, withdrawn.x, o.way)
		s.isRefused(t, o, withdrawn, a, table)
		if n := s.marks(t, withdrawn.x, o.way); n > ran || o.place != alone && n > 0 {
			t.Errorf("it ran %d times, then %d times", ran, n)
		}
	})
	if err := os.WriteFile(s.release, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run(midway.name, func(t *testing.T) {
		for i, o := range held {
			t.Run(o.name, func(t *testing.T) { s.isRefused(t, o, of(i), <-answers[i], table) })
		}
		for _, o := range all {
			if why := readsOnce(o.way); why != "" {
				t.Run(o.name, func(t *testing.T) { table.skip(t, o.way, midway, why) })
			}
		}
	})
}

// closePit ends a server for good.
func (s *site) closePit(t *testing.T, all []opened, table *cells) {
	if err := os.WriteFile(s.closed, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the server is down", func() bool { return s.main.servers()["pit"].State == "down" })
	eachWay(t, down.name, all, func(t *testing.T, o opened) {
		var a answered
		eventually(t, "the server is down", func() bool {
			a = o.call(t, down.x, marked(o.way, down))
			return a.refused && strings.Contains(a.text, down.says[1])
		})
		ran := s.marks(t, down.x, o.way)
		s.isRefused(t, o, down, o.call(t, down.x, marked(o.way, down)), table)
		if n := s.marks(t, down.x, o.way); n > ran || o.place != alone && n > 0 {
			t.Errorf("it ran %d times, then %d times", ran, n)
		}
	})
}

// checkRecord looks for each refusal in the record of a way.
func (s *site) checkRecord(t *testing.T, o opened, done []refusal) {
	events := s.records(t, o.way)
	for _, r := range done {
		fits := func(e eventLine) bool {
			if e.Kind != "call" || e.Outcome != "refused" || e.Failure == "" || !strings.Contains(e.Rule, r.rule) {
				return false
			}
			if r.absent {
				return e.Tool == "" && strings.Contains(e.Reason, r.x.name)
			}
			return (e.Tool == r.x.id() || e.Tool == "" && strings.Contains(e.Reason, r.x.name)) &&
				!slices.ContainsFunc(r.says, func(word string) bool { return !strings.Contains(e.Reason, word) })
		}
		if !slices.ContainsFunc(events, fits) {
			var near []string
			for _, e := range events {
				if e.Tool == r.x.id() || strings.Contains(e.Reason, r.x.name) {
					near = append(near, fmt.Sprintf("%+v", e))
				}
			}
			t.Errorf("%s: the record has no refusal of %s that says %q with rule %q; it has\n%s", r.name, r.x.id(), r.says, r.rule, strings.Join(near, "\n"))
		}
	}
	if !slices.ContainsFunc(events, func(e eventLine) bool { return e.Kind == "call" && e.Outcome == "ok" && e.Tool == s.free.id() }) {
		t.Error("the record doesn't have the call that ran")
	}
}
