package toolsearch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/toolcrib/toolcrib"
)

// answering opens a surface whose every tool gives the same result.
func answering(t testing.TB, m Mode, r toolcrib.Result, change ...func(*Options)) bench {
	b := open(t, small(), m, change...)
	b.caller.answer = func(Request) (toolcrib.Result, error) { return r, nil }
	return b
}

const callForge = `{"id":"mcp:forge:list_issues"}`

// cutReply is the envelope as a client reads it.
type cutReply struct {
	Tool   struct{ ID, Name, Source string }
	Result struct {
		Content []struct{ Type, Text string }
		Details json.RawMessage
		IsError bool
	}
	Truncated bool
	ResultID  string
	Hint      string
}

func readReply(t *testing.T, text string) cutReply {
	t.Helper()
	var got cutReply
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v: %.200s", err, text)
	}
	return got
}

func TestEnvelope(t *testing.T) {
	image := toolcrib.Content{Type: "image", Raw: json.RawMessage(`{"type":"image","data":"AAAA","mimeType":"image/png"}`)}
	noted := toolcrib.Content{Type: "text", Text: "with notes", Raw: json.RawMessage(`{"type":"text","text":"with notes","annotations":{"priority":1}}`)}
	b := answering(t, ModeTools, toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text("<a> & \"b\""), image, noted}, Details: json.RawMessage(`{"n": 1.0}`), IsError: true})
	text, r := b.ask(t, CallControl, callForge)
	want := `{"tool":{"id":"mcp:forge:list_issues","name":"list_issues","source":"mcp"},"result":{"content":[{"type":"text","text":"<a> & \"b\""},{"type":"text","text":"[image: see block 2 of this reply]"},{"type":"text","text":"with notes","annotations":{"priority":1}}],"details":{"n":1.0},"isError":true}}`
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("envelope (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]toolcrib.Content{image}, r.Blocks); diff != "" || !r.IsError {
		t.Errorf("isError %v, blocks (-want +got):\n%s", r.IsError, diff)
	}
	text, _ = answering(t, ModeTools, toolcrib.Result{}).ask(t, CallControl, callForge)
	if !strings.HasSuffix(text, `"result":{"content":[]}}`) {
		t.Errorf("an empty result: %s", text)
	}
}

// TestCallPassesOn what a model put beside the control's own properties.
func TestCallPassesOn(t *testing.T) {
	for args, want := range map[string]Request{
		`{"id":" mcp:forge:create_issue ","args":{"title":"x"}}`:             {Args: json.RawMessage(`{"title":"x"}`)},
		`{"id":"mcp:forge:create_issue","args":"{\"title\":\"x\"}"}`:         {Args: json.RawMessage(`"{\"title\":\"x\"}"`)},
		`{"id":"mcp:forge:create_issue","title":"x"}`:                        {Beside: map[string]json.RawMessage{"title": json.RawMessage(`"x"`)}},
		`{"id":"mcp:forge:create_issue","args.title":"x","args":null}`:       {Beside: map[string]json.RawMessage{"args.title": json.RawMessage(`"x"`)}},
		`{"tool":"mcp:forge:create_issue","arguments":{"title":"x"}}`:        {Args: json.RawMessage(`{"title":"x"}`)},
		`{"args":{},"name":"mcp:forge:create_issue"}`:                        {Args: json.RawMessage(`{}`)},
		`{"arguments":{"id":"mcp:forge:create_issue","args":{"title":"x"}}}`: {Args: json.RawMessage(`{"title":"x"}`)},
		`{"id":"mcp:forge:create_issue","name":"n","args":{}}`:               {Args: json.RawMessage(`{}`), Beside: map[string]json.RawMessage{"name": json.RawMessage(`"n"`)}},
	} {
		b := open(t, small(), ModeTools)
		_, r := b.ask(t, CallControl, args)
		if r.IsError || len(b.caller.got) != 1 {
			t.Errorf("%s: %+v", args, r)
			continue
		}
		got := b.caller.got[0]
		if got.ID != "c1:1" || got.Via != CallControl || got.Scope.Session != "s1" || strings.TrimSpace(got.Ref) != "mcp:forge:create_issue" {
			t.Errorf("%s: called as %+v", args, got)
		}
		if string(got.Args) != string(want.Args) || len(got.Beside) != len(want.Beside) || (len(want.Beside) > 0 && !cmp.Equal(want.Beside, got.Beside)) {
			t.Errorf("%s: args %s beside %s; want %s beside %s", args, got.Args, got.Beside, want.Args, want.Beside)
		}
	}
}

