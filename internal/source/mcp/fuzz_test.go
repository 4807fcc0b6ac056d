package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func FuzzUnwrap(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `[{"jsonrpc":"2.0","method":"x"}]`, "banner", `log {"jsonrpc":"2.0","id":"a","error":{"code":1.5}}`,
		`{"jsonrpc":"2.0","id":1,"error":"text"}`, "\ufeff{}", `[]`, `{"jsonrpc":"2.0","id":{}}`, "\x00",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		frames, _ := unwrap(data)
		for _, m := range frames {
			if _, err := jsonrpc.EncodeMessage(m); err != nil {
				t.Errorf("a message that was read can't be written: %v", err)
			}
		}
	})
}

func FuzzTools(f *testing.F) {
	f.Add([]byte(`{"tools":[` + malformedTools + `,` + exactTool + `],"nextCursor":"x"}`))
	f.Add([]byte(`{"tools":null}`))
	f.Add([]byte(`{"tools":[{"name":"x","inputSchema":{"a":{"x-mcp-header":"H"}}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		bare, final := stripList(data)
		if !final || !json.Valid(bare) {
			t.Fatalf("stripped to %s", bare)
		}
		p, err := readPage(data)
		if err != nil {
			return
		}
		g := newGatherer("s")
		g.add(p.tools)
		l := g.list()
		for _, tool := range l.tools {
			for _, raw := range []json.RawMessage{tool.Parameters, tool.OutputSchema, tool.Meta} {
				if raw != nil && (!json.Valid(raw) || !isObject(raw)) {
					t.Errorf("tool %q keeps %s", tool.Name, raw)
				}
			}
			if found, ok := l.find(tool.Name); !ok || found.ID != tool.ID {
				t.Errorf("tool %q isn't found", tool.Name)
			}
		}
	})
}

func FuzzResult(f *testing.F) {
	f.Add([]byte(exactResult))
	f.Add([]byte(`{"content":[{"type":"text","text":"x"}],"isError":true}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bare, final := stripCall(data); final && !json.Valid(bare) {
			t.Fatalf("stripped to %s", bare)
		}
		r, err := readResult(data)
		if err != nil {
			return
		}
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("a result that was read can't be written: %v", err)
		}
	})
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte("event: message\nid: 1\ndata: {\"a\":\ndata: 1}\n\n: comment\n\nretry: 5\n\ndata:\n\nevent: endpoint\ndata: /x\n\n"), true)
	f.Add([]byte("data: drop\n\nid: 7\ndata: drop\n\ndata: keep"), false)
	f.Fuzz(func(t *testing.T, data []byte, resumable bool) {
		see := func(m []byte) ([]byte, bool) { return m, !bytes.Contains(m, []byte("drop")) }
		out, err := io.ReadAll(newEvents(io.NopCloser(bytes.NewReader(data)), resumable, see))
		if err != nil {
			t.Fatal(err)
		}
		again, err := io.ReadAll(newEvents(io.NopCloser(bytes.NewReader(out)), resumable, see))
		if err != nil || !bytes.Equal(out, again) {
			t.Errorf("%q becomes %q, then %q", data, out, again)
		}
	})
}

func FuzzCache(f *testing.F) {
	f.Add([]byte(`{"version":1,"server":"s","tools":[{"name":"x","parameters":{"a":1}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := decodeCached(&Server{Name: "s"}, data)
		if err != nil {
			return
		}
		for _, tool := range l.tools {
			if tool.Name == "" || tool.Parameters != nil && !isObject(tool.Parameters) {
				t.Errorf("read %+v", tool)
			}
		}
	})
}

// TestEvents rewrites a stream: messages pass the tap, the rest stays.
func TestEvents(t *testing.T) {
	in := "event: endpoint\ndata: /x\n\nid: 1\nevent: message\ndata: {\"a\":\ndata: 1}\n\nid: 2\ndata: drop\n\ndata: drop\n\nretry: 9\n\ndata: {}"
	see := func(m []byte) ([]byte, bool) { return bytes.ToUpper(m), !bytes.Contains(m, []byte("drop")) }
	out, err := io.ReadAll(newEvents(io.NopCloser(strings.NewReader(in)), true, see))
	if err != nil {
		t.Fatal(err)
	}
	want := "event: endpoint\ndata: /x\n\nevent: message\nid: 1\ndata: {\"A\":\ndata: 1}\n\nid: 2\n\nretry: 9\n\ndata: {}\n\n"
	if string(out) != want {
		t.Errorf("got %q\nwant %q", out, want)
	}
}
