package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

const pinShape = `{"server", "tool", "why", "served", "hash", "flags": [{"kind", "at", "reason"}], "changes": [{"kind", "at", "before", "after"}], "title", "description", "parameters", "annotations", "seen"}`

// reviewOptions are the flags of servers review.
type reviewOptions struct {
	approve, reject, forget bool
	all, rejected, asJSON   bool
}

// decision is the one that was asked for, "" to look only.
func (o reviewOptions) decision() string {
	switch {
	case o.approve:
		return client.PinApprove
	case o.reject:
		return client.PinReject
	case o.forget:
		return client.PinForget
	}
	return ""
}

func (a *app) serversReviewCommand() *cobra.Command {
	var o reviewOptions
	c := &cobra.Command{
		Use:   "review [SERVER [TOOL...]]",
		Short: "See what has changed in servers' tools, and approve or reject it",
		Long: `See which tools of servers wait for a person, and why: those that are new or have
changed, and those whose text or name is suspicious. Characters that can't be seen
are written out. The tools of servers that are trusted, or have pinning off, are not
looked at.

--approve and --reject answer for the TOOLs that are named, or for --all. --forget
forgets what is known of them, or of the whole server: they are seen for the first
time when they are seen again. All three need a terminal at standard input and
output, so that what a model runs can't say yes to itself.`,
		Example: `  toolcrib servers review
  toolcrib servers review github
  toolcrib servers review github create_issue --approve
  toolcrib servers review github --approve --all
  toolcrib servers review github --forget
  toolcrib servers review --json | jq -r '.pins[] | select(.served == "withheld") | .tool'`,
		ValidArgsFunction: a.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(args); err != nil {
				return err
			}
			if o.decision() != "" {
				if err := a.person(); err != nil {
					return err
				}
			}
			return a.lookUp(cmd.Context(), func(c *connection) error { return a.review(cmd.Context(), c, o, args) })
		},
	}
	f := c.Flags()
	f.BoolVar(&o.approve, "approve", false, "use the tools as they are now")
	f.BoolVar(&o.reject, "reject", false, "don't use them as they are now")
	f.BoolVar(&o.forget, "forget", false, "forget what is known of them")
	f.BoolVar(&o.all, "all", false, "answer for all that is shown")
	f.BoolVar(&o.rejected, "rejected", false, "show what was rejected, too")
	c.MarkFlagsMutuallyExclusive("approve", "reject", "forget")
	jsonFlag(c, &o.asJSON, `{"pins": [`+pinShape+`]}; after an answer {"changed"}`)
	return c
}

// check refuses what can't be meant.
func (o reviewOptions) check(args []string) error {
	wrong := func(message, hint string) error { return toolcrib.NewError(toolcrib.KindInput, message, hint) }
	switch answer := o.approve || o.reject; {
	case o.decision() == "" && o.all:
		return wrong("--all goes with an answer", "add --approve or --reject")
	case o.decision() != "" && len(args) == 0:
		return wrong("no server is named", "name the one that the answer is about")
	case answer && len(args) == 1 && !o.all:
		return wrong("no tool is named", "name the tools that the answer is about, or give --all")
	case answer && len(args) > 1 && o.all:
		return wrong("--all goes without names of tools", "")
	}
	return nil
}

func (a *app) review(ctx context.Context, c *connection, o reviewOptions, args []string) error {
	server, names := "", []string(nil)
	if len(args) > 0 {
		server, names = args[0], args[1:]
	}
	list, err := c.Pins(ctx, server, o.rejected || o.decision() != "" && !o.all)
	if err != nil {
		return err
	}
	if o.decision() == client.PinForget {
		return a.answerPins(ctx, c, o, client.PinAnswer{Server: server, Tools: choices(names)})
	}
	if len(names) > 0 {
		if list, err = chosen(list, server, names); err != nil {
			return err
		}
	}
	if o.decision() == "" {
		if o.asJSON {
			return a.out.json(client.PinList{Pins: orEmpty(list)})
		}
		a.printPins(list)
		return nil
	}
	if len(list) == 0 {
		a.note("note", "2", "nothing of "+server+" waits for a review")
		return nil
	}
	answer := client.PinAnswer{Server: server}
	for _, p := range list {
		answer.Tools = append(answer.Tools, client.PinChoice{Tool: p.Tool, Hash: p.Hash})
	}
	if !o.asJSON {
		a.printPins(list)
	}
	return a.answerPins(ctx, c, o, answer)
}

