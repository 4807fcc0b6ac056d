package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/hook"
)

// HookTrial is a made-up call for one hook of a configuration.
type HookTrial struct {
	// Hook is its name, and Event when it runs; empty for the hook's own.
	Hook, Event string
	// Tool is the id of a tool, which need not be there.
	Tool string
	Args json.RawMessage
	// Result is what the tool would have answered, of a hook after calls.
	Result *toolcrib.Result
	Agent  string
	// Environ is the environment of the gateway that would run the hook.
	Environ []string
}

// HookReport is what one run of a hook has shown. No tool ran.
type HookReport struct {
	Hook  string `json:"hook"`
	Event string `json:"event"`
	Tool  string `json:"tool"`
	// Enabled and Matches say whether the hook would run at all.
	Enabled bool `json:"enabled"`
	Matches bool `json:"matches"`
	// Sent is what it was told; Answer and Stderr are what it said.
	Sent   json.RawMessage `json:"sent,omitempty"`
	Answer string          `json:"answer,omitempty"`
	Stderr string          `json:"stderr,omitempty"`
	// ExitCode is that of a program, and Status that of a webhook.
	ExitCode *int  `json:"exitCode,omitempty"`
	Status   int   `json:"status,omitempty"`
	TookMs   int64 `json:"tookMs"`
	// Effect is allowed, rewrote, asked, blocked, redacted, withheld or failed.
	Effect string `json:"effect"`
	Reason string `json:"reason,omitempty"`
	// Args and Result are those that the call would have then; absent when it is
	// stopped.
	Args     json.RawMessage    `json:"args,omitempty"`
	Result   *toolcrib.Result   `json:"result,omitempty"`
	Question *toolcrib.Question `json:"question,omitempty"`
	// Refusal is what the caller would be told; nil when the call goes on.
	Refusal error `json:"-"`
}

// TryHook runs one hook of a configuration for a made-up call, also one that is
// switched off. It runs no tool, and needs no gateway. A hook that blocks is no
// error, but a report with a Refusal.
func TryHook(ctx context.Context, c *config.Config, t HookTrial) (HookReport, error) {
	h, call, err := t.check(c)
	if err != nil {
		return HookReport{}, err
	}
	host := newHost(t.Environ)
	defer host.Close()
	runner, err := hook.New(hook.Options{Hooks: []hook.Hook{h}, Host: host, Matcher: matcher, Redact: c.Redact})
	if err != nil {
		return HookReport{}, err
	}
	result := t.Result
	if h.Event == hook.After && result == nil {
		result = &toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text("done")}}
	}
	tried, _ := runner.Try(ctx, h.Name, h.Event, call, result)
	report := HookReport{
		Hook: h.Name, Event: string(h.Event), Tool: t.Tool, Enabled: c.Hooks[h.Name].Enabled, Matches: tried.Matches,
		Sent: json.RawMessage(strings.TrimSpace(string(tried.Sent))), Answer: c.Redact(string(tried.Answer)), Stderr: c.Redact(tried.Stderr),
		ExitCode: tried.Exit, Status: tried.Status, TookMs: tried.Took.Milliseconds(), Effect: string(tried.Effect), Reason: tried.Reason,
		Question: tried.Question, Refusal: tried.Err,
	}
	if tried.Err == nil {
		report.Args, report.Result = tried.Call.Args, tried.Result
	}
	return report, nil
}

// check finds the hook and makes the call.
func (t HookTrial) check(c *config.Config) (hook.Hook, toolcrib.Call, error) {
	configured, ok := c.Hooks[t.Hook]
	if !ok {
		names := slices.Sorted(maps.Keys(c.Hooks))
		hint := "there are: " + strings.Join(names, ", ")
		if near := config.Nearest(t.Hook, names); near != "" {
			hint = "did you mean " + near + "?"
		} else if len(names) == 0 {
			hint = "none are configured: see docs/hooks.md"
		}
		return hook.Hook{}, toolcrib.Call{}, toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("there is no hook %q", t.Hook), hint)
	}
	h := configuredHook(t.Hook, configured)
	source, owner, name, err := toolcrib.ParseID(t.Tool)
	switch {
	case err != nil:
		return h, toolcrib.Call{}, toolcrib.NewError(toolcrib.KindInput, err.Error(), "give the whole id; the tool need not be there")
	case t.Event != "" && t.Event != configured.Event:
		return h, toolcrib.Call{}, toolcrib.NewError(toolcrib.KindInput, "hook "+t.Hook+" runs at "+configured.Event+", not at "+t.Event, "leave the event out")
	case t.Result != nil && h.Event == hook.Before:
		return h, toolcrib.Call{}, toolcrib.NewError(toolcrib.KindInput, "hook "+t.Hook+" runs before the call: there is no result yet", "leave the result out")
	}
	agent := t.Agent
	if agent == "" {
		agent = toolcrib.DefaultAgent
	}
	return h, toolcrib.Call{
		ID: "trial", Args: t.Args, Tool: toolcrib.Tool{ID: t.Tool, Source: source, Owner: owner, Name: name},
		Scope: toolcrib.Scope{Door: toolcrib.DoorCLI, Agent: agent, Session: "trial", Run: "trial", Client: "cli"},
	}, nil
}
