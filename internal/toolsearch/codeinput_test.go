package toolsearch

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadCode(t *testing.T) {
	for _, tt := range []struct{ raw, want, wrong string }{
		{`{"code":"return 1"}`, "return 1", ""},
		{`{"script":"return 1"}`, "return 1", ""},
		{`{"source":"return 1"}`, "return 1", ""},
		{`{"js":"return 1","note":"x"}`, "return 1", ""},
		{`{"code":null,"javascript":"return 1"}`, "return 1", ""},
		{`"return 1"`, "return 1", ""},
		{`"{\"code\":\"return 1\"}"`, "return 1", ""},
		{`{"code":"{\"code\":\"return 1\"}"}`, "return 1", ""},
		{`{"input":{"code":"return 1"}}`, "return 1", ""},
		{`"{ const a = 1; return a }"`, "{ const a = 1; return a }", ""},
		{"{\"code\":\"```js\\nreturn 1\\n```\"}", "return 1\n", ""},
		{"{\"code\":\" ```\\nreturn `a`\\n``` \"}", "return `a`\n", ""},
		{`{}`, "", "empty"},
		{``, "", "empty"},
		{`null`, "", "empty"},
		{`{"code":"  "}`, "", "empty"},
		{`{"query":"x"}`, "", "code is missing; query"},
		{`{"code":["a"]}`, "", "not a list"},
		{`[1]`, "", "takes an object"},
		{`{`, "", "takes an object"},
	} {
		got, err := readCode(json.RawMessage(tt.raw))
		if got != tt.want || (err == nil) != (tt.wrong == "") {
			t.Errorf("%s: %q, %+v; want %q", tt.raw, got, err, tt.want)
			continue
		}
		if err != nil && (err.Kind != CodeSyntax || !strings.Contains(err.Message, tt.wrong) || err.Hint == "") {
			t.Errorf("%s: %+v; want one that says %q", tt.raw, err, tt.wrong)
		}
	}
}

func list(t testing.TB, raw string) []json.RawMessage {
	t.Helper()
	var args []json.RawMessage
	if err := json.Unmarshal([]byte(raw), &args); err != nil {
		t.Fatal(err)
	}
	return args
}

func TestBridgeArguments(t *testing.T) {
	for raw, want := range map[string]Query{
		`["a b"]`: {"a b", 0}, `["a",{"limit":3}]`: {"a", 3}, `["a",3]`: {"a", 3}, `["a","3"]`: {"a", 3}, `["a",null]`: {"a", 0},
		`["a",{"limit":null}]`: {"a", 0}, `[{"query":"a","limit":3}]`: {"a", 3}, `[{"q":"a"},{"limit":2}]`: {"a", 2}, `[]`: {"", 0}, `[null]`: {"", 0}, `[7]`: {"7", 0},
	} {
		if got, err := searchArgs(list(t, raw)); err != nil || got != want {
			t.Errorf("search%s: %+v, %v; want %+v", raw, got, err, want)
		}
	}
	hit := `{"id":"a","source":"mcp","owner":"o","name":"n","description":"d","input":"unknown"}`
	for raw, want := range map[string]called{
		`["a"]`:                       {ref: "a"},
		`["a",null]`:                  {ref: "a"},
		`["a",{"x":1}]`:               {ref: "a", args: json.RawMessage(`{"x":1}`)},
		`["a","{\"x\":1}"]`:           {ref: "a", args: json.RawMessage(`"{\"x\":1}"`)},
		`[{"id":"a","args":{"x":1}}]`: {ref: "a", args: json.RawMessage(`{"x":1}`)},
		`[{"id":"a","x":1}]`:          {ref: "a", beside: map[string]json.RawMessage{"x": json.RawMessage(`1`)}},
		`[` + hit + `]`:               {ref: "a"},
		`[` + hit + `,{"x":1}]`:       {ref: "a", args: json.RawMessage(`{"x":1}`)},
		`[{"id":"a","y":2},{"x":1}]`:  {ref: "a", args: json.RawMessage(`{"x":1}`)},
	} {
		got, err := callArgs(list(t, raw))
		if len(got.beside) == 0 {
			got.beside = nil
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(called{})); err != nil || diff != "" {
			t.Errorf("call%s: %v\n%s", raw, err, diff)
		}
	}
}

// FuzzBridge: whatever a script passes, each function answers JSON or an error
// that holds nothing invisible, and the reply stays whole.
func FuzzBridge(f *testing.F) {
	for _, seed := range []string{`[]`, `["issue",{"limit":3}]`, `["stop",{"a":1}]`, `[{"id":"x"}]`, `[null,null]`, `[[[]]]`, `["\u202e"]`, `{`, `null`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, args string) {
		for _, function := range []string{searchFunction, describeFunction, callFunction, "else"} {
			b, _ := openCode(t, small(), returning("1"))
			bridge := newBridge(b.Surface, CodeRequest{CallID: "c"}, b.opt.Now())
			value, err := bridge.answer(t.Context(), function, json.RawMessage(args))
			if err == nil && !json.Valid(value) {
				t.Errorf("%s(%q): not JSON: %q", function, args, value)
			}
			if err != nil {
				checkPrompt(t, err.Error())
			}
			bridge.finish()
		}
	})
}

// FuzzReadCode: any input is read or refused, in one line that shows all of itself.
func FuzzReadCode(f *testing.F) {
	for _, seed := range []string{`{"code":"return 1"}`, `"x"`, `{"code":{}}`, "\"```js\\nx\\n```\"", `{"code":"{\"code\":1}"}`, `[`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		code, err := readCode(json.RawMessage(raw))
		if (err == nil) == (strings.TrimSpace(code) == "") {
			t.Errorf("%q: %q, %+v", raw, code, err)
		}
	})
}
