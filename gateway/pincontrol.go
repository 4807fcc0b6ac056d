package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/pin"
	"github.com/toolcrib/toolcrib/internal/store"
)

// Pins implements httpapi.Pinner.
func (c control) Pins(ctx context.Context, server string, rejected bool) ([]client.Pin, error) {
	c.judgeShared()
	return c.waiting(ctx, server, rejected)
}

// waiting is Pins for what has been judged.
func (c control) waiting(ctx context.Context, server string, rejected bool) ([]client.Pin, error) {
	kept, err := c.keptPins(ctx, server)
	var list []client.Pin
	for _, one := range kept {
		if r, ok := reviewOf(one); ok && (rejected || r.why != pin.WhyRejected) {
			list = append(list, r.wire())
		}
	}
	return list, err
}

// keptPins are the pins of a server as the store has them.
func (c control) keptPins(ctx context.Context, server string) ([]store.Pin, error) {
	s, err := c.store.pins(ctx)
	if err != nil {
		return nil, err
	}
	return s.Pins(ctx, server)
}

// review is a pin that a person should look at.
type review struct {
	kept     store.Pin
	why      pin.Why
	served   string
	form     pin.Form // that an answer is about
	hash     string
	flags    []pin.Flag
	accepted *pin.Form // where another one is
}

// whyAdded is of a tool that came after its server's first list, and is served.
const whyAdded pin.Why = "added"

// What is served of a tool while it waits.
const (
	servedNone   = "withheld"
	servedBefore = "before"
	servedNow    = "now"
)

// reviewOf says what there is to look at in a pin; false for nothing.
func reviewOf(kept store.Pin) (review, bool) {
	r := review{kept: kept, served: servedNow}
	_ = json.Unmarshal(kept.Flags, &r.flags) // what can't be read is none
	_, holding := pin.Holding(r.flags)
	accepted, err := pin.Read(kept.Form)
	if kept.Waiting == nil {
		r.form, r.hash = accepted, kept.Hash
		switch {
		case kept.Hash == "" || err != nil:
			return r, false
		case kept.Rejected == kept.Hash:
			r.why, r.served = pin.WhyRejected, servedNone
		case pin.State(kept.State) == pin.StateApproved:
			return r, false
		case len(r.flags) > 0:
			r.why = pin.WhyFlagged
			if holding {
				r.served = servedNone
			}
		case pin.State(kept.State) == pin.StateAdded:
			r.why = whyAdded
		default:
			return r, false
		}
		return r, true
	}
	waiting, failed := pin.Read(kept.Waiting)
	if failed != nil {
		return r, false
	}
	r.form, r.hash = waiting, waiting.Hash()
	switch light := kept.Hash != "" && err == nil && pin.Light(pin.Compare(accepted, waiting)); {
	case kept.Hash == "":
		r.why, r.served = pin.WhyNew, servedNone
		if holding {
			r.why = pin.WhyFlagged
		}
	case kept.Hash == r.hash:
		r.why, r.served = pin.WhyFlagged, servedNone
	case light:
		r.why, r.served, r.accepted = pin.WhyText, servedBefore, &accepted
	default:
		r.why, r.served, r.accepted = pin.WhySchema, servedNone, &accepted
	}
	if r.hash == kept.Rejected {
		r.why = pin.WhyRejected
	}
	return r, true
}

// wire is a review as the control API sends it.
func (r review) wire() client.Pin {
	out := client.Pin{Server: r.kept.Server, Tool: r.kept.Tool, Why: string(r.why), Served: r.served, Hash: r.hash, Seen: r.kept.Seen}
	for _, f := range r.flags {
		out.Flags = append(out.Flags, client.PinFlag{Kind: string(f.Kind), At: f.At, Reason: f.Reason})
	}
	if r.accepted != nil {
		for _, c := range pin.Compare(*r.accepted, r.form) {
			out.Changes = append(out.Changes, client.PinChange{Kind: string(c.Kind), At: pin.Visible(c.At), Before: pin.Visible(c.Before), After: pin.Visible(c.After)})
		}
		return out
	}
	out.Title, out.Description = pin.Visible(r.form.Title), pin.Visible(r.form.Description)
	out.Parameters = pin.Visible(string(r.form.Parameters))
	if !r.form.Annotations.IsZero() {
		hints, _ := json.Marshal(r.form.Annotations) // plain values always can be
		out.Annotations = pin.Visible(string(hints))
	}
	return out
}