func choices(names []string) []client.PinChoice {
	var list []client.PinChoice
	for _, n := range names {
		list = append(list, client.PinChoice{Tool: n})
	}
	return list
}

// chosen are the tools of these names.
func chosen(list []client.Pin, server string, names []string) ([]client.Pin, error) {
	var out []client.Pin
	for _, name := range names {
		at := slices.IndexFunc(list, func(p client.Pin) bool { return p.Tool == name })
		if at < 0 {
			var known []string
			for _, p := range list {
				known = append(known, p.Tool)
			}
			hint := "nothing of it waits"
			if len(known) > 0 {
				hint = "these wait: " + strings.Join(known, ", ")
			}
			return nil, toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("tool %q of server %s doesn't wait for a review", name, server), hint)
		}
		out = append(out, list[at])
	}
	return out, nil
}

// answerPins asks once more and answers.
func (a *app) answerPins(ctx context.Context, c *connection, o reviewOptions, answer client.PinAnswer) error {
	answer.Decision = o.decision()
	what := counted(len(answer.Tools), "tool")
	if len(answer.Tools) == 0 {
		what = "all tools"
	}
	yes, err := a.confirm(ctx, fmt.Sprintf("%s %s of %s? [y/N] ", map[string]string{
		client.PinApprove: "Approve", client.PinReject: "Reject", client.PinForget: "Forget",
	}[answer.Decision], what, folded(answer.Server)))
	if err != nil {
		return err
	}
	if !yes {
		return toolcrib.NewError(toolcrib.KindCanceled, "nothing was answered", "")
	}
	reply, err := c.AnswerPins(ctx, answer)
	if err != nil {
		return err
	}
	if o.asJSON {
		return a.out.json(reply)
	}
	a.note("note", "2", fmt.Sprintf("%s: %s", map[string]string{
		client.PinApprove: "approved", client.PinReject: "rejected", client.PinForget: "forgotten",
	}[answer.Decision], counted(reply.Changed, "tool")))
	return nil
}

// reviewWords say why a tool is shown, and what is served of it.
var reviewWords = map[string]string{
	"new": "new", "added": "added after the first list", "text": "its texts have changed", "schema": "its schema or its hints have changed",
	"flagged": "suspicious", "rejected": "rejected",
}

var servedWords = map[string]string{
	"withheld": "can't be used", "before": "served with the texts of before", "now": "served as it is",
}

// printPins writes what there is to look at.
func (a *app) printPins(list []client.Pin) {
	if len(list) == 0 {
		a.note("note", "2", "nothing waits for a review")
		return
	}
	for i, p := range list {
		if i > 0 {
			a.out.printf("\n")
		}
		a.printPin(p)
	}
	a.note("hint", "36", "answer with: toolcrib servers review "+list[0].Server+" TOOL --approve|--reject, or --all")
}

func (a *app) printPin(p client.Pin) {
	a.out.printf("%s  %s\n", a.out.bold(a.out.shown(p.Server+" "+p.Tool)), a.out.dim("("+reviewWords[p.Why]+"; "+servedWords[p.Served]+")"))
	for _, f := range p.Flags {
		a.out.printf("  ! %s, %s: %s\n", f.Kind, a.out.shown(f.At), a.out.shown(f.Reason))
	}
	for _, c := range p.Changes {
		a.out.printf("  %s\n", a.out.shown(c.At))
		a.side("-", c.Before)
		a.side("+", c.After)
	}
	if len(p.Changes) > 0 {
		return
	}
	for _, part := range []struct{ name, text string }{
		{"title", p.Title}, {"description", p.Description}, {"parameters", p.Parameters}, {"annotations", p.Annotations},
	} {
		if part.text != "" {
			a.out.printf("  %s\n", part.name)
			a.side(" ", part.text)
		}
	}
}

// side writes one side of a change, line by line.
func (a *app) side(mark, text string) {
	const most = 40
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if text == "" {
		return
	}
	for _, line := range lines[:min(len(lines), most)] {
		a.out.printf("  %s %s\n", mark, a.out.shown(line))
	}
	if more := len(lines) - most; more > 0 {
		a.out.printf("  %s … and %s more; --json has all\n", mark, counted(more, "line"))
	}
}

// reviewNote sums up what of a server waits, "" for nothing.
func reviewNote(r client.Review) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{r.Withheld, "withheld"}, {r.Changed, "with changed texts"}, {r.Flagged, "suspicious"}, {r.Added, "added"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}
