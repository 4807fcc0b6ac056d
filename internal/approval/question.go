package approval

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/toolcrib/toolcrib"
)

// maxArgs bounds the preview of a question's arguments, in bytes.
const maxArgs = 8 << 10

// all are the decisions that are offered where a question names none.
var all = []toolcrib.Decision{toolcrib.AllowOnce, toolcrib.AllowAlways, toolcrib.Deny}

// bounded returns a question within its bounds, its texts cleaned. No can always
// be said.
func (b *Broker) bounded(q toolcrib.Question, call toolcrib.Call) toolcrib.Question {
	q.Tool, q.Source, q.CallID, q.Scope = call.Tool.ID, call.Tool.Source, call.ID, call.Scope
	q.Title = Clean(b.opt.Text(q.Title), toolcrib.MaxTitle)
	if q.Title == "" {
		q.Title = Clean("Run "+call.Tool.Name+"?", toolcrib.MaxTitle)
	}
	q.Description = Clean(b.opt.Text(q.Description), toolcrib.MaxDescription)
	switch q.Severity {
	case toolcrib.SeverityInfo, toolcrib.SeverityWarning, toolcrib.SeverityCritical:
	default:
		q.Severity = toolcrib.SeverityWarning
	}
	q.Decisions = offered(q.Decisions)
	q.Args = preview(b.opt.Args(call.Args))
	if q.Timeout <= 0 {
		q.Timeout = toolcrib.DefaultApprovalFor
	}
	q.Timeout = min(q.Timeout, toolcrib.MaxApprovalFor)
	return q
}

// offered are the known decisions, in one order; all where none is named.
func offered(named []toolcrib.Decision) []toolcrib.Decision {
	if len(named) == 0 {
		return slices.Clone(all)
	}
	return slices.DeleteFunc(slices.Clone(all), func(d toolcrib.Decision) bool {
		return d != toolcrib.Deny && !slices.Contains(named, d)
	})
}

// Clean returns a text as one line that shows what it says: without control
// characters and those that turn or hide others, and of at most max characters.
func Clean(s string, max int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case hidden(r):
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > max {
		s = strings.TrimRight(string(runes[:max-1]), " ") + "…"
	}
	return s
}

// hidden reports whether a character isn't seen, or changes how others are.
func hidden(r rune) bool {
	return !unicode.IsPrint(r) && r != ' ' || r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 || // blank letters
		unicode.Is(unicode.Variation_Selector, r) || unicode.In(r, unicode.Bidi_Control)
}

// preview is JSON in which every character shows: hidden ones are written as \u.
func preview(args json.RawMessage) json.RawMessage {
	if len(args) > maxArgs {
		return json.RawMessage(fmt.Sprintf(`{"…":"%d bytes of arguments"}`, len(args)))
	}
	var b strings.Builder
	for _, r := range string(args) {
		switch {
		case r > 0xFFFF && hidden(r):
			high, low := (r-0x10000)>>10+0xD800, (r-0x10000)&0x3FF+0xDC00
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		case r >= 0x7F && hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	if out := json.RawMessage(b.String()); json.Valid(out) {
		return out
	}
	return json.RawMessage(`{}`)
}

// Wanted is one question that a call must have answered.
type Wanted struct {
	Question toolcrib.Question
	// Rule is what an answer "always" is kept for: what asks, by what it says.
	// Empty means Question.Rule.
	Rule string
}

func (w Wanted) rule() string {
	if w.Rule != "" {
		return w.Rule
	}
	return w.Question.Rule
}

// asking is a question with the keys of the grants that an "always" makes.
type asking struct {
	question toolcrib.Question
	keys     []Key
}

// join makes as few questions as possible of many: those to which one answer can
// be given alike.
func join(list []asking) []asking {
	var joined []asking
	for _, a := range list {
		if n := len(joined); n > 0 {
			if both, ok := together(joined[n-1], a); ok {
				joined[n-1] = both
				continue
			}
		}
		joined = append(joined, a)
	}
	return joined
}

// together joins two questions, when a yes can be offered for both.
func together(a, b asking) (asking, bool) {
	p, q := a.question, b.question
	decisions := slices.DeleteFunc(slices.Clone(p.Decisions), func(d toolcrib.Decision) bool { return !slices.Contains(q.Decisions, d) })
	if !slices.ContainsFunc(decisions, toolcrib.Decision.Allows) {
		return a, false
	}
	if weight(q.Severity) > weight(p.Severity) {
		p.Title, q.Title = q.Title, p.Title
		p.Severity = q.Severity
	}
	text := []string{p.Description}
	if q.Title != p.Title {
		text = append(text, q.Title)
	}
	text = append(text, q.Description)
	text = slices.DeleteFunc(text, func(s string) bool { return s == "" })
	p.Description = Clean(strings.Join(text, " · "), toolcrib.MaxDescription)
	p.Decisions = decisions
	p.Timeout = min(p.Timeout, q.Timeout)
	p.BindArgs = p.BindArgs || q.BindArgs
	p.Rule += ", " + q.Rule
	return asking{p, slices.Concat(a.keys, b.keys)}, true
}

func weight(s toolcrib.Severity) int {
	return slices.Index([]toolcrib.Severity{toolcrib.SeverityInfo, toolcrib.SeverityWarning, toolcrib.SeverityCritical}, s)
}

// stamped gives a question its id and its times.
func (b *Broker) stamped(q toolcrib.Question) toolcrib.Question {
	q.ID = b.opt.ID()
	q.Asked = b.now()
	q.Expires = q.Asked.Add(q.Timeout)
	return q
}
