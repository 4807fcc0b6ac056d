package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// Execute runs a tool on its server. A server that is down refuses at once with
// KindUnavailable and its reason; one that starts is waited for within the
// server's call timeout. A call that is running when its server is replaced or
// removed fails with KindUnavailable; one that has not begun runs on the new one.
func (s *Source) Execute(ctx context.Context, call toolcrib.Call) (toolcrib.Result, error) {
	for {
		// A server that says that it was replaced isn't found again.
		if res, err := s.execute(ctx, call); !errors.Is(err, errReplaced) {
			return res, err
		}
	}
}

// errReplaced says that a server was replaced before a call began.
var errReplaced = errors.New("the server's configuration has changed")

// execute runs a call on the server that has the name now.
func (s *Source) execute(ctx context.Context, call toolcrib.Call) (toolcrib.Result, error) {
	p, err := s.find(call.Tool.Owner)
	if err != nil {
		return toolcrib.Result{}, err
	}
	if !p.usable() {
		return toolcrib.Result{}, p.unavailable(p.still())
	}
	if !absent(call.Args) && (!isObject(call.Args) || !json.Valid(call.Args)) {
		return toolcrib.Result{}, toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("the arguments of tool %q are not a JSON object", call.Tool.Name), "")
	}
	l, err := p.link(call.Scope.Session)
	if err != nil {
		return toolcrib.Result{}, err
	}
	l.enter()
	defer l.leave()
	res, err := l.execute(ctx, call)
	if errors.Is(err, errSessionLost) { // it was refused before it ran
		res, err = l.execute(ctx, call)
	}
	if errors.Is(err, errReplaced) {
		return toolcrib.Result{}, err
	}
	if err != nil {
		return toolcrib.Result{}, p.failure(ctx, l, call.Tool.Name, err)
	}
	return res, nil
}

// errDied wraps the error of a call whose connection ended under it.
type errDied struct {
	conn  *conn
	cause error
}

func (e errDied) Error() string { return e.cause.Error() }
func (e errDied) Unwrap() error { return e.cause }

// errTime is the cause of a call that took too long.
type errTime struct{ bound time.Duration }

func (e errTime) Error() string { return fmt.Sprintf("the tool's time of %s ran out", e.bound) }

// started waits for a link that starts, at most as long as for a call.
func (l *link) started(ctx context.Context) (condition, error) {
	wait, cancel := context.WithTimeout(ctx, l.peer.config().timeout())
	defer cancel()
	now := l.await(wait, func(c condition) bool { return c.state != toolcrib.StateStarting })
	switch {
	case now.conn != nil:
		return now, nil
	case ctx.Err() != nil:
		return now, ctx.Err()
	case l.peer.left() != "":
		return now, errReplaced
	case wait.Err() != nil:
		now.reason = "it has not come up yet"
	}
	return now, l.peer.unavailable(now)
}

