package approval_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/approval"
	"github.com/toolcrib/toolcrib/internal/store/memory"
)

// desk is a broker with what it tells.
type desk struct {
	*approval.Broker
	store approval.Store
	mu    sync.Mutex
	told  []string
}

// newDesk makes a broker over a store; change may change its options.
func newDesk(t testing.TB, store approval.Store, change func(*approval.Options)) *desk {
	t.Helper()
	d := &desk{store: store}
	o := approval.Options{
		Store:  func(context.Context) (approval.Store, error) { return store, nil },
		Holder: "p1", Operators: func() bool { return true },
		Record: func(c approval.Change) {
			d.mu.Lock()
			defer d.mu.Unlock()
			line := string(c.Kind)
			if s := c.Settlement; s != nil {
				line += fmt.Sprintf(" %s by %s", s.Decision, s.By)
				if s.Reason != "" && c.Kind != approval.Granted {
					line += ": " + s.Reason
				}
			}
			d.told = append(d.told, line)
		},
	}
	if change != nil {
		change(&o)
	}
	var err error
	if d.Broker, err = approval.New(o); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *desk) said() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.told
}

var send = toolcrib.Call{
	ID: "c1", Tool: toolcrib.Tool{ID: "mcp:mail:send", Source: toolcrib.SourceMCP, Owner: "mail", Name: "send"},
	Args: json.RawMessage(`{"to":"a","cc":["b"]}`), Scope: toolcrib.Scope{Agent: "main"},
}

func wanted(rule string) approval.Wanted {
	return approval.Wanted{Question: toolcrib.Question{Title: "Send?", Rule: rule}}
}

func request(w ...approval.Wanted) approval.Request { return approval.Request{Call: send, Wanted: w} }

// asking asks in the background and returns what gives the answer.
func asking(ctx context.Context, d *desk, r approval.Request) func() error {
	done := make(chan error, 1)
	go func() { done <- d.Ask(ctx, r) }()
	return func() error { return <-done }
}

// only is the one question that waits.
func only(t testing.TB, d *desk) toolcrib.Question {
	t.Helper()
	synctest.Wait()
	pending := d.Pending()
	if len(pending) != 1 {
		t.Fatalf("%d questions wait, want 1", len(pending))
	}
	return pending[0]
}

// refused checks the kind of an error and what it says.
func refused(t testing.TB, err error, kind toolcrib.Kind, says string) {
	t.Helper()
	if toolcrib.KindOf(err) != kind || !strings.Contains(fmt.Sprint(err), says) {
		t.Errorf("got %v %q, want %v with %q", toolcrib.KindOf(err), err, kind, says)
	}
}

func TestAnOperatorAnswers(t *testing.T) {
	for decision, want := range map[toolcrib.Decision]toolcrib.Kind{toolcrib.AllowOnce: "", toolcrib.AllowAlways: "", toolcrib.Deny: toolcrib.KindBlocked} {
		synctest.Test(t, func(t *testing.T) {
			d := newDesk(t, memory.New().Approvals(), nil)
			began, ended := 0, 0
			r := request(wanted("tools.approvals[0]"))
			r.Waiting = func(toolcrib.Question) func() { began++; return func() { ended++ } }
			answer := asking(t.Context(), d, r)
			q := only(t, d)
			if began != 1 || ended != 0 || q.Tool != "mcp:mail:send" || q.CallID != "c1" || q.Expires.Sub(q.Asked) != toolcrib.DefaultApprovalFor {
				t.Errorf("waiting %d, %d, for %+v", began, ended, q)
			}
			if err := d.Resolve(t.Context(), q.ID, decision, "ann"); err != nil {
				t.Error(err)
			}
			if err := answer(); toolcrib.KindOf(err) != want || ended != 1 {
				t.Errorf("%s: %v, waiting ended %d times", decision, err, ended)
			}
			want := []string{"asked", "settled " + string(decision) + " by ann"}
			if diff := cmp.Diff(want, d.said()); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
			history, err := d.History(t.Context(), 0)
			if err != nil || len(history) != 1 || history[0].Settled.Decision != decision || history[0].Settled.By != "ann" {
				t.Errorf("history: %v, %v", history, err)
			}
		})
	}
}

func TestAnswersThatDontCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, memory.New().Approvals(), nil)
		w := wanted("r")
		w.Question.Decisions = []toolcrib.Decision{toolcrib.AllowOnce}
		answer := asking(t.Context(), d, request(w))
		id := only(t, d).ID
		refused(t, d.Resolve(t.Context(), "nothing", toolcrib.AllowOnce, "ann"), toolcrib.KindNotFound, "nothing")
		for _, no := range []toolcrib.Decision{toolcrib.AllowAlways, "", "yes", "ALLOW-ONCE", "allow-once "} {
			refused(t, d.Resolve(t.Context(), id, no, "ann"), toolcrib.KindInput, "is not offered")
		}
		if err := d.Resolve(t.Context(), id, toolcrib.AllowOnce, "ann"); err != nil {
			t.Error(err)
		}
		err := d.Resolve(t.Context(), id, toolcrib.Deny, "bob")
		refused(t, err, toolcrib.KindInput, "settled already (allow-once by ann")
		if !errors.Is(err, approval.ErrSettled) {
			t.Error("it doesn't wrap ErrSettled")
		}
		if err := answer(); err != nil {
			t.Error(err)
		}
		refused(t, d.Resolve(t.Context(), id, toolcrib.AllowOnce, "ann"), toolcrib.KindInput, "settled already")
	})
}

func TestNobodyAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		timeout, want time.Duration
	}{"default": {0, 120 * time.Second}, "own": {3 * time.Second, 3 * time.Second}, "too long": {time.Hour, 600 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t, memory.New().Approvals(), nil)
				w := wanted("hooks.guard")
				w.Question.Timeout = c.timeout
				start := time.Now()
				answer := asking(t.Context(), d, request(w))
				id := only(t, d).ID
				err := answer()
				refused(t, err, toolcrib.KindBlocked, "hooks.guard wants a person's approval, and nobody answered within "+c.want.String()+"; it did not run")
				if took := time.Since(start); took != c.want {
					t.Errorf("it took %s", took)
				}
				refused(t, d.Resolve(t.Context(), id, toolcrib.AllowOnce, "ann"), toolcrib.KindInput, "nobody answered")
			})
		})
	}
}

func TestTheCallerGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, memory.New().Approvals(), nil)
		ctx, cancel := context.WithCancel(t.Context())
		answer := asking(ctx, d, request(wanted("r")))
		id := only(t, d).ID
		cancel()
		refused(t, answer(), toolcrib.KindCanceled, "did not run")
		refused(t, d.Resolve(t.Context(), id, toolcrib.AllowOnce, "ann"), toolcrib.KindInput, "the caller went away")
		if len(d.Pending()) != 0 {
			t.Error("it still waits")
		}
	})
}

func TestNobodyToAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, memory.New().Approvals(), func(o *approval.Options) { o.Operators = nil })
		start := time.Now()
		refused(t, d.Ask(t.Context(), request(wanted("r"))), toolcrib.KindBlocked, "there is nobody to ask; it did not run")
		r := request(wanted("r"))
		can := func(context.Context, toolcrib.Question) (toolcrib.Decision, error) {
			return "", errors.New("not there")
		}
		r.Channels = []approval.Channel{{By: "one", Ask: can}, {By: "two", Ask: func(context.Context, toolcrib.Question) (toolcrib.Decision, error) { panic("oh") }}}
		refused(t, d.Ask(t.Context(), r), toolcrib.KindBlocked, "there is nobody to ask")
		if time.Since(start) != 0 {
			t.Error("it waited")
		}
		if history, err := d.History(t.Context(), 9); err != nil || len(history) != 2 {
			t.Errorf("history: %v, %v", history, err)
		}
	})
}

func TestTheCallersOwnProgramAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		decision toolcrib.Decision
		kind     toolcrib.Kind
		says     string
	}{
		"yes":         {toolcrib.AllowOnce, "", "nil"},
		"no":          {toolcrib.Deny, toolcrib.KindBlocked, "codex denied it"},
		"not offered": {toolcrib.AllowAlways, toolcrib.KindBlocked, "is not offered"},
		"malformed":   {"sure", toolcrib.KindBlocked, "is not offered"},
		"empty":       {"", toolcrib.KindBlocked, "is not offered"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t, memory.New().Approvals(), nil)
				w := wanted("r")
				w.Question.Decisions = []toolcrib.Decision{toolcrib.AllowOnce, toolcrib.Deny}
				r := request(w)
				r.Channels = []approval.Channel{{By: "codex", Ask: func(_ context.Context, q toolcrib.Question) (toolcrib.Decision, error) {
					if q.ID == "" || q.Title != "Send?" {
						t.Errorf("asked %+v", q)
					}
					return c.decision, nil
				}}}
				err := d.Ask(t.Context(), r)
				if toolcrib.KindOf(err) != c.kind || err != nil && !strings.Contains(err.Error(), c.says) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

// Whoever is first counts, and the others are told that it's over. One that
// doesn't listen holds nothing up.
func TestTheFirstAnswerCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, memory.New().Approvals(), nil)
		over, deaf := make(chan error, 1), make(chan struct{})
		r := request(wanted("r"))
		r.Channels = []approval.Channel{
			{By: "polite", Ask: func(ctx context.Context, _ toolcrib.Question) (toolcrib.Decision, error) {
				<-ctx.Done()
				over <- ctx.Err()
				return "", ctx.Err()
			}},
			{By: "deaf", Ask: func(context.Context, toolcrib.Question) (toolcrib.Decision, error) {
				<-deaf
				return toolcrib.AllowAlways, nil
			}},
		}
		answer := asking(t.Context(), d, r)
		if err := d.Resolve(t.Context(), only(t, d).ID, toolcrib.Deny, "ann"); err != nil {
			t.Error(err)
		}
		refused(t, answer(), toolcrib.KindBlocked, "ann denied it")
		<-over
		close(deaf)
		synctest.Wait()
		if grants, err := d.Grants(t.Context()); err != nil || len(grants) != 0 {
			t.Errorf("the late answer left %v, %v", grants, err)
		}
	})
}

func TestAThousandAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, memory.New().Approvals(), func(o *approval.Options) { o.MaxPending = 1000 })
		answers := make(chan error, 1000)
		for range 1000 {
			go func() { answers <- d.Ask(t.Context(), request(wanted("r"))) }()
		}
		synctest.Wait()
		pending := d.Pending()
		if len(pending) != 1000 {
			t.Fatalf("%d wait", len(pending))
		}
		refused(t, d.Ask(t.Context(), request(wanted("r"))), toolcrib.KindBlocked, "1000 questions wait already")
		yes, no := 0, 0
		for i, q := range pending {
			for n, by := range []string{"ann", "bob"} { // who wins answers i by its number
				decision := toolcrib.AllowOnce
				if (i+n)%2 == 0 {
					decision = toolcrib.Deny
				}
				go func() {
					if err := d.Resolve(t.Context(), q.ID, decision, by); err != nil && !errors.Is(err, approval.ErrSettled) {
						t.Error(err)
					}
				}()
			}
		}
		for range 1000 {
			if err := <-answers; err == nil {
				yes++
			} else {
				no++
			}
		}
		history, err := d.store.History(t.Context(), 2000)
		if err != nil || len(history) != 1001 || len(d.Pending()) != 0 {
			t.Fatalf("%d in the history, %v; %d wait", len(history), err, len(d.Pending()))
		}
		allowed := 0
		for _, r := range history {
			if r.Settled.Decision.Allows() {
				allowed++
			}
		}
		if allowed != yes || yes+no != 1000 {
			t.Errorf("%d ran, and %d were allowed", yes, allowed)
		}
	})
}

func TestCloseDenies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, memory.New().Approvals(), nil)
		answer := asking(t.Context(), d, request(wanted("r")))
		only(t, d)
		_, changes := d.Watch(t.Context())
		d.Close()
		refused(t, answer(), toolcrib.KindBlocked, "the gateway was shut down")
		refused(t, d.Ask(t.Context(), request(wanted("r"))), toolcrib.KindBlocked, "shutting down")
		n := 0
		for range changes {
			n++
		}
		if n != 1 {
			t.Errorf("%d changes were seen before the end", n)
		}
	})
}

// broken is a store in which one thing fails.
type broken struct {
	approval.Store
	put, settle error
}

func (b *broken) PutQuestion(ctx context.Context, r approval.Record) error {
	if b.put != nil {
		return b.put
	}
	return b.Store.PutQuestion(ctx, r)
}

