package gateway

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/glob"
	"github.com/toolcrib/toolcrib/internal/policy"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// chain is the policy of one kind of caller: every scope that holds for it.
type chain struct {
	policy *policy.Policy
	// denials are the policy without its allow lists. They decide over our own
	// plumbing: an operator who allows one server doesn't mean to lose the way to
	// search it.
	denials *policy.Policy
	// rules tells chains apart: equal ones decide alike.
	rules string
	// err is why the lists that came with the caller can't be read; then nothing
	// is allowed.
	err error
}

// decide is the policy of one tool for one caller of the chain.
func (c *chain) decide(t *toolcrib.Tool, s toolcrib.Scope) policy.Verdict {
	if c.err != nil {
		return policy.Verdict{Rule: c.err.Error(), Index: -1}
	}
	if plumbing(t) {
		return c.denials.Decide(t, s)
	}
	return c.policy.Decide(t, s)
}

// plumbing reports whether a tool is there for the sake of the others: a control,
// or the tool that reads on in their results.
func plumbing(t *toolcrib.Tool) bool {
	return t.Source == toolcrib.SourceCore && (t.Owner == toolsearch.ControlOwner || t.ID == toolsearch.ResultsRead)
}

// newChain compiles what holds for a caller.
func newChain(held []policy.NamedRules) *chain {
	p, err := policy.New(held...)
	if err != nil {
		return &chain{err: err, rules: "none"}
	}
	return &chain{policy: p, denials: p.Denials(), rules: fmt.Sprintf("%#v", held)}
}

// callerKind is all of a scope that policy depends on but for its Owner.
type callerKind struct {
	door                toolcrib.Door
	provider, harness   string
	sandboxed, subagent bool
	narrow              string
}

// kindOf folds what the configuration compares without case.
func kindOf(s toolcrib.Scope) callerKind {
	return callerKind{s.Door, glob.Fold(s.Provider), glob.Fold(s.Harness), s.Sandboxed, s.Subagent, narrowText(s.Narrow)}
}

// narrowText is equal for lists that are equal.
func narrowText(n *toolcrib.Narrowing) string {
	if n == nil || *n == (toolcrib.Narrowing{}) {
		return ""
	}
	var b strings.Builder
	for _, l := range []*toolcrib.ToolList{n.Session, n.Token, n.Run} {
		fmt.Fprintf(&b, "%t ", l != nil)
		if l != nil {
			fmt.Fprintf(&b, "%#v ", *l)
		}
	}
	return b.String()
}

// maxChains is how many kinds of callers an agent's policy is kept compiled for.
const maxChains = 256

// chains are compiled policies by kind of caller. When there are too many, all are
// made anew as they are needed.
type chains struct {
	mu     sync.Mutex
	byKind map[callerKind]*chain
}

func (x *chains) of(k callerKind, compile func() *chain) *chain {
	x.mu.Lock()
	defer x.mu.Unlock()
	if c := x.byKind[k]; c != nil {
		return c
	}
	if x.byKind == nil || len(x.byKind) >= maxChains {
		x.byKind = map[callerKind]*chain{}
	}
	c := compile()
	x.byKind[k] = c
	return c
}

// chain returns the policy that holds for a caller of the agent.
func (a *agent) chain(s toolcrib.Scope) *chain {
	s = a.complete(s)
	return a.chains.of(kindOf(s), func() *chain { return newChain(a.held(s)) })
}

// held are the rules that hold for a caller, the widest first, without those that
// refuse nothing.
func (a *agent) held(s toolcrib.Scope) []policy.NamedRules {
	var held []policy.NamedRules
	lists := narrowing(s.Narrow)
	for _, r := range a.rules {
		if r.place == placeInner {
			held, lists = append(held, lists...), nil
		}
		if r.holds(s) {
			held = append(held, r.NamedRules)
		}
	}
	held = append(append(held, lists...), runRules(s.Narrow)...)
	return slices.DeleteFunc(held, func(r policy.NamedRules) bool { return r.Empty() })
}

// narrowing are the lists of the caller's token and session.
func narrowing(n *toolcrib.Narrowing) []policy.NamedRules {
	var out []policy.NamedRules
	if n != nil && n.Token != nil {
		out = append(out, policy.NamedRules{Name: "token", Rules: policy.Rules{Allow: n.Token.Allow, Deny: n.Token.Deny}})
	}
	if n != nil && n.Session != nil {
		out = append(out, policy.NamedRules{Name: "session", Rules: policy.Rules{Allow: n.Session.Allow, Deny: n.Session.Deny}})
	}
	return out
}

// runRules are the lists of the run: an empty one allows nothing.
func runRules(n *toolcrib.Narrowing) []policy.NamedRules {
	if n == nil || n.Run == nil {
		return nil
	}
	return []policy.NamedRules{{Name: "run", Rules: policy.Rules{Allow: n.Run.Allow, Deny: n.Run.Deny, Strict: true}}}
}

// complete fills in what the agent says of all its callers.
func (a *agent) complete(s toolcrib.Scope) toolcrib.Scope {
	s.Sandboxed = s.Sandboxed || a.sandbox
	s.Harness = cmp.Or(a.harness, s.Harness, harnessOf(s.Client))
	if s.Door == toolcrib.DoorAgent {
		s.Provider = cmp.Or(s.Provider, a.model)
	}
	return s
}

// harnessCodex is the harness that searches by itself.
const harnessCodex = "codex"

// harnessOf is the harness that a client's own name tells: Codex calls itself
// codex-mcp-client. A name is only a claim, and so it can only narrow.
func harnessOf(client string) string {
	if name := glob.Fold(client); name == harnessCodex || strings.HasPrefix(name, harnessCodex+"-") {
		return harnessCodex
	}
	return ""
}

// searchesItself reports whether a harness gets no controls, for it has its own.
func searchesItself(harness string) bool { return glob.Fold(harness) == harnessCodex }

// direct reports whether a caller gets every tool directly.
func (a *agent) direct(s toolcrib.Scope) bool { return searchesItself(a.complete(s).Harness) }

// narrowed is the scope of the session to open: with its own lists, and with what
// the agent says of its callers.
func (o SessionOptions) narrowed(a *agent) (toolcrib.Scope, error) {
	s := a.complete(o.Scope)
	if len(o.Allow)+len(o.Deny) > 0 {
		narrow := toolcrib.Narrowing{}
		if s.Narrow != nil {
			narrow = *s.Narrow
		}
		if narrow.Session != nil {
			return s, toolcrib.NewError(toolcrib.KindInput, "the session has lists both in its options and in its scope", "give them once")
		}
		narrow.Session = &toolcrib.ToolList{Allow: slices.Clone(o.Allow), Deny: slices.Clone(o.Deny)}
		s.Narrow = &narrow
	}
	if err := a.chain(s).err; err != nil {
		return s, toolcrib.NewError(toolcrib.KindInput, err.Error(), "")
	}
	return s, nil
}
