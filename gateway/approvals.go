package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/approval"
	"github.com/toolcrib/toolcrib/internal/invoke"
	"github.com/toolcrib/toolcrib/internal/session"
	"github.com/toolcrib/toolcrib/internal/store/sqlite"
)

// approvals are the questions that wait for a person.
type approvals struct {
	broker *approval.Broker
	// approver is the program's own, nil for none.
	approver toolcrib.Ask
	// operators says that somebody answers through the control API: the program
	// says so, or answering counts the sockets at which that is served.
	operators bool
	answering atomic.Int32
}

// startApprovals makes the broker. The store is opened when something is asked.
func (g *Gateway) startApprovals(o Options) (err error) {
	g.approvals.approver, g.approvals.operators = o.Approver, o.Operators
	g.approvals.broker, err = approval.New(approval.Options{
		Store: g.store.approvals, Holder: fmt.Sprintf("%d-%s", os.Getpid(), rand.Text()), Alive: alive,
		Operators: func() bool { return g.approvals.operators || g.approvals.answering.Load() > 0 },
		Text:      func(s string) string { return g.recorder.log.Redactor().Text(s) },
		Args:      func(a json.RawMessage) json.RawMessage { return g.recorder.log.Redactor().Args(a) },
		KeepArgs:  func() bool { return g.settings.Load().config.Sessions.Args },
		Record:    g.recordApproval, Logger: g.logger,
	})
	return err
}

// approve lets a call wait for a person, when a rule or a hook wants one asked.
func (g *Gateway) approve(ctx context.Context, a invoke.Approval) error {
	var wanted []approval.Wanted
	client := a.Ask != nil
	if rule := g.settings.Load().asking.of(&a.Call.Tool, a.Call.Scope); rule != nil {
		wanted = append(wanted, rule.wanted(&a.Call.Tool))
		client = client && rule.AskClient
	}
	command, err := g.askExec(a.Call)
	if err != nil {
		return err
	}
	if command != nil {
		wanted = append(wanted, command.wanted)
		client = client && g.settings.Load().config.Tools.Exec.AskClient
	}
	for _, q := range a.Questions {
		wanted = append(wanted, approval.Wanted{Question: q})
	}
	if len(wanted) == 0 {
		return nil
	}
	var channels []approval.Channel
	if client {
		by := "the user of " + cmp.Or(approval.Clean(a.Call.Scope.Client, toolcrib.MaxTitle), "the client")
		channels = append(channels, approval.Channel{By: by, Ask: onceOnly(a.Ask)})
	}
	if g.approvals.approver != nil {
		channels = append(channels, approval.Channel{By: "the program", Ask: g.approvals.approver})
	}
	return g.settled(a.Call, command, g.approvals.broker.Ask(ctx, approval.Request{
		Call: a.Call, Wanted: wanted, Channels: channels,
		Waiting: func(q toolcrib.Question) func() { return awaiting(a, q) },
	}))
}

// onceOnly offers no answer that lasts. Any program can be a client and answer its
// own question; what it says is good for the call that it makes, and no more.
func onceOnly(ask toolcrib.Ask) toolcrib.Ask {
	return func(ctx context.Context, q toolcrib.Question) (toolcrib.Decision, error) {
		q.Decisions = slices.DeleteFunc(slices.Clone(q.Decisions), func(d toolcrib.Decision) bool { return d == toolcrib.AllowAlways })
		d, err := ask(ctx, q)
		if err == nil && !slices.Contains(q.Decisions, d) && d != toolcrib.Deny {
			return "", nil // what wasn't offered doesn't count
		}
		return d, err
	}
}

// sayEvery is how often a call that waits says so: clients give up when they hear
// nothing for a minute.
const sayEvery = 10 * time.Second

// awaiting stops the call's clock and reports that it waits, until what it returns
// is called.
func awaiting(a invoke.Approval, q toolcrib.Question) (resume func()) {
	clock := a.Waiting()
	if a.Call.Progress == nil {
		return clock
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(sayEvery)
		defer tick.Stop()
		// Progress must grow, and what the tool reports later must be more.
		for n := 1; ; n++ {
			a.Call.Progress(toolcrib.Progress{Done: float64(n) / 1000, Message: "waiting for approval: " + q.Title})
			select {
			case <-stop:
				return
			case <-tick.C:
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
		clock()
	}
}

// recordApproval writes what happens to questions into the record of sessions.
func (g *Gateway) recordApproval(c approval.Change) {
	q := c.Question
	e := session.Of(session.KindApproval, q.Scope)
	e.CallID, e.Tool, e.Source, e.Rule = q.CallID, q.Tool, q.Source, q.Rule
	e.Reason = string(c.Kind) + ": " + q.Title
	if s := c.Settlement; s != nil {
		e.Decision, e.By, e.Outcome = s.Decision, s.By, session.OK
		if s.Reason != "" {
			e.Reason = s.Reason
		}
		if !s.Decision.Allows() {
			e.Outcome = session.Refused
		}
	}
	g.recorder.record(e)
	g.logger.Info("approval "+string(c.Kind), "tool", q.Tool, "agent", q.Scope.Agent, "call", q.CallID, "rule", q.Rule, "decision", e.Decision, "by", e.By)
}

// answerable says that operators can answer until what it returns is called, and
// settles meanwhile what dead processes left waiting.
func (g *Gateway) answerable(ctx context.Context) {
	g.approvals.answering.Add(1)
	defer g.approvals.answering.Add(-1)
	defer g.approvals.broker.Interrupt()
	tick := time.NewTicker(tryAgain)
	defer tick.Stop()
	for {
		if err := g.approvals.broker.Recover(ctx); err != nil && ctx.Err() == nil {
			g.logger.Warn("approvals that were waiting can't be looked at", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// alive reports whether the process of a holder's name still runs. A name of our
// own number is a former process's.
func alive(holder string) bool {
	number, _, _ := strings.Cut(holder, "-")
	pid, err := strconv.Atoi(number)
	if err != nil || pid <= 0 || pid == os.Getpid() {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	if runtime.GOOS == "windows" {
		return true // it was found
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}

// approvals is the store of approvals, for the broker; opened anew when its file
// has gone.
func (k *kept) approvals(ctx context.Context) (approval.Store, error) {
	s, err := k.get(ctx)
	if err != nil {
		return nil, err
	}
	return asked{s.Approvals(), s, k}, nil
}

// asked is a store of approvals that notices when its file has gone.
type asked struct {
	approval.Store
	of   keeper
	kept *kept
}

// PutQuestion implements approval.Store.
func (a asked) PutQuestion(ctx context.Context, r approval.Record) error {
	err := a.Store.PutQuestion(ctx, r)
	if errors.Is(err, sqlite.ErrGone) {
		a.kept.lose(a.of)
	}
	return err
}