func (b *broken) Settle(ctx context.Context, id string, s approval.Settlement, g []approval.Grant) (bool, error) {
	if b.settle != nil {
		return false, b.settle
	}
	return b.Store.Settle(ctx, id, s, g)
}

func TestAStoreThatFails(t *testing.T) {
	full := toolcrib.NewError(toolcrib.KindUnavailable, "the disk is full", "")
	synctest.Test(t, func(t *testing.T) {
		b := &broken{Store: memory.New().Approvals(), put: full}
		d := newDesk(t, b, nil)
		refused(t, d.Ask(t.Context(), request(wanted("r"))), toolcrib.KindUnavailable, "it did not run")
		b.put, b.settle = nil, full
		answer := asking(t.Context(), d, request(wanted("r")))
		q := only(t, d)
		refused(t, d.Resolve(t.Context(), q.ID, toolcrib.AllowOnce, "ann"), toolcrib.KindUnavailable, "the disk is full")
		if only(t, d).ID != q.ID { // a yes that can't be written down is none, and may be given again
			t.Error("it doesn't wait any more")
		}
		refused(t, answer(), toolcrib.KindBlocked, "nobody answered")

		none := newDesk(t, nil, func(o *approval.Options) {
			o.Store = func(context.Context) (approval.Store, error) { return nil, full }
		})
		refused(t, none.Ask(t.Context(), request(wanted("r"))), toolcrib.KindUnavailable, "can't be used")
		if err := none.Ask(t.Context(), request()); err != nil {
			t.Errorf("a call that wants nothing was refused: %v", err)
		}
	})
}

// What a process left waiting when it died is denied, and what another one waits
// for is left alone until its time has passed.
func TestQuestionsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New().Approvals()
		alive := newDesk(t, store, func(o *approval.Options) { o.Holder = "alive" })
		dead := newDesk(t, store, func(o *approval.Options) { o.Holder = "dead"; o.Alive = func(string) bool { return true } })
		answer := asking(t.Context(), alive, request(wanted("r")))
		living := only(t, alive)
		lost := asking(t.Context(), dead, request(wanted("r")))
		killed := only(t, dead)

		heir := newDesk(t, store, func(o *approval.Options) { o.Alive = func(h string) bool { return h == "alive" } })
		refused(t, heir.Resolve(t.Context(), living.ID, toolcrib.AllowOnce, "ann"), toolcrib.KindUnavailable, "another process")
		refused(t, heir.Resolve(t.Context(), killed.ID, toolcrib.AllowOnce, "ann"), toolcrib.KindInput, "deny by toolcrib, the gateway was restarted")
		if diff := cmp.Diff([]string{"settled deny by toolcrib: the gateway was restarted"}, heir.said()); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
		// It was not dead after all: nothing that is said to it counts.
		refused(t, dead.Resolve(t.Context(), killed.ID, toolcrib.AllowOnce, "ann"), toolcrib.KindInput, "the store has it as settled")
		refused(t, lost(), toolcrib.KindBlocked, "the store has it as settled")
		if err := alive.Resolve(t.Context(), living.ID, toolcrib.AllowOnce, "ann"); err != nil || answer() != nil {
			t.Error("the other process's question was touched", err)
		}
	})
}

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, memory.New().Approvals(), nil)
		first := asking(t.Context(), d, request(wanted("r")))
		q := only(t, d)
		ctx, cancel := context.WithCancel(t.Context())
		pending, changes := d.Watch(ctx)
		if len(pending) != 1 || pending[0].ID != q.ID {
			t.Errorf("waiting: %v", pending)
		}
		if err := d.Resolve(t.Context(), q.ID, toolcrib.AllowOnce, "ann"); err != nil || first() != nil {
			t.Error(err)
		}
		second := asking(t.Context(), d, request(wanted("r")))
		next := only(t, d)
		cancel()
		synctest.Wait()
		var got []string
		for c := range changes {
			got = append(got, fmt.Sprint(string(c.Kind), " ", c.Question.ID == q.ID, " ", c.Question.ID == next.ID))
		}
		if diff := cmp.Diff([]string{"settled true false", "asked false true"}, got); diff != "" {
			t.Errorf("seen (-want +got):\n%s", diff)
		}
		d.Close()
		second()
	})
}
