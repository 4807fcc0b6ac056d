package toolsearch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/sandbox"
)

// bridge answers the calls of one body of code. Whatever the code reaches, it
// reaches through here, and here a tool is run by the surface's Caller alone.
type bridge struct {
	surface *Surface
	request CodeRequest
	start   time.Time

	mu       sync.Mutex
	steps    map[int]*CodeStep
	last     int // the largest N that was given out here
	reports  int
	notice   notice
	finished bool
}

// notice is what the code may not have looked at.
type notice struct {
	failed  []string // tools that reported a failure of their own
	natives []string // tools that sent images and the like
	empty   []string // searches that found nothing
}

func newBridge(s *Surface, r CodeRequest, start time.Time) *bridge {
	return &bridge{surface: s, request: r, start: start, steps: map[int]*CodeStep{}}
}

// answer is the sandbox.Host of the body.
func (b *bridge) answer(ctx context.Context, function string, raw json.RawMessage) (json.RawMessage, error) {
	step, id := b.begin(sandbox.Number(ctx), function)
	var args []json.RawMessage
	if err := json.Unmarshal(raw, &args); err != nil {
		err := toolcrib.NewError(toolcrib.KindInternal, "the arguments are no list", "").WithCause(err)
		b.end(step, err)
		return nil, b.hostError(function, "", err)
	}
	var value any
	var tool string
	var err error
	switch function {
	case searchFunction:
		value, err = b.search(ctx, id, args, step)
	case describeFunction:
		value, tool, err = b.describe(ctx, id, args, step)
	case callFunction:
		value, tool, err = b.call(ctx, id, args, step)
	default:
		err = toolcrib.NewError(toolcrib.KindInternal, "there is no function "+function, "")
	}
	var text json.RawMessage
	if raw, whole := value.(json.RawMessage); whole {
		text = raw
	} else if err == nil {
		text, err = encode(value)
	}
	b.end(step, err)
	if err != nil {
		return nil, b.hostError(function, tool, err)
	}
	return text, nil
}

// begin notes that a call has come and returns its id.
func (b *bridge) begin(n int, function string) (*CodeStep, string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n == 0 {
		n = b.last + 1
	}
	b.last = max(b.last, n)
	step := &CodeStep{N: n, Function: function[strings.LastIndexByte(function, '.')+1:], Started: b.surface.opt.Now().Sub(b.start)}
	b.steps[n] = step
	return step, fmt.Sprintf("%s:%d", b.request.CallID, n)
}

// aim notes what a call is about.
func (b *bridge) aim(step *CodeStep, target string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	step.Target = fold(safe(target), maxTarget)
}

// cutOff is the error of a call that ran when its code was ended.
const cutOff = "it was still running when the code was ended: its effect may have happened"

const (
	maxTarget    = 200 // characters of a step's target
	maxStepError = 200 // bytes of its error's JSON
)

// end notes how a call came out, and tells those who wait for the body.
func (b *bridge) end(step *CodeStep, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.finished {
		return
	}
	step.Elapsed = b.surface.opt.Now().Sub(b.start) - step.Started
	switch {
	case err != nil:
		step.Failure, step.Error = toolcrib.KindOf(err), boundText(messageOf(err), maxStepError)
		if step.Failure == toolcrib.KindCanceled && !strings.Contains(step.Error, "did not run") {
			step.Error = cutOff
		}
	case step.Failure == "":
		step.OK = true
	}
	b.report(step.Function + " " + step.Target)
}

// report sends progress, which must grow; b.mu is held.
func (b *bridge) report(message string) {
	if b.request.Progress == nil || b.finished {
		return
	}
	b.reports++
	b.request.Progress(toolcrib.Progress{Done: float64(b.reports), Message: message})
}

// progress is what a tool of the body reports to.
func (b *bridge) progress(step *CodeStep) func(toolcrib.Progress) {
	if b.request.Progress == nil {
		return nil
	}
	return func(p toolcrib.Progress) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.report(strings.TrimSuffix(step.Target+": "+p.Message, ": "))
	}
}

// finish returns the steps in order. A call that is still open was cut off.
func (b *bridge) finish() []CodeStep {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.finished = true
	steps := make([]CodeStep, 0, len(b.steps))
	for _, step := range b.steps {
		s := *step
		if !s.OK && s.Failure == "" {
			s.Elapsed = b.surface.opt.Now().Sub(b.start) - s.Started
			s.Failure, s.Error = toolcrib.KindCanceled, cutOff
		}
		steps = append(steps, s)
	}
	slices.SortFunc(steps, func(x, y CodeStep) int { return cmp.Compare(x.N, y.N) })
	return steps
}

