package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/rawjson"
)

func parsed(t testing.TB, body string) model.Prompt {
	t.Helper()
	p, err := Chat{}.Parse([]byte(body))
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return p
}

func rewritten(t testing.TB, body string, w model.Rewrite) string {
	t.Helper()
	b, err := parsed(t, body).Body(w)
	if err != nil {
		t.Fatal(err)
	}
	return string(b.Raw)
}

// odd is a request with what real clients send, and what none sends yet.
const odd = `{ "model" : "m", "future":{"x":[1.50, 1e2,-0.0]}, "messages":[
  {"role":"developer","content":"Be kind.","cache_control":{"type":"ephemeral"}},
  {"role":"user","content":[{"type":"text","text":"one"},{"type":"image_url","image_url":{"url":"data:,"}},{"type":"text","text":"two"}],"name":"é\u00e9"}],
  "tools" : [ {"type":"function","function":{"name":"a","description":"Does a","parameters":{"type":"object"},"strict":true},"cache_control":{}},
    {"type":"custom","custom":{"name":"c","format":{"type":"grammar"}}},{"type":"web_search","filters":[ ]} ],
  "tool_choice":"auto", "parallel_tool_calls":false , "stream":true,"stream_options":{"include_obfuscation":false},"logprobs":true,
  "reasoning_effort":"high","seed":9007199254740993}`

func TestARequestIsRead(t *testing.T) {
	in := parsed(t, odd).Info()
	if in.Model != "m" || !in.Stream || !in.Serial || in.UserText != "one\ntwo" || in.Bare != "" {
		t.Errorf("%+v", in)
	}
	if len(in.Tools) != 1 || in.Tools[0].Name != "a" || in.Tools[0].Description != "Does a" || string(in.Tools[0].Parameters) != `{"type":"object"}` {
		t.Errorf("%+v", in.Tools)
	}
	if len(in.Others) != 2 || in.Others[0].Name != "c" || in.Others[0].Kind != "custom" || in.Others[1].Kind != "web_search" || in.Others[1].Name != "" {
		t.Errorf("%+v", in.Others)
	}
}

// What isn't to be another stays as it came, to the byte.
func TestOnlyWhatMustBeIsAnother(t *testing.T) {
	in := parsed(t, odd).Info()
	all := append(append([]model.Tool{}, in.Tools...), in.Others...)
	if got := rewritten(t, odd, model.Rewrite{Tools: all}); got != odd {
		t.Errorf("unchanged tools: %s", got)
	}
	if got := rewritten(t, odd, model.Rewrite{Bare: true}); got != odd {
		t.Errorf("bare: %s", got)
	}
	toolsOf := func(s string) (string, string, string) {
		before, rest, _ := strings.Cut(s, `"tools" : `)
		i := strings.Index(rest, `, "tool_choice"`)
		if j := strings.Index(rest, `,`+"\n"+`  "tool_choice"`); j >= 0 {
			i = j
		}
		return before, rest[:i], rest[i:]
	}
	got := rewritten(t, odd, model.Rewrite{Tools: append([]model.Tool{{Name: "ours", Description: "<b>"}}, all...)})
	b0, t0, a0 := toolsOf(odd)
	b1, t1, a1 := toolsOf(got)
	if b0 != b1 || a0 != a1 {
		t.Errorf("%s", got)
	}
	want := `[{"type":"function","function":{"name":"ours","description":"<b>","parameters":{"type":"object","properties":{}}}},` +
		string(all[0].Raw) + "," + string(all[1].Raw) + "," + string(all[2].Raw) + "]"
	if t1 != want || !strings.Contains(t0, string(all[0].Raw)) {
		t.Errorf("%s, want %s", t1, want)
	}
}