// TestCutText: the longest text is cut at a character, the rest stays, and what
// is kept goes on exactly where the shown text ends.
func TestCutText(t *testing.T) {
	long := strings.Repeat("日本語 \"quoted\"\n", 20_000)
	b := answering(t, ModeTools, toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text("before"), toolcrib.Text(long), toolcrib.Text("after")}, Details: json.RawMessage(`{"n":1}`)})
	text, _ := b.ask(t, CallControl, callForge)
	if len(text) > DefaultMaxResultBytes || len(text) < DefaultMaxResultBytes-2*cutRoom {
		t.Errorf("%d bytes of %d", len(text), DefaultMaxResultBytes)
	}
	got := readReply(t, text)
	shown := got.Result.Content[1].Text
	if !got.Truncated || got.ResultID == "" || !strings.HasPrefix(long, shown) || !utf8.ValidString(shown) {
		t.Errorf("truncated %v, id %q, %d bytes shown", got.Truncated, got.ResultID, len(shown))
	}
	if got.Result.Content[0].Text != "before" || got.Result.Content[2].Text != "after" || string(got.Result.Details) != `{"n":1}` {
		t.Error("more than the longest text was touched")
	}
	if len(b.keeper.whole) != 1 || string(b.keeper.whole[0]) != long {
		t.Error("what is kept is not the text that was cut")
	}
	next := fmt.Sprintf(`tool_call {"id":"core:results:read","args":{"id":"%s","offset":%d}}`, got.ResultID, len(shown))
	if !strings.Contains(got.Hint, next) {
		t.Errorf("hint %q doesn't say %q", got.Hint, next)
	}
}

func TestCutDirect(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	b := answering(t, ModeDirect, toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text(long)}, Details: json.RawMessage(`{"n":1}`)})
	_, r := b.ask(t, "forge__list_issues", `{}`)
	if len(r.Blocks) != 2 || !strings.HasPrefix(long, r.Blocks[0].Text) || string(r.Structured) != `{"n":1}` || r.Text != "" {
		t.Fatalf("%d blocks, structured %s", len(r.Blocks), r.Structured)
	}
	if want := fmt.Sprintf(`Read on with read {"id":"%s","offset":%d}`, b.keeper.Keep(toolcrib.Scope{}, nil), len(r.Blocks[0].Text)); !strings.Contains(r.Blocks[1].Text, want) {
		t.Errorf("%q doesn't say %q", r.Blocks[1].Text, want)
	}
	whole := toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text("a"), {Type: "resource_link", Raw: json.RawMessage(`{"type":"resource_link","uri":"x"}`)}}, Details: json.RawMessage(`{"a":[1]}`)}
	_, r = answering(t, ModeDirect, whole).ask(t, "forge__list_issues", `{}`)
	if diff := cmp.Diff(Reply{Blocks: whole.Content, Structured: whole.Details}, r); diff != "" {
		t.Errorf("a small result isn't passed on as it is (-want +got):\n%s", diff)
	}
	_, r = answering(t, ModeDirect, toolcrib.Result{Details: json.RawMessage(`[1,2]`)}).ask(t, "water_plants", `{}`)
	if diff := cmp.Diff(Reply{Blocks: []toolcrib.Content{toolcrib.Text("[1,2]")}}, r); diff != "" {
		t.Errorf("a value that MCP has no place for (-want +got):\n%s", diff)
	}
}

// TestCutSays only what can be done.
func TestCutSays(t *testing.T) {
	long := toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text(strings.Repeat("x", 100_000))}}
	b := answering(t, ModeTools, long, func(o *Options) { o.Keeper = nil })
	text, _ := b.ask(t, CallControl, callForge)
	if got := readReply(t, text); got.ResultID != "" || strings.Contains(got.Hint, ResultsRead) || !got.Truncated {
		t.Errorf("without a keeper: %q, %q", got.ResultID, got.Hint)
	}
	b = answering(t, ModeTools, long)
	text, _ = b.ask(t, CallControl, `{"id":"core:results:read","args":{}}`)
	if got := readReply(t, text); len(b.keeper.whole) != 0 || strings.Contains(got.Hint, "offset") {
		t.Errorf("the reader's own answer is kept again: %q", got.Hint)
	}
}

