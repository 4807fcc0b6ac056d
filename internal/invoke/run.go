package invoke

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/schema"
)

// run is one call on its way through the steps.
type run struct {
	*Bound
	request Request
	tool    *toolcrib.Tool // nil until resolved
	call    toolcrib.Call
	asks    []toolcrib.Question // of the hooks before the call
	output  *schema.Schema      // nil when the output is not validated
	result  toolcrib.Result
	ran     bool   // the executor was entered: an effect may have happened
	rule    string // of the policy, as it decided last
}

// step is one thought of a call; an error ends the call.
type step func(*run, context.Context) error

// steps is the order in which every call walks.
var steps = [...]step{
	(*run).resolve,
	(*run).repair,
	(*run).permit,
	(*run).before,
	(*run).validateArgs,
	(*run).compileOutput,
	(*run).permit, // on the arguments as they are now
	(*run).approve,
	(*run).permit, // a person may have taken minutes, and the rules may be others
	(*run).audit,
	(*run).execute,
	(*run).after,
	(*run).validateOutput,
}

// Call runs one tool. The tool is returned as far as the reference resolved,
// also beside an error. A tool that reports its own failure is a Result with
// IsError and no error; an error is a *toolcrib.Error, and its result is empty.
func (b *Bound) Call(ctx context.Context, r Request) (toolcrib.Tool, toolcrib.Result, error) {
	c := &run{Bound: b, request: r}
	start := b.invoker.opt.Now()
	err := c.walk(ctx)
	c.record(start, err)
	var tool toolcrib.Tool
	if c.tool != nil {
		tool = *c.tool
	}
	if err != nil {
		return tool, toolcrib.Result{}, err
	}
	return tool, c.result, nil
}

func (c *run) walk(ctx context.Context) error {
	for _, s := range steps {
		if err := c.take(ctx, s); err != nil {
			return c.explain(err)
		}
	}
	return nil
}

// take takes one step. A panic in it, of a hook or of our own, refuses the call.
func (c *run) take(ctx context.Context, s step) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.invoker.opt.Logger.Error("a step of a call panicked", "tool", c.request.Ref, "call", c.request.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = toolcrib.NewError(toolcrib.KindInternal, "something crashed on the way of the call, which blocks it; "+c.effect(), "the log has the details").
				WithCause(fmt.Errorf("panic: %v", p))
		}
	}()
	return s(c, ctx)
}

// resolve finds the tool, once: what follows carries it and never looks again.
func (c *run) resolve(context.Context) error {
	t, err := c.catalog.Resolve(c.request.Ref)
	if err != nil {
		if errors.Is(err, catalog.ErrUnknown) {
			c.logUnknown()
		}
		return err
	}
	c.tool = t
	c.call = toolcrib.Call{ID: c.request.ID, Tool: *t, Scope: c.request.Scope, Progress: c.request.Progress}
	return nil
}

// repair reads arguments that a model put into another shape. The schema of an
// untrusted tool only chooses between readings.
func (c *run) repair(context.Context) error {
	var compiled *schema.Schema // knows nothing
	if len(c.tool.Parameters) > 0 {
		if s, err := c.invoker.schemas.get(c.tool.Parameters); err == nil {
			compiled = s
		}
	}
	args, note, err := compiled.Repair(c.request.Args, c.request.Beside)
	if err != nil {
		return c.badArgs(err)
	}
	if note != "" {
		c.invoker.opt.Logger.Debug("arguments repaired", "tool", c.tool.ID, "call", c.call.ID, "via", c.request.Via, "how", note)
	}
	c.call.Args = args
	return nil
}

// permit asks policy now, whatever the catalog was planned with.
func (c *run) permit(context.Context) error {
	allowed, rule := c.invoker.opt.Decide(c.tool, c.call.Scope)
	c.rule = rule
	if allowed {
		return nil
	}
	return toolcrib.NewError(toolcrib.KindBlocked, "blocked by policy: "+ruleText(rule), "it did not run; don't try again unless the operator changes the rule")
}