func TestWhatFollowsFromTheTools(t *testing.T) {
	const named = `"tool_choice":{"type":"function","function":{"name":"a"}}`
	a := model.Tool{Name: "a"}
	for _, c := range []struct {
		name, body string
		w          model.Rewrite
		want       string
	}{
		{"no tools at all", `{"messages":[]}`, model.Rewrite{}, `{"messages":[]}`},
		{
			"tools that are added", `{"messages":[]}`,
			model.Rewrite{Tools: []model.Tool{{Name: "a", Parameters: json.RawMessage(`{}`)}}},
			`{"messages":[],"tools":[{"type":"function","function":{"name":"a","description":"","parameters":{}}}]}`,
		},
		{"tools that are taken away", `{"tools":[{"type":"x"}],"tool_choice":"auto","messages":[],"parallel_tool_calls":true}`, model.Rewrite{}, `{"messages":[]}`},
		{"a duty that stays", `{"messages":[],` + named + `}`, model.Rewrite{Bare: true}, `{"messages":[],` + named + `}`},
		{
			"a duty that is done", `{"messages":[],"tools":[{"type":"x"}],` + named + `}`,
			model.Rewrite{Tools: []model.Tool{{Kind: "x", Raw: json.RawMessage(`{"type":"x"}`)}}, Free: true},
			`{"messages":[],"tools":[{"type":"x"}],"tool_choice":"auto"}`,
		},
		{"no calls", `{"messages":[],"tool_choice":"none"}`, model.Rewrite{Tools: []model.Tool{{Kind: "x", Raw: json.RawMessage(`{}`)}}, Free: true}, `{"messages":[],"tool_choice":"none","tools":[{}]}`},
		{"another name of the model", `{"model" : "a/b","messages":[]}`, model.Rewrite{Bare: true, Model: "b"}, `{"model" : "b","messages":[]}`},
		{"usage", `{"messages":[],"stream":true}`, model.Rewrite{Usage: true}, `{"messages":[],"stream":true,"stream_options":{"include_usage":true}}`},
		{
			"usage beside others", `{"stream":true,"stream_options":{"x":1,"include_usage":false},"messages":[]}`,
			model.Rewrite{Usage: true},
			`{"stream":true,"stream_options":{"x":1,"include_usage":true},"messages":[]}`,
		},
		{"usage where nothing is streamed", `{"messages":[]}`, model.Rewrite{Usage: true}, `{"messages":[]}`},
		{
			"a text of ours", `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}]}`,
			model.Rewrite{System: "more"},
			`{"messages":[{"role":"system","content":"s"},{"role":"system","content":"more"},{"role":"user","content":"u"}]}`,
		},
		{"a text of ours alone", `{"messages":[]}`, model.Rewrite{System: "more"}, `{"messages":[{"role":"system","content":"more"}]}`},
		{"allowed tools that are shown", allowed("a"), model.Rewrite{Tools: []model.Tool{a}}, strings.TrimSuffix(allowed("a"), "}") + `,"tools":[` + string(writeTool(a)) + `]}`},
		{"allowed tools that are hidden", allowed("b"), model.Rewrite{Tools: []model.Tool{a}}, `{"messages":[],"tool_choice":"required","tools":[` + string(writeTool(a)) + `]}`},
	} {
		if got := rewritten(t, c.body, c.w); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}

// allowed is a request in which the model may call one tool alone.
func allowed(name string) string {
	return `{"messages":[],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"` + name + `"}}]}}}`
}

func TestRequestsThatCanNotBeRead(t *testing.T) {
	for body, want := range map[string]string{
		``: "no JSON object", `[]`: "no JSON object", `{"messages":[}`: "no JSON object", `{}`: "messages", `{"messages":{}}`: "messages", `{"messages":[1]}`: "messages[0]",
		`{"messages":[],"messages":[]}`:                                            `"messages" twice`,
		`{"messages":[],"tools":[],"too\u006cs":[]}`:                               `"tools" twice`,
		`{"messages":[],"tools":{}}`:                                               "tools:",
		`{"messages":[],"tools":[1]}`:                                              "tools[0]",
		`{"messages":[],"tools":[{}]}`:                                             "tools[0]: it has no type",
		`{"messages":[],"tools":[{"type":"function"}]}`:                            "tools[0]: it has no function",
		`{"messages":[],"tools":[{"type":"function","function":{}}]}`:              "tools[0]: the function has no name",
		`{"messages":[{"role":"assistant","tool_calls":{}}]}`:                      "messages[0]: tool_calls",
		`{"messages":[],"tools":[{"type":"x"}],"n":2}`:                             "one choice",
		`{"messages":[],"tool_choice":{"type":"function","function":{}}}`:          "tool_choice",
		`{"messages":[],"tool_choice":{"type":"allowed_tools","allowed_tools":1}}`: "tool_choice",
	} {
		_, err := Chat{}.Parse([]byte(body))
		if toolcrib.KindOf(err) != toolcrib.KindInput || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}

// Any request with any members in any order: with other tools, all its other
// members are the same bytes in the same order.
func TestOtherMembersPassByteForByte(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values := []string{`1.0`, `1E5`, `"\u00e9\/"`, `{"a" : [ ] }`, `[1,2 ,3]`, `null`, `true`, `"<&>"`, `12345678901234567890.10`}
	spaces := []string{"", " ", "\n\t", "\r\n"}
	space := func() string { return spaces[r.IntN(len(spaces))] }
	for range 500 {
		members := []string{`"messages":[{"role":"user","content":"x"}]`}
		for i := range r.IntN(6) {
			members = append(members, fmt.Sprintf(`"k%d"%s:%s%s`, i, space(), space(), values[r.IntN(len(values))]))
		}
		if r.IntN(2) == 0 {
			members = append(members, `"tools":[{"type":"x"}]`)
		}
		r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		body := space() + "{" + space() + strings.Join(members, space()+","+space()) + space() + "}" + space()
		got := rewritten(t, body, model.Rewrite{Tools: []model.Tool{{Name: "new"}}})
		if diff := cmp.Diff(others(t, body), others(t, got)); diff != "" {
			t.Fatalf("%s became %s: %s", body, got, diff)
		}
		if len(body)-len(`[{"type":"x"}]`) > len(got) || !bytes.Contains(rawjson.Find([]byte(got), "tools"), []byte(`"new"`)) {
			t.Fatalf("%s became %s", body, got)
		}
	}
}

// others are the members but for tools, as they are written.
func others(t *testing.T, text string) []string {
	t.Helper()
	members, err := rawjson.Members([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	var all []string
	for _, m := range members {
		if m.Key != "tools" {
			all = append(all, text[m.KeyFrom:m.To])
		}
	}
	return all
}

// Whatever a caller sends, what goes on is JSON, and reads the same.
func FuzzRequest(f *testing.F) {
	f.Add(odd)
	f.Add(`{"messages":[{"role":"assistant","tool_calls":[{"id":"callaaaaaaaaaaaaaaaaaaaaaaaaaa"}]},{"role":"tool","tool_call_id":"callaaaaaaaaaaaaaaaaaaaaaaaaaa"}],"n":1}`)
	f.Add(allowed("x"))
	f.Add(`{"messages":[],"tools":null,"tool_choice":null,"stream_options":null,"stream":true}`)
	f.Fuzz(func(t *testing.T, body string) {
		p, err := Chat{}.Parse([]byte(body))
		if err != nil {
			return
		}
		if !json.Valid([]byte(body)) {
			t.Fatalf("%q is taken for JSON", body)
		}
		b, err := p.Body(model.Rewrite{
			Tools: []model.Tool{{Name: "a"}}, System: "s", Usage: true, Free: true,
			Past:  []model.Past{{IDs: []string{"callaaaaaaaaaaaaaaaaaaaaaaaaaa"}, Steps: []model.Step{{Said: model.Verbatim(`{}`), Results: []model.Result{{Theirs: "callaaaaaaaaaaaaaaaaaaaaaaaaaa"}}}}}},
			Steps: []model.Step{{Said: model.Verbatim(`{}`)}},
		})
		if err != nil || !json.Valid(b.Raw) {
			t.Fatalf("%q became %q: %v", body, b.Raw, err)
		}
	})
}