func (b *bridge) noticed() notice {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.notice
}

// note adds to a list of the notice.
func (b *bridge) note(list *[]string, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(*list, what) {
		*list = append(*list, what)
	}
}

func (b *bridge) search(ctx context.Context, id string, args []json.RawMessage, step *CodeStep) ([]Hit, error) {
	q, err := searchArgs(args)
	if err != nil {
		return nil, err
	}
	b.aim(step, q.Text)
	hits, err := b.surface.Search(ctx, b.request.Scope, id, q)
	if err == nil && len(hits) == 0 {
		b.note(&b.notice.empty, q.Text)
	}
	return hits, err
}

func (b *bridge) describe(ctx context.Context, id string, args []json.RawMessage, step *CodeStep) (Detail, string, error) {
	ref, err := describeArg(args)
	if err != nil {
		return Detail{}, "", err
	}
	b.aim(step, ref)
	d, err := b.surface.Describe(ctx, b.request.Scope, id, ref)
	if err == nil {
		b.aim(step, d.ID)
	}
	return d, d.ID, err
}

func (b *bridge) call(ctx context.Context, id string, args []json.RawMessage, step *CodeStep) (json.RawMessage, string, error) {
	c, err := callArgs(args)
	if err != nil {
		return nil, "", err
	}
	b.aim(step, c.ref)
	if meant, err := b.surface.opt.Catalog.Resolve(c.ref); err == nil { // a call that is cut off shows what it was
		b.aim(step, meant.ID)
	}
	t, result, err := b.surface.Run(ctx, Request{
		ID: id, Ref: c.ref, Args: c.args, Beside: c.beside, Scope: b.request.Scope, Via: CodeControl,
		Progress: b.progress(step), Waiting: func() func() { return sandbox.Waiting(ctx) }, Ask: b.request.Ask,
	})
	if err != nil {
		return nil, t.ID, err
	}
	if result.IsError {
		b.failed(step, t.ID, result)
	}
	if slices.ContainsFunc(result.Content, func(c toolcrib.Content) bool { return c.Type != "text" }) {
		b.note(&b.notice.natives, t.ID)
	}
	return wholeEnvelope(t, result), t.ID, nil
}

// failed notes that a tool reported a failure of its own.
func (b *bridge) failed(step *CodeStep, id string, r toolcrib.Result) {
	b.note(&b.notice.failed, id)
	text := "the tool reported a failure"
	if i := slices.IndexFunc(r.Content, func(c toolcrib.Content) bool { return c.Text != "" }); i >= 0 {
		text += ": " + r.Content[i].Text
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	step.Failure, step.Error = toolcrib.KindTool, boundText(text, maxStepError)
}

// wholeEnvelope is the JSON of the envelope as code gets it: whole, with every
// block in its place. It is put together as it is, since it may be large; the
// invoker has seen to it that every part is JSON.
func wholeEnvelope(t toolcrib.Tool, r toolcrib.Result) json.RawMessage {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"tool":%s,"result":{"content":[`, encoded(envelopeTool{t.ID, t.Name, t.Source}))
	for i, c := range r.Content {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(valid(wire(c).Raw))
	}
	b.WriteByte(']')
	if !isAbsent(r.Details) {
		b.WriteString(`,"details":`)
		b.Write(valid(r.Details))
	}
	if r.IsError {
		b.WriteString(`,"isError":true`)
	}
	b.WriteString(`}}`)
	return b.Bytes()
}

// hostData goes with an error into the code, and out again when it isn't caught.
type hostData struct {
	Tool     string `json:"tool,omitempty"`
	Hint     string `json:"hint,omitempty"`
	Function string `json:"function,omitempty"`
}

// hostError is an error as code can catch it: its message says what to try too.
func (b *bridge) hostError(function, tool string, err error) error {
	var e *toolcrib.Error
	if !errors.As(err, &e) {
		e = toolcrib.NewError(toolcrib.KindInternal, "something went wrong in here", "the log has the details")
	}
	message := boundText(messageOf(e), maxMessage)
	hint := boundText(e.Hint, maxHint)
	if hint != "" {
		message += " (" + hint + ")"
	}
	if tool != "" && !strings.Contains(message, tool) {
		message = tool + ": " + message
	}
	return &sandbox.HostError{Kind: string(e.Kind), Message: message, Data: encoded(hostData{tool, hint, function})}
}

// messageOf is the public text of an error without its hint.
func messageOf(err error) string {
	var e *toolcrib.Error
	if !errors.As(err, &e) {
		return "something went wrong in here"
	}
	if e.Op != "" {
		return e.Op + ": " + e.Message
	}
	return e.Message
}