func ruleText(rule string) string {
	if rule == "" {
		return "no rule allows it"
	}
	return rule
}

// before runs the hooks before the call; they may rewrite its arguments.
func (c *run) before(ctx context.Context) error {
	if c.invoker.opt.Before == nil {
		return nil
	}
	call := c.call
	asks, err := c.invoker.opt.Before(ctx, &call)
	if err != nil {
		return c.refusal(err)
	}
	if args := bytes.TrimSpace(call.Args); !json.Valid(args) || args[0] != '{' {
		return toolcrib.NewError(toolcrib.KindBlocked, "a hook made arguments of what is no JSON object, which blocks the call; "+c.effect(), "the operator must see to the hook")
	}
	c.call.Args, c.asks = call.Args, asks // arguments are all that a hook may change
	return nil
}

// approve lets the call wait for a yes.
func (c *run) approve(ctx context.Context) error {
	if c.invoker.opt.Approve == nil {
		if len(c.asks) > 0 {
			return toolcrib.NewError(toolcrib.KindBlocked, "blocked: "+c.asks[0].Rule+" wants a person to be asked, and there is nobody to ask", "it did not run")
		}
		return nil
	}
	waiting := c.request.Waiting
	if waiting == nil {
		waiting = func() func() { return func() {} }
	}
	return c.refusal(c.invoker.opt.Approve(ctx, Approval{Call: c.call, Questions: c.asks, Ask: c.request.Ask, Waiting: waiting}))
}

// audit writes the call down before it can have an effect.
func (c *run) audit(ctx context.Context) error {
	if c.invoker.opt.Audit == nil {
		return nil
	}
	if err := c.invoker.opt.Audit(ctx, c.call); err != nil {
		c.invoker.opt.Logger.Error("a call is refused because its audit record can't be written", "tool", c.tool.ID, "call", c.call.ID, "error", err)
		return toolcrib.NewError(toolcrib.KindUnavailable, "it did not run: the audit record can't be written", "this is for the operator to mend: toolcrib status and the log say what is wrong with the store").WithCause(err)
	}
	return nil
}

// after runs the hooks after the call; they may rewrite its result.
func (c *run) after(ctx context.Context) error {
	if c.invoker.opt.After == nil {
		return nil
	}
	return c.refusal(c.invoker.opt.After(ctx, c.call, &c.result))
}

// record writes the one event of the call.
func (c *run) record(start time.Time, err error) {
	if c.invoker.opt.Recorder == nil {
		return
	}
	e := toolcrib.Event{
		Time: start, Kind: toolcrib.EventCall, Scope: c.request.Scope, CallID: c.request.ID,
		Duration: c.invoker.opt.Now().Sub(start), Failure: toolcrib.KindOf(err), ToolFailed: err == nil && c.result.IsError,
		Ran: c.ran, Rule: c.rule,
	}
	if err != nil {
		e.Reason = err.Error()
	}
	if c.tool != nil {
		e.Tool, e.Source = c.tool.ID, c.tool.Source
	}
	c.invoker.opt.Recorder.Record(e)
}

// logUnknown tells the operator's log which rule hid the tool that was asked
// for, or that there is none. It does the same work either way, so that the time
// of the answer tells the caller nothing.
func (c *run) logUnknown() {
	asked, rule := &toolcrib.Tool{}, "there is no such tool"
	hidden, ok := c.catalog.Excluded(c.request.Ref)
	if ok {
		asked = hidden
	}
	_, decided := c.invoker.opt.Decide(asked, c.request.Scope)
	if ok {
		rule = ruleText(decided)
	}
	c.rule = rule
	ref := c.request.Ref[:min(len(c.request.Ref), maxLoggedRef)]
	c.invoker.opt.Logger.Info("a tool outside the catalog was asked for", "tool", ref, "agent", c.request.Scope.Agent, "via", c.request.Via, "rule", rule)
}

// maxLoggedRef bounds how much of a foreign reference is logged, in bytes.
const maxLoggedRef = 200