// TestCutMany: lists of many blocks lose their end, values become text, embedded texts are cut.
func TestCutMany(t *testing.T) {
	blocks := func(n, size int) (out []toolcrib.Content) {
		for range n {
			out = append(out, toolcrib.Text(strings.Repeat("y", size)))
		}
		return out
	}
	object := func(size int) json.RawMessage {
		return json.RawMessage(`{"text":"` + strings.Repeat("z", size) + `"}`)
	}
	resource := toolcrib.Content{Type: "resource", Raw: json.RawMessage(`{"type":"resource","resource":{"uri":"file:///a","text":"` + strings.Repeat("w", 200_000) + `"}}`)}
	for name, r := range map[string]toolcrib.Result{
		"many small blocks":          {Content: blocks(20_000, 3)},
		"many empty blocks":          {Content: blocks(20_000, 0)},
		"many middling blocks":       {Content: blocks(1000, 1000)},
		"a large value":              {Details: object(200_000)},
		"a value and the same text":  {Content: []toolcrib.Content{toolcrib.Text(string(object(200_000)))}, Details: object(200_000)},
		"an embedded resource":       {Content: []toolcrib.Content{resource}},
		"three of everything":        {Content: append(blocks(3, 90_000), resource, resource), Details: object(90_000)},
		"a text of escapes":          {Content: []toolcrib.Content{toolcrib.Text(strings.Repeat("\x01\"", 50_000))}},
		"a text that is no UTF-8":    {Content: []toolcrib.Content{toolcrib.Text(strings.Repeat("\xff", 50_000))}},
		"a text of hidden marks":     {Content: []toolcrib.Content{toolcrib.Text(strings.Repeat("\u202e", 50_000))}},
		"a block of a later version": {Content: []toolcrib.Content{{Type: "hologram", Raw: json.RawMessage(`{"type":"hologram","x":1}`)}}, Details: object(70_000)},
	} {
		for _, m := range []Mode{ModeTools, ModeDirect} {
			b := answering(t, m, r)
			tool, args := CallControl, callForge
			if m == ModeDirect {
				tool, args = "forge__list_issues", `{}`
			}
			text, reply := b.ask(t, tool, args)
			size := len(text) + len(reply.Structured)
			for _, block := range reply.Blocks {
				raw, err := encode(block)
				if err != nil {
					t.Errorf("%s, %s: a block that is no JSON: %v", name, m, err)
				}
				size += len(raw)
			}
			if size > DefaultMaxResultBytes || reply.IsError || !utf8.ValidString(text) {
				t.Errorf("%s, %s: %d bytes, error %v", name, m, size, reply.IsError)
			}
			if size < DefaultMaxResultBytes/2 {
				t.Errorf("%s, %s: only %d bytes are left", name, m, size)
			}
			if len(b.keeper.whole) != 1 {
				t.Errorf("%s, %s: kept %d times", name, m, len(b.keeper.whole))
			}
		}
	}
}

// TestImagesAreNotCounted: they are no text, and pass whole.
func TestImagesAreNotCounted(t *testing.T) {
	image := toolcrib.Content{Type: "image", Raw: json.RawMessage(`{"type":"image","mimeType":"image/png","data":"` + strings.Repeat("A", 300_000) + `"}`)}
	text, r := answering(t, ModeTools, toolcrib.Result{Content: []toolcrib.Content{image}}).ask(t, CallControl, callForge)
	if readReply(t, text).Truncated || len(r.Blocks) != 1 || !bytes.Equal(r.Blocks[0].Raw, image.Raw) {
		t.Errorf("an image was cut: %.200s", text)
	}
}

// TestCutAlwaysFits: random results, random bounds.
func TestCutAlwaysFits(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		var result toolcrib.Result
		for range r.IntN(30) {
			block := toolcrib.Text(hostile(r))
			if r.IntN(3) == 0 {
				text, _ := json.Marshal(block.Text)
				block.Raw = fmt.Appendf(nil, `{"type":"text","text":%s,"x":"`+"\xff"+`"}`, text)
			}
			result.Content = append(result.Content, block)
		}
		if r.IntN(2) == 0 {
			result.Details, _ = json.Marshal(map[string]string{"a": hostile(r)})
		}
		bound := 2000 + r.IntN(20_000)
		b := answering(t, ModeTools, result, func(o *Options) { o.MaxResultBytes = bound })
		text, reply := b.ask(t, CallControl, callForge)
		if len(text) > bound || !utf8.ValidString(text) || reply.IsError {
			t.Errorf("seed %d: %d bytes of %d, error %v", seed, len(text), bound, reply.IsError)
		}
		got := readReply(t, text)
		if got.Truncated != (len(b.keeper.whole) == 1) {
			t.Errorf("seed %d: truncated %v, kept %d", seed, got.Truncated, len(b.keeper.whole))
		}
	}
}
