package toolsearch

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/sandbox"
)

// TestCodeCut: only the value is cut, as a string, and can be read on.
func TestCodeCut(t *testing.T) {
	long := strings.Repeat("é\"\n", 4000)
	quoted, _ := json.Marshal(long)
	list := "[" + strings.TrimSuffix(strings.Repeat(`{"a":1},`, 4000), ",") + "]"
	for name, tt := range map[string]struct{ value, whole string }{"text": {string(quoted), long}, "list": {list, list}} {
		const most = 4096
		b, _ := openCode(t, small(), returning(tt.value), func(o *Options) { o.MaxResultBytes = most })
		got, r := b.run(t, `{"code":"return x"}`)
		var shown string
		if err := json.Unmarshal(got.Value, &shown); err != nil || !got.Truncated || !strings.HasPrefix(tt.whole, shown) || len(shown) < most/4 || len(r.Text) > most {
			t.Errorf("%s: %v, truncated %v, %d bytes shown, reply of %d", name, err, got.Truncated, len(shown), len(r.Text))
		}
		if len(b.keeper.whole) != 1 || string(b.keeper.whole[0]) != tt.whole {
			t.Errorf("%s: the whole was not kept", name)
		}
		if want := fmt.Sprintf("openclaw.tools.call('core:results:read', {id: '%s', offset: %d})", got.ResultID, len(shown)); !strings.Contains(got.Hint, want) {
			t.Errorf("%s: the hint %q doesn't say %q", name, got.Hint, want)
		}
	}
}

// TestCodeReplyHoldsItsBound: whatever a body logs, returns and calls.
func TestCodeReplyHoldsItsBound(t *testing.T) {
	noisy := sandbox.Log{Level: "log", Text: strings.Repeat("\x01\u202e\"", 500)}
	for _, most := range []int{2048, 4096, 65536} {
		for name, outcome := range map[string]sandbox.Outcome{
			"logs":         {Value: json.RawMessage("1"), Logs: []sandbox.Log{noisy, noisy, noisy, noisy, noisy, noisy, noisy, noisy}},
			"all":          {Value: json.RawMessage(`"` + strings.Repeat("x", 250_000) + `"`), Logs: []sandbox.Log{noisy, noisy, noisy}},
			"failed":       {Failure: &sandbox.Failure{Kind: "runtime", Message: "no"}, Logs: []sandbox.Log{noisy, noisy, noisy, noisy, noisy, noisy, noisy, noisy}},
			"broken value": {Value: json.RawMessage(`{`)},
		} {
			b, _ := openCode(t, small(), func(host) sandbox.Outcome { return outcome }, func(o *Options) { o.MaxResultBytes = most })
			_, r := b.run(t, `{"code":"return x"}`)
			if len(r.Text) > most {
				t.Errorf("%s: a reply of %d bytes, at most %d", name, len(r.Text), most)
			}
		}
	}
}

func TestCodeHints(t *testing.T) {
	image := toolcrib.Content{Type: "image", Raw: json.RawMessage(`{"type":"image","data":"AAAA","mimeType":"image/png"}`)}
	for _, tt := range []struct {
		name, code, value string
		calls             [][2]string
		result            toolcrib.Result
		says, never       string
	}{
		{name: "nothing returned", code: "1+1", value: "null", says: "end the code with return"},
		{name: "null returned", code: "return null", value: "null", never: "return"},
		{name: "a function", code: "async () => { return 1 }", value: "null", says: "between its braces"},
		{name: "a called function", code: "(async function(){ return 1 })()", value: "null", says: "between its braces"},
		{name: "all well", code: "return 1", value: "1", never: "r"},
		{
			name: "the tool failed", code: "return 1", value: "1", calls: [][2]string{{"call", `["stop"]`}},
			result: toolcrib.Result{IsError: true, Content: []toolcrib.Content{toolcrib.Text("jammed")}}, says: "plugin:garden:stop reported a failure",
		},
		{
			name: "an image", code: "return 1", value: "1", calls: [][2]string{{"call", `["stop"]`}},
			result: toolcrib.Result{Content: []toolcrib.Content{image}}, says: "plugin:garden:stop sent blocks that are no text",
		},
		{name: "nothing found", code: "return 1", value: "[]", calls: [][2]string{{"search", `["zzz qqq"]`}}, says: `nothing fits \"zzz qqq\"`},
		{name: "something found", code: "return 1", value: "[]", calls: [][2]string{{"search", `["zzz qqq"]`}, {"search", `["issue"]`}}, never: "nothing fits"},
	} {
		b, _ := openCode(t, small(), func(call host) sandbox.Outcome {
			for _, c := range tt.calls {
				if _, err := call(c[0], c[1]); err != nil {
					t.Error(err)
				}
			}
			return sandbox.Outcome{Value: json.RawMessage(tt.value)}
		})
		b.caller.answer = func(Request) (toolcrib.Result, error) { return tt.result, nil }
		quoted, _ := json.Marshal(tt.code)
		got, _ := b.run(t, `{"code":`+string(quoted)+`}`)
		says := strings.ReplaceAll(tt.says, `\"`, `"`)
		if !strings.Contains(got.Hint, says) || (tt.never != "" && strings.Contains(got.Hint, tt.never)) {
			t.Errorf("%s: hint %q", tt.name, got.Hint)
		}
	}
}

// TestCodeGetsBlocksWhole: nothing of a result is cut or moved on its way into the code.
func TestCodeGetsBlocksWhole(t *testing.T) {
	image := json.RawMessage(`{"type":"image","data":"` + strings.Repeat("A", 200_000) + `","mimeType":"image/png"}`)
	b, _ := openCode(t, small(), func(call host) sandbox.Outcome {
		text, err := call("call", `["stop"]`)
		var e struct{ Result toolcrib.Result }
		if err != nil || json.Unmarshal(text, &e) != nil || len(e.Result.Content) != 1 || string(e.Result.Content[0].Raw) != string(image) || string(e.Result.Details) != `{"a":1}` {
			t.Errorf("%v: %.200s", err, text)
		}
		return sandbox.Outcome{Value: json.RawMessage("1")}
	})
	b.caller.answer = func(Request) (toolcrib.Result, error) {
		return toolcrib.Result{Content: []toolcrib.Content{{Type: "image", Raw: image}}, Details: json.RawMessage(`{"a":1}`)}, nil
	}
	b.run(t, `{"code":"return 1"}`)
}
