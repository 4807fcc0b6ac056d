package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib/internal/rpcline"
)

// refusal is what a test hears of a request that is refused.
type refusal struct {
	ID    json.RawMessage `json:"id"`
	Error struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (h *hand) refused(id string, words ...string) {
	h.t.Helper()
	if !h.lines.Scan() {
		h.t.Fatalf("the server says nothing: %v", h.lines.Err())
	}
	var r refusal
	if err := json.Unmarshal(h.lines.Bytes(), &r); err != nil {
		h.t.Fatalf("%v in %s", err, h.lines.Text())
	}
	if string(r.ID) != id || r.Error.Code != rpcline.CodeInvalid {
		h.t.Errorf("heard %s, want a refusal of %s", h.lines.Text(), id)
	}
	for _, word := range words {
		if !strings.Contains(r.Error.Message, word) {
			h.t.Errorf("%q is not in %s", word, h.lines.Text())
		}
	}
}

// TestLinesThatAreNoMessage are answered while a call goes on, which is answered too.
func TestLinesThatAreNoMessage(t *testing.T) {
	release := make(chan struct{})
	surface := &callSurface{func(ctx context.Context, _ CallRequest) Reply {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return Reply{Text: "done"}
	}}
	h := byHand(t, &guardedGateway{surface: guarded(), replace: surface})
	h.say(callGuarded)
	for _, bad := range []struct{ line, id, word string }{
		{`{}`, "null", "neither"},
		{`1`, "null", "no message"},
		{`[{"jsonrpc":"2.0","id":50,"method":"ping"}]`, "null", "batches are not supported"},
		{`{"id":51,"method":"tools/list"}`, "51", "2.0"},
		{`{"jsonrpc":"2.0","id":true,"method":"ping"}`, "null", "id"},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "null", "id"},
		{`{"jsonrpc":"2.0","id":1e999,"method":"ping"}`, "null", "id"},
		{`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, "null", "id"},
		{`{"jsonrpc":"2.0","id":52,"method":5}`, "52", "method"},
		{`{"jsonrpc":"2.0","id":53,"method":"ping","params":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`, "53", "can't be read"},
		{`{"jsonrpc":"2.0","id":4711}`, "null", "neither"},
		{`{"jsonrpc":"2.0","id":4711,"error":"x"}`, "null", "can't be read"},
		{callGuarded, "2", "still going on"},
	} {
		h.say(bad.line)
		h.refused(bad.id, bad.word)
	}
	for _, silent := range []string{
		`{"jsonrpc":"2.0","id":4711,"result":5}`, `{"jsonrpc":"2.0","method":"nothing","params":5}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":true}}`,
	} {
		h.say(silent)
	}
	h.say(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
	if m := h.hear(); string(m.ID) != `"p"` {
		t.Errorf("heard %+v, want the answer to the ping", m)
	}
	close(release)
	if m := h.hear(); string(m.ID) != "2" || m.Result.Content[0].Text != "done" {
		t.Errorf("heard %+v", m)
	}
	h.say(strings.Replace(callGuarded, `"id":2`, `"id":2.0`, 1)) // free again
	if m := h.hear(); m.Result.Content[0].Text != "done" {
		t.Errorf("heard %+v", m)
	}
}

// TestSecondInitialize is refused, with the id of the first and with another one.
func TestSecondInitialize(t *testing.T) {
	h := byHand(t, &guardedGateway{surface: guarded()})
	for _, id := range []string{"1", `"again"`} {
		h.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"hand","version":"0"}}}`, id))
		h.refused(id, "already initialized")
	}
}

// FuzzLines: whatever line a client says, the session goes on.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		`{}`, `1`, `[]`, `{"jsonrpc":"2.0","id":7,"error":1}`, `{"jsonrpc":"2.0","method":null}`, "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}",
		`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":[]}`, `{"jsonrpc":"2.0","id":"x","method":"initialize"}`,
		`{"jsonrpc":"2.0","id":"x","id":true,"method":"a"}`, `{"jsonrpc":"2.0","id":null,"method":"a"}`, `{"jsonrpc":"2.0","ID":1,"method":"a"}`,
		`{"jsonrpc":"2.0","id":"x","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":"x","method":"logging/setLevel","params":{"level":7}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "subscriptions/listen") {
			t.Skip("it is answered at the end")
		}
		h := byHand(t, &guardedGateway{surface: guarded()})
		lines := strings.ReplaceAll(line, "\n", " ") + "\n" + `{"jsonrpc":"2.0","id":"the last","method":"ping"}` + "\n"
		go func() { _, _ = io.WriteString(h.in, lines) }() // h.hear misses the answer when that fails
		for string(h.hear().ID) != `"the last"` {
		}
	})
}