// execute runs a call on the present connection.
func (l *link) execute(ctx context.Context, call toolcrib.Call) (toolcrib.Result, error) {
	now, err := l.started(ctx)
	if err != nil {
		return toolcrib.Result{}, err
	}
	bound := l.peer.config().timeout()
	ctx, cancel := context.WithTimeoutCause(ctx, bound, errTime{bound})
	defer cancel()
	if _, ok := now.list.find(call.Tool.Name); !ok {
		return toolcrib.Result{}, toolcrib.NewError(toolcrib.KindUnavailable,
			fmt.Sprintf("%s doesn't offer a tool %q any more", l.peer.config().called(), call.Tool.Name), "search again: its list has changed")
	}
	args := call.Args
	if absent(args) {
		args = json.RawMessage("{}")
	}
	res, err := now.conn.call(ctx, call.Tool.Name, args, call.Progress)
	switch {
	case err == nil:
		return res, nil
	case ctx.Err() != nil:
		return res, fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	if errors.Is(err, sdk.ErrSessionMissing) {
		nudge(now.conn.lost)
		l.await(ctx, func(c condition) bool { return c.conn != now.conn })
		return res, errSessionLost
	}
	return res, l.judge(now.conn, err)
}

// judge tells an answer of the server from an end of the connection.
func (l *link) judge(c *conn, err error) error {
	var ours *toolcrib.Error
	if errors.As(err, &ours) || answered(err) != nil {
		return err
	}
	if c.web != nil && c.life.Err() == nil {
		r := c.web.lastRefusal()
		select {
		case <-c.gone:
		default:
			if c.prove(provingTime) {
				return errOnTheWay{r, err}
			}
		}
	}
	return errDied{c, err}
}

// provingTime bounds the question whether a remote server still lives.
const provingTime = 10 * time.Second

// errOnTheWay wraps the error of a call that failed though the server lives.
type errOnTheWay struct {
	refusal
	cause error
}

func (e errOnTheWay) Error() string { return e.cause.Error() }
func (e errOnTheWay) Unwrap() error { return e.cause }

// failure turns the error of a call into one for people.
func (p *peer) failure(ctx context.Context, l *link, tool string, err error) error {
	var ours *toolcrib.Error
	if errors.As(err, &ours) {
		return ours
	}
	name := p.config().called()
	late := errTime{p.config().timeout()}
	timed := errors.As(err, &late)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return toolcrib.NewError(toolcrib.KindCanceled, fmt.Sprintf("the call of tool %q was cancelled; %s was told", tool, name),
			"what it did until then may have had an effect").WithCause(err)
	case ctx.Err() != nil || timed:
		return toolcrib.NewError(toolcrib.KindTimeout,
			fmt.Sprintf("tool %q of %s did not answer in time (bound: %s)", tool, name, late.bound),
			fmt.Sprintf("its effect may have happened: check before repeating; %s sets the bound", p.config().key("timeoutMs"))).WithCause(err)
	}
	if rpc := answered(err); rpc != nil {
		text := p.source.options.redact(clip(printable(rpc.Message), 2000))
		return toolcrib.NewError(toolcrib.KindTool, fmt.Sprintf("%s refused the call of tool %q: %s (code %d)", name, tool, text, rpc.Code), "").WithCause(err)
	}
	if why := p.left(); why != "" {
		return toolcrib.NewError(toolcrib.KindUnavailable, fmt.Sprintf("%s %s while tool %q was running", name, why, tool),
			"its effect may have happened: check before repeating").WithCause(err)
	}
	var died errDied
	if errors.As(err, &died) {
		return p.died(l, died, tool)
	}
	return p.lastResort(tool, err)
}

// lastResort is for errors of a call whose server lives.
func (p *peer) lastResort(tool string, err error) error {
	text := p.source.options.redact(clip(printable(rootCause(err).Error()), 300))
	var way errOnTheWay
	if errors.As(err, &way) && way.status != 0 {
		text = p.source.options.redact(fmt.Sprintf("HTTP %d %s", way.status, way.said))
		return toolcrib.NewError(toolcrib.KindUnavailable, fmt.Sprintf("%s didn't take the call of tool %q: %s", p.config().called(), tool, text),
			"try again a little later").WithCause(err)
	}
	return toolcrib.NewError(toolcrib.KindUnavailable, fmt.Sprintf("the call of tool %q of %s broke off: %s", tool, p.config().called(), text),
		"its effect may have happened: check before repeating").WithCause(err)
}

// died says that a server ended in the middle of a call, as soon as the reason is known.
func (p *peer) died(l *link, died errDied, tool string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 4*p.tuning.grace)
	defer cancel()
	now := l.await(ctx, func(c condition) bool { return c.conn != died.conn })
	if now.conn == died.conn {
		return p.lastResort(tool, died.cause)
	}
	now = l.await(ctx, func(c condition) bool { return c.conn != nil || c.state == toolcrib.StateDown })
	reason := now.reason
	if now.state != toolcrib.StateDown {
		reason = "the connection ended"
	} else if errors.Is(died.cause, syscall.ECONNREFUSED) { // it never got there
		return p.unavailable(now).WithCause(died.cause)
	}
	return toolcrib.NewError(toolcrib.KindUnavailable,
		fmt.Sprintf("%s died while tool %q was running: %s", p.config().called(), tool, reason),
		"its effect may have happened: check before repeating; the server is started again").WithCause(died.cause)
}

// unavailable says that a server can't take a call, why, and when it may.
func (p *peer) unavailable(c condition) *toolcrib.Error {
	hint := ""
	switch wait := time.Until(c.next); {
	case c.state != toolcrib.StateDown || c.next.IsZero():
	case wait > 0:
		hint = fmt.Sprintf("it is tried again in %s; `%s` tries now", max(wait.Round(time.Second), time.Second), p.config().restart())
	default:
		hint = "it is being started again right now"
	}
	return toolcrib.NewError(toolcrib.KindUnavailable, fmt.Sprintf("%s is %s: %s", p.config().called(), c.state, p.source.options.redact(c.reason)), hint)
}

// still is the condition of a server without a link.
func (p *peer) still() condition {
	state, reason := p.resting()
	c := condition{state: state, reason: reason}
	if state == toolcrib.StateDown {
		c.fault = FaultConfig
	}
	if p.usable() {
		c.list = p.remembered()
	}
	return c
}
