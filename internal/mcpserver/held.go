package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// errTooManyHeld is why a question is not put to a client.
var errTooManyHeld = errors.New("too many calls of this client wait for an answer already")

// held is one running call of the stateless era, whose client may be asked
// something: the request is then answered with the questions, the call goes on
// running, and the client asks again with the answers and with the id that it was
// given. Each id is good for one such round.
type held struct {
	name string
	args json.RawMessage
	end  context.CancelCauseFunc
	// over is closed when the call is; then reply counts.
	over  chan struct{}
	reply Reply
	// asked gets a value when there is a question that was not put yet.
	asked chan struct{}

	mu     sync.Mutex
	report *reporter // of the round that goes on; nil for none
	posed  []*posed  // what waits for an answer
	count  int       // of questions so far
	until  time.Time // when the last question's time is over
}

// posed is one question of a held call.
type posed struct {
	key      string // names it to the client, within the call
	question toolcrib.Question
	put      bool // the client has it
	answer   chan answer
}

type answer struct {
	decision toolcrib.Decision
	err      error
}

// start runs a call that can be held. It belongs to the session and no longer to
// the request that began it.
func (c *conn) start(ctx context.Context, surface Surface, r CallRequest, progress bool) (*held, error) {
	ctx, leave, err := c.enter(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	h := &held{name: r.Name, args: r.Args, over: make(chan struct{}), asked: make(chan struct{}, 1)}
	ctx, h.end = context.WithCancelCause(ctx)
	r.Ask = h.ask
	if progress {
		r.Progress = h.progress
	}
	go func() {
		defer leave()
		defer h.end(errCallOver)
		h.reply = c.run(ctx, surface, r)
		close(h.over)
	}()
	return h, nil
}

// ask implements toolcrib.Ask.
func (h *held) ask(ctx context.Context, q toolcrib.Question) (toolcrib.Decision, error) {
	p := &posed{question: q, answer: make(chan answer, 1)}
	h.mu.Lock()
	h.count++
	p.key = fmt.Sprintf("approval-%d", h.count)
	h.posed = append(h.posed, p)
	if q.Expires.After(h.until) {
		h.until = q.Expires
	}
	h.mu.Unlock()
	select {
	case h.asked <- struct{}{}:
	default:
	}
	select {
	case a := <-p.answer:
		if ctx.Err() != nil {
			return "", context.Cause(ctx) // too late
		}
		return a.decision, a.err
	case <-ctx.Done():
		h.forget(p)
		return "", context.Cause(ctx)
	case <-h.over:
		return "", cmp.Or(context.Cause(ctx), errCallOver)
	}
}

// forget takes back a question: an answer to it is dropped.
func (h *held) forget(p *posed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, other := range h.posed {
		if other == p {
			h.posed = append(h.posed[:i:i], h.posed[i+1:]...)
			return
		}
	}
}

// progress passes a report on to the round that goes on.
func (h *held) progress(p toolcrib.Progress) {
	h.mu.Lock()
	r := h.report
	h.mu.Unlock()
	if r != nil {
		r.put(p)
	}
}

func (h *held) attach(r *reporter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.report = r
}

// put returns what waits for an answer, by key, and notes that the client has it.
func (h *held) put() map[string]*mcp.ElicitParams {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make(map[string]*mcp.ElicitParams, len(h.posed))
	for _, p := range h.posed {
		p.put = true
		all[p.key] = form(p.question)
	}
	return all
}

// settle gives the answers of a client to those that wait for them. Whatever the
// client was asked and has not answered counts as answered badly. A nil err is
// the rule; another one goes to all.
func (h *held) settle(answers mcp.InputResponseMap, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var rest []*posed
	for _, p := range h.posed {
		switch {
		case err != nil:
			p.answer <- answer{err: err}
		case p.put:
			result, _ := answers[p.key].(*mcp.ElicitResult)
			p.answer <- answer{decision: decided(p.question, result)}
		default:
			rest = append(rest, p)
		}
	}
	h.posed = rest
}

// is reports whether a request repeats the one that began the call.
func (h *held) is(p *mcp.CallToolParamsRaw) bool {
	return h.name == p.Name && (bytes.Equal(h.args, p.Arguments) || sameJSON(h.args, p.Arguments))
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return decode(a, &x) && decode(b, &y) && reflect.DeepEqual(x, y)
}

func decode(data json.RawMessage, v *any) bool {
	if len(data) == 0 {
		return true
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(v) == nil
}

// attend waits for a call in one round: until it is over, or something is to be
// asked. The call ends when the client leaves meanwhile.
func (c *conn) attend(ctx context.Context, req mcp.Request, h *held) mcp.Result {
	var r *reporter
	if p, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok && p.GetProgressToken() != nil {
		r = c.report(ctx, req, p.GetProgressToken())
	}
	h.attach(r)
	stay := context.AfterFunc(ctx, func() { h.end(context.Cause(ctx)) })
	id, questions := c.await(req, h)
	stay()
	h.attach(nil)
	if r != nil {
		r.finish() // before the result, which ends the stream
	}
	if id != "" {
		return inputRequired(id, questions)
	}
	_, version := introduce(req)
	return &rawResult{body: c.appendReply(nil, h.name, h.reply, version), modern: true}
}

// await returns what to ask, and under which id the call is kept; no id when the
// call is over.
func (c *conn) await(req mcp.Request, h *held) (id string, questions map[string]*mcp.ElicitParams) {
	for {
		select {
		case <-h.over:
			return "", nil
		case <-h.asked:
		}
		if h.isOver() {
			return "", nil
		}
		if !showsForms(req) {
			h.settle(nil, errors.New("the client says no longer that it shows forms"))
			continue
		}
		questions := h.put()
		if len(questions) == 0 {
			continue // answered elsewhere meanwhile
		}
		if id, ok := c.keep(h); ok {
			return id, questions
		}
		h.settle(nil, errTooManyHeld)
	}
}

func (h *held) isOver() bool {
	select {
	case <-h.over:
		return true
	default:
		return false
	}
}

// resume goes on with a call whose client comes with answers.
func (c *conn) resume(ctx context.Context, req mcp.Request, p *mcp.CallToolParamsRaw) mcp.Result {
	h, problem := c.take(p)
	if h == nil {
		_, version := introduce(req)
		return &rawResult{body: c.appendReply(nil, p.Name, problem, version), modern: true}
	}
	h.settle(p.InputResponses, nil)
	return c.attend(ctx, req, h)
}

// inputRequired is the result that asks the client something.
func inputRequired(id string, questions map[string]*mcp.ElicitParams) mcp.Result {
	type request struct {
		Method string            `json:"method"`
		Params *mcp.ElicitParams `json:"params"`
	}
	requests := make(map[string]request, len(questions))
	for key, params := range questions {
		requests[key] = request{methodElicit, params}
	}
	data, err := json.Marshal(requests)
	if err != nil { // a form of strings never fails
		data = []byte("{}")
	}
	body := append([]byte(`"inputRequests":`), data...)
	body = appendString(append(body, `,"requestState":`...), id)
	return &rawResult{body: body, modern: true, input: true}
}

// newState makes the id of a round, which nobody can guess.
func newState() string { return strings.ToLower(rand.Text() + rand.Text()) }
