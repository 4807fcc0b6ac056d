package mcp

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/toolcrib/toolcrib"
)

// exchange is one tools/list or tools/call as it goes over the wire. The tap
// takes the server's answer out of the stream before the SDK reads it, so that
// no number loses precision, no unknown content type is refused, and one
// malformed tool doesn't cost the list.
type exchange struct {
	// token is the progress token, 0 for none.
	token int64
	// strip makes of the raw result what the SDK shall see. It returns false
	// when the result is not final and belongs to the SDK whole.
	strip func(json.RawMessage) (json.RawMessage, bool)

	mu      sync.Mutex
	raw     json.RawMessage
	input   bool // the server asked for input before it answers
	ids     []jsonrpc.ID
	reports *reports
}

// exchangeKey carries the exchange to the transport, which alone learns the id
// that the SDK gives to the request.
type exchangeKey struct{}

// withExchange returns a context whose next request belongs to x.
func withExchange(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// exchangeOf returns the exchange that the context belongs to, or nil.
func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// answer returns the raw result, nil before it came.
func (x *exchange) answer() json.RawMessage {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw
}

// wantsInput reports whether the server asked for input.
func (x *exchange) wantsInput() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.input
}

// tap stands between one connection and the SDK.
type tap struct {
	mu     sync.Mutex
	last   int64
	asked  map[jsonrpc.ID]*exchange
	tokens map[int64]*exchange
	// listChanged is called when the server says that its list changed.
	listChanged func()
}

// newTap returns a tap that has seen nothing yet.
func newTap(listChanged func()) *tap {
	return &tap{asked: map[jsonrpc.ID]*exchange{}, tokens: map[int64]*exchange{}, listChanged: listChanged}
}

// open starts an exchange. With a listener for progress it gets a token.
func (t *tap) open(progress func(toolcrib.Progress), strip func(json.RawMessage) (json.RawMessage, bool)) *exchange {
	x := &exchange{strip: strip}
	if progress == nil {
		return x
	}
	x.reports = newReports(progress)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	x.token = t.last
	t.tokens[x.token] = x
	return x
}

// close forgets an exchange; what comes for it later is dropped.
func (t *tap) close(x *exchange) {
	x.mu.Lock()
	ids := x.ids
	x.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range ids {
		delete(t.asked, id)
	}
	delete(t.tokens, x.token)
}

// sent notes that a request of an exchange goes out under id.
func (t *tap) sent(ctx context.Context, id jsonrpc.ID) {
	x := exchangeOf(ctx)
	if x == nil || !id.IsValid() {
		return
	}
	x.mu.Lock()
	x.ids = append(x.ids, id)
	x.mu.Unlock()
	t.mu.Lock()
	t.asked[id] = x
	t.mu.Unlock()
}

// came looks at a message from the server and returns what the SDK shall see of
// it, nil for nothing, and whether that is another message than came.
func (t *tap) came(m jsonrpc.Message) (seen jsonrpc.Message, changed bool) {
	switch m := m.(type) {
	case *jsonrpc.Request:
		return t.notified(m)
	case *jsonrpc.Response:
		return t.answered(m)
	}
	return m, false
}

// notified handles the notifications that are ours.
func (t *tap) notified(m *jsonrpc.Request) (jsonrpc.Message, bool) {
	if m.IsCall() {
		return m, false
	}
	switch m.Method {
	case "notifications/progress":
		t.progress(m.Params)
		return nil, true
	case "notifications/tools/list_changed":
		t.listChanged()
	}
	return m, false
}

// answered keeps the result of an exchange and hands on a stripped one.
func (t *tap) answered(m *jsonrpc.Response) (jsonrpc.Message, bool) {
	t.mu.Lock()
	x := t.asked[m.ID]
	delete(t.asked, m.ID)
	t.mu.Unlock()
	if x == nil || m.Error != nil {
		return m, false
	}
	bare, final := x.strip(m.Result)
	x.mu.Lock()
	defer x.mu.Unlock()
	if !final {
		x.input = true
		return m, false
	}
	x.raw = m.Result
	return &jsonrpc.Response{ID: m.ID, Result: bare}, true
}

// progress hands a report to the call that asked for it, and to no other.
func (t *tap) progress(params json.RawMessage) {
	var p struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress float64         `json:"progress"`
		Total    float64         `json:"total"`
		Message  string          `json:"message"`
	}
	var token int64
	if json.Unmarshal(params, &p) != nil || json.Unmarshal(p.Token, &token) != nil {
		return
	}
	t.mu.Lock()
	x := t.tokens[token]
	t.mu.Unlock()
	if x != nil {
		x.reports.add(toolcrib.Progress{Done: p.Progress, Total: p.Total, Message: clip(p.Message, 2000)})
	}
}
