package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

func (a *app) approvalsWatchCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "watch",
		Short: "Show approvals as they come, and ask for an answer to each on a terminal",
		Long: `Show approvals as they come, until it is ended. On a terminal it asks for an answer
to each: y allows this once, a allows always, n denies, s leaves it to others.

Elsewhere it only shows what happens. --json prints one line of JSON for each.`,
		Example: `  toolcrib approvals watch
  toolcrib approvals watch --json | jq -r .kind`,
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.attach(cmd.Context())
			if err != nil {
				return err
			}
			defer c.close()
			if asJSON || a.person() != nil {
				return a.follow(cmd.Context(), c, asJSON)
			}
			return newDesk(a, c).run(cmd.Context())
		},
	}
	jsonFlag(c, &asJSON, `lines of {"kind": "asked|settled|granted|ready", "approval": {...}}`)
	return c
}

// follow prints what happens.
func (a *app) follow(ctx context.Context, c *connection, asJSON bool) error {
	for e, err := range c.WatchApprovals(ctx) {
		switch {
		case err != nil:
			return ended(ctx, err)
		case asJSON:
			data, err := json.Marshal(e)
			if err != nil {
				return err
			}
			a.out.printf("%s\n", data)
		case e.Approval == nil:
		case e.Kind == "asked":
			a.printQuestion(*e.Approval, time.Now())
		default:
			a.out.printf("%s\n", settledLine(*e.Approval))
		}
		if err := a.out.flush(); err != nil {
			return err
		}
	}
	return nil
}

// ended makes the end that was asked for a good one.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func settledLine(s client.Approval) string {
	line := fmt.Sprintf("%s by %s: %s of %s", s.Decision, s.By, s.Title, s.Tool)
	if s.Reason != "" {
		line += " (" + s.Reason + ")"
	}
	return folded(line)
}

// desk asks a person at the terminal, one question after the other.
type desk struct {
	app     *app
	c       *connection
	waiting []client.Approval // the first is the one that is shown
	shown   time.Time         // when that was
	// stale is true when the shown question has ended without an answer from here:
	// what is being typed was meant for it.
	stale bool
}

// tooQuick is how soon after a question nobody has read it: what comes sooner was
// typed before, and was meant for another one.
const tooQuick = 250 * time.Millisecond

func newDesk(a *app, c *connection) *desk { return &desk{app: a, c: c} }

// run asks until ctx or the input ends.
func (d *desk) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines, events, broken := make(chan typedLine), make(chan client.ApprovalEvent), make(chan error, 1)
	go readLines(ctx, d.app.p.Stdin, lines)
	go func() {
		for e, err := range d.c.WatchApprovals(ctx) {
			if err != nil {
				broken <- err
				return
			}
			select {
			case events <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		if err := d.app.out.flush(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-broken:
			return ended(ctx, err)
		case e := <-events:
			d.take(e)
		case line, ok := <-lines:
			if !ok {
				return nil
			}
			d.read(ctx, line)
		}
	}
}

// typedLine is a line that was typed, and when it was read.
type typedLine struct {
	text string
	at   time.Time
}

// readLines sends what is typed, line by line.
func readLines(ctx context.Context, in io.Reader, lines chan<- typedLine) {
	defer close(lines)
	scanner := bufio.NewScanner(in)
	for scanner.Scan() {
		select {
		case lines <- typedLine{scanner.Text(), time.Now()}:
		case <-ctx.Done():
			return
		}
	}
}

// take takes an event in.
func (d *desk) take(e client.ApprovalEvent) {
	out := d.app.out
	switch {
	case e.Kind == "ready":
		if len(d.waiting) == 0 {
			out.printf("%s\n", out.dim("no call waits for an approval; this one shows them as they come"))
		}
	case e.Approval == nil:
	case e.Kind == "asked":
		d.waiting = append(d.waiting, *e.Approval)
		if len(d.waiting) == 1 && !d.stale {
			d.show()
		}
	default:
		at := slices.IndexFunc(d.waiting, func(q client.Approval) bool { return q.ID == e.Approval.ID })
		if at < 0 {
			return // answered here, or granted
		}
		d.waiting = slices.Delete(d.waiting, at, at+1)
		if at == 0 && !d.stale {
			d.stale = true
			out.printf("\n%s\n%s ", settledLine(*e.Approval), out.bold("press Enter to go on"))
		}
	}
}

// show shows the first question.
func (d *desk) show() {
	if len(d.waiting) == 0 {
		return
	}
	q, out := d.waiting[0], d.app.out
	out.printf("\n")
	d.app.printQuestion(q, time.Now())
	var keys []string
	for _, k := range answers {
		if slices.Contains(q.Decisions, k.decision) {
			keys = append(keys, k.key+" "+k.word)
		}
	}
	if more := len(d.waiting) - 1; more > 0 {
		keys = append(keys, fmt.Sprintf("(%d more)", more))
	}
	out.printf("%s ", out.bold(strings.Join(append(keys, "s skip?"), ", ")))
	d.shown = time.Now()
}

// answers are the keys.
var answers = []struct {
	key, word string
	decision  toolcrib.Decision
}{
	{"y", "once", toolcrib.AllowOnce},
	{"a", "always", toolcrib.AllowAlways},
	{"n", "no", toolcrib.Deny},
}

// read reads a line that was typed.
func (d *desk) read(ctx context.Context, line typedLine) {
	out := d.app.out
	switch {
	case d.stale:
		d.stale = false
		d.show()
		return
	case len(d.waiting) == 0:
		return
	case line.at.Sub(d.shown) < tooQuick:
		out.printf("%s ", out.dim("that was typed before the question was there; answer again:"))
		return
	}
	q := d.waiting[0]
	key := strings.ToLower(strings.TrimSpace(line.text))
	if key == "s" {
		d.next()
		return
	}
	for _, k := range answers {
		if k.key == key && slices.Contains(q.Decisions, k.decision) {
			d.answer(ctx, q, k.decision)
			return
		}
	}
	out.printf("%s ", out.dim("answer with one of the letters:"))
}

// answer gives an answer, and goes on to the next question.
func (d *desk) answer(ctx context.Context, q client.Approval, decision toolcrib.Decision) {
	if _, err := d.c.Resolve(ctx, q.ID, decision); err != nil {
		d.app.warn(err.Error())
		if toolcrib.KindOf(err) != toolcrib.KindInput {
			d.show() // it may still be answered
			return
		}
	} else {
		d.app.out.printf("%s: %s\n", decision, folded(q.Tool))
	}
	d.next()
}

// next goes on to the next question.
func (d *desk) next() {
	d.waiting = d.waiting[1:]
	d.show()
}