// AnswerPins implements httpapi.Pinner. All of an answer counts, or nothing.
func (c control) AnswerPins(ctx context.Context, a client.PinAnswer) (client.PinReply, error) {
	s, err := c.store.pins(ctx)
	if err != nil {
		return client.PinReply{}, err
	}
	var reply client.PinReply
	switch a.Decision {
	case client.PinApprove, client.PinReject:
		reply.Changed, err = c.judgePins(ctx, s, a)
	case client.PinForget:
		reply.Changed, err = forgetPins(ctx, s, a)
	default:
		err = toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("decision is %q", pin.Excerpt(a.Decision, 40)), "give approve, reject or forget")
	}
	if reply.Changed > 0 {
		c.logger.Info("pins were reviewed", "server", a.Server, "decision", a.Decision, "tools", reply.Changed)
		c.pins.again(ctx)
	}
	return reply, err
}

// judgePins approves or rejects forms.
func (c control) judgePins(ctx context.Context, s store.Pins, a client.PinAnswer) (int, error) {
	if len(a.Tools) == 0 {
		return 0, toolcrib.NewError(toolcrib.KindInput, "no tool is named", "")
	}
	kept, err := s.Pins(ctx, a.Server)
	if err != nil {
		return 0, err
	}
	var list []store.Pin
	for _, choice := range a.Tools {
		at := slices.IndexFunc(kept, func(p store.Pin) bool { return p.Tool == choice.Tool })
		if at < 0 {
			return 0, unknownPin(a.Server, choice.Tool)
		}
		r, ok := reviewOf(kept[at])
		switch {
		case !ok:
			return 0, toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("tool %q of server %s doesn't wait for a review", pin.Excerpt(choice.Tool, 100), a.Server), "")
		case choice.Hash != "" && choice.Hash != r.hash:
			return 0, toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("tool %q of server %s has changed once more since it was looked at; nothing was answered", pin.Excerpt(choice.Tool, 100), a.Server), "look at it again: toolcrib servers review "+a.Server)
		}
		list = append(list, r.answered(a.Decision))
	}
	return len(list), s.PutPins(ctx, list)
}

func unknownPin(server, tool string) error {
	return toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("no tool %q of server %q is pinned", pin.Excerpt(tool, 100), server), "see what waits: toolcrib servers review")
}

// answered is the pin after an answer.
func (r review) answered(decision string) store.Pin {
	p := r.kept
	p.Seen = time.Now()
	if decision == client.PinApprove {
		p.Hash, p.Form, p.State, p.Waiting, p.Rejected = r.hash, r.form.Bytes(), string(pin.StateApproved), nil, ""
		return p
	}
	p.Rejected = r.hash
	if r.hash != p.Hash {
		p.Waiting = r.form.Bytes()
	}
	return p
}

// forgetPins deletes pins.
func forgetPins(ctx context.Context, s store.Pins, a client.PinAnswer) (n int, err error) {
	kept, err := s.Pins(ctx, a.Server)
	if err != nil || a.Server == "" {
		return 0, err
	}
	if len(a.Tools) == 0 {
		_, err = s.DeletePin(ctx, a.Server, "")
		return len(kept), err
	}
	for _, choice := range a.Tools {
		had, err := s.DeletePin(ctx, a.Server, choice.Tool)
		if err != nil {
			return n, err
		}
		if !had {
			return n, unknownPin(a.Server, choice.Tool)
		}
		n++
	}
	return n, nil
}

// again reads the pins anew and has every session look.
func (p *pinner) again(ctx context.Context) {
	p.mu.Lock()
	p.unsaved = nil // what was answered counts; the rest is seen again
	p.read(ctx)
	clear(p.observed)
	p.book.version++
	p.mu.Unlock()
	p.changed()
}

// reviews counts what there is to look at, by server.
func (c control) reviews(ctx context.Context) map[string]client.Review {
	c.judgeShared()
	counts := map[string]client.Review{}
	for _, server := range c.pins.suspects(ctx) {
		list, _ := c.waiting(ctx, server, false) // a store that fails is told of elsewhere
		for _, one := range list {
			r := counts[server]
			r.Count(one)
			counts[server] = r
		}
	}
	return counts
}

// suspects are the servers of whose tools something may have to be looked at.
func (p *pinner) suspects(ctx context.Context) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.load(ctx)
	var list []string
	for server, tools := range p.book.tools {
		for _, e := range tools {
			if e.waiting != "" || e.state == pin.StateAdded || e.flags != "" && e.state != pin.StateApproved {
				list = append(list, server)
				break
			}
		}
	}
	slices.Sort(list)
	return list
}
