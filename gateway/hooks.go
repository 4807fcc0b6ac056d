package gateway

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/hook"
	"github.com/toolcrib/toolcrib/internal/policy"
	"github.com/toolcrib/toolcrib/internal/session"
	"github.com/toolcrib/toolcrib/internal/source/mcp"
)

// Hook is a Go function around each call of a tool, beside the hooks of the
// configuration. Whatever isn't a clear yes is a no: a hook that returns an error,
// panics, or takes too long blocks the call, or withholds its result.
type Hook struct {
	// Name is unique among all hooks, those of the configuration too.
	Name string
	// Match are patterns of tools, as policy has them; none means every tool.
	Match []string
	// Priority orders hooks, the highest first; equal ones by name.
	Priority int
	// Timeout is how long it may hold a call up, 5 s if 0.
	Timeout time.Duration
	// Before sees a call that policy allows, before its arguments are checked. It
	// may replace call.Args.
	Before func(ctx context.Context, call *HookCall) (HookVerdict, error)
	// After sees the result, and may change it; an error withholds it.
	After func(ctx context.Context, call HookCall, result *toolcrib.Result) error
}

// HookCall is a call as a Hook sees it.
type HookCall = hook.Call

// HookVerdict is what a Hook wants done with a call; the zero one lets it go on.
type HookVerdict = hook.Verdict

// HookApproval says how a person is asked.
type HookApproval = hook.Approval

// The decisions of a HookVerdict.
const (
	HookAllow = hook.Allow
	HookBlock = hook.Block
	HookAsk   = hook.Ask
)

// hooks is what all hooks run on, and the program's own.
type hooks struct {
	host *hook.Host
	own  []Hook
}

// startHooks readies the hooks of the first configuration, and what all run on.
func (g *Gateway) startHooks(o Options) (err error) {
	g.hooks = hooks{host: newHost(o.Environ), own: o.Hooks}
	first := g.settings.Load()
	first.hooks, err = g.hooked(first.config, first.plugins)
	return err
}

func newHost(environ []string) *hook.Host {
	return hook.NewHost(hook.HostOptions{Environ: environ, Proxy: mcp.Proxy(environ)})
}

// close ends the hooks that run.
func (x *hooks) close() {
	if x.host != nil {
		x.host.Close()
	}
}

// hooked makes the hooks of a configuration and of plugins, and the program's own,
// ready.
func (g *Gateway) hooked(c *config.Config, installed pluginSet) (*hook.Runner, error) {
	theirs, err := installed.hooks()
	if err != nil {
		return nil, err
	}
	all := append(configuredHooks(c), theirs...)
	for _, own := range g.hooks.own {
		if _, twice := c.Hooks[own.Name]; twice {
			return nil, toolcrib.NewError(toolcrib.KindConfig, fmt.Sprintf("hook %q is both in the configuration and in Options.Hooks", own.Name), "rename one")
		}
		made, err := own.hooks()
		if err != nil {
			return nil, err
		}
		all = append(all, made...)
	}
	return hook.New(hook.Options{
		Hooks: all, Host: g.hooks.host, Matcher: matcher, Record: g.recordHook, Logger: g.logger,
		Redact: func(s string) string { return g.recorder.log.Redactor().Text(s) },
	})
}

// hooks are the one or two hooks of a program's Hook.
func (h Hook) hooks() ([]hook.Hook, error) {
	if h.Before == nil && h.After == nil {
		return nil, toolcrib.NewError(toolcrib.KindConfig, fmt.Sprintf("hook %q of Options.Hooks has neither Before nor After", h.Name), "give it a function")
	}
	var all []hook.Hook
	one := hook.Hook{Name: h.Name, Match: h.Match, Priority: h.Priority, Timeout: h.Timeout}
	if h.Before != nil {
		before := one
		before.Event, before.BeforeFunc = hook.Before, h.Before
		all = append(all, before)
	}
	if h.After != nil {
		after := one
		after.Event, after.AfterFunc = hook.After, h.After
		all = append(all, after)
	}
	return all, nil
}

// configuredHooks are those of a configuration that are in use.
func configuredHooks(c *config.Config) []hook.Hook {
	var all []hook.Hook
	for _, name := range slices.Sorted(maps.Keys(c.Hooks)) {
		if c.Hooks[name].Enabled {
			all = append(all, configuredHook(name, c.Hooks[name]))
		}
	}
	return all
}

func configuredHook(name string, h config.Hook) hook.Hook {
	return hook.Hook{
		Name: name, Event: hook.Event(h.Event), Match: h.Match, Priority: h.Priority, Timeout: h.Timeout(),
		Command: h.Command, Args: h.Args, Env: h.Env, Cwd: h.Cwd, URL: h.URL, Secret: h.Secret, Headers: h.Headers,
	}
}

// matcher compiles the patterns of a hook. They mean what they mean in a list
// that denies, the wider reading: a guard had better run once too often.
func matcher(name string, patterns []string) (func(*toolcrib.Tool) bool, error) {
	p, err := patternsOf(name, patterns)
	if err != nil {
		return nil, err
	}
	return func(t *toolcrib.Tool) bool { return !p.Decide(t, toolcrib.Scope{Owner: true}).Allowed }, nil
}

// patternsOf is a policy that denies what the patterns of a hook match.
func patternsOf(name string, patterns []string) (*policy.Policy, error) {
	return policy.New(policy.NamedRules{Name: "hooks." + name, Rules: policy.Rules{Deny: patterns}})
}

// unmatchedHooks names the patterns of hooks that match none of the tools: such a
// guard never runs.
func unmatchedHooks(c *config.Config, tools iter.Seq[*toolcrib.Tool]) []string {
	var texts []string
	for _, h := range configuredHooks(c) {
		p, err := patternsOf(h.Name, h.Match)
		if err != nil {
			continue // then the configuration is not in force
		}
		for _, pattern := range p.Unmatched(tools) {
			texts = append(texts, strings.Replace(pattern, ".deny ", ".match ", 1)+" matches no tool: is it misspelt?")
		}
	}
	return texts
}

// before runs the hooks before a call.
func (g *Gateway) before(ctx context.Context, call *toolcrib.Call) ([]toolcrib.Question, error) {
	return g.settings.Load().hooks.Before(ctx, call)
}

// after runs the hooks after a call.
func (g *Gateway) after(ctx context.Context, call toolcrib.Call, result *toolcrib.Result) error {
	return g.settings.Load().hooks.After(ctx, call, result)
}

// recordHook records a run of a hook that decided something.
func (g *Gateway) recordHook(run hook.Run) {
	e := session.Of(session.KindHook, run.Call.Scope)
	e.Time, e.Ms = time.Now().Add(-run.Took), run.Took.Milliseconds()
	e.CallID, e.Tool, e.Source = run.Call.ID, run.Call.Tool.ID, run.Call.Tool.Source
	e.Rule, e.Reason = "hooks."+run.Hook, string(run.Effect)
	if run.Reason != "" {
		e.Reason += ": " + run.Reason
	}
	switch run.Effect {
	case hook.Blocked:
		e.Outcome = session.Refused
	case hook.Failed, hook.Withheld, hook.Abandoned:
		e.Outcome = session.Failed
	default:
		e.Outcome = session.OK
	}
	g.recorder.record(e)
}
