package modelmock

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asked are two requests of a conversation in each protocol: one that offers
// a tool, and one with the tool's result; whole and streamed where the body says so.
var asked = map[Protocol]struct {
	path, streamPath string
	first, second    string
	// said joins what an answer says: its text, and its calls as name and arguments.
	said func(answers []map[string]any) string
}{
	Messages: {
		path: "/v1/messages?beta=true", streamPath: "/v1/messages?beta=true",
		first: `{"model":"m","STREAM":true,"system":[{"type":"text","text":"Be kind.","cache_control":{"type":"ephemeral"}}],
			"tools":[{"name":"add","description":"Adds","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"two and two"}]}`,
		second: `{"model":"m","STREAM":true,"system":"Be kind.",
			"tools":[{"name":"add","description":"Adds","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":[{"type":"text","text":"two and two"}]},
			{"role":"assistant","content":[{"type":"tool_use","id":"call_1","name":"add","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":[{"type":"text","text":"four"}]}]}]}`,
		said: saidMessages,
	},
	Responses: {
		path: "/v1/responses", streamPath: "/v1/responses",
		first: `{"model":"m","STREAM":true,"instructions":"Be kind.","tools":[{"type":"function","name":"add","description":"Adds","parameters":{"type":"object"}}],"input":"two and two"}`,
		second: `{"model":"m","STREAM":true,"input":[{"role":"developer","content":[{"type":"input_text","text":"Be kind."}]},
			{"type":"message","role":"user","content":[{"type":"input_text","text":"two and two"}]},
			{"type":"function_call","call_id":"call_1","name":"add","arguments":"{}"},
			{"type":"function_call_output","call_id":"call_1","output":[{"type":"input_text","text":"four"}]}],
			"tools":[{"type":"function","name":"add","description":"Adds","parameters":{"type":"object"}}]}`,
		said: saidResponses,
	},
	Chat: {
		path: "/v1/chat/completions", streamPath: "/v1/chat/completions",
		first: `{"model":"m","STREAM":true,"messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"two and two"}],
			"tools":[{"type":"function","function":{"name":"add","description":"Adds","parameters":{"type":"object"}}}]}`,
		second: `{"model":"m","STREAM":true,"messages":[{"role":"developer","content":[{"type":"text","text":"Be kind."}]},{"role":"user","content":"two and two"},
			{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"add","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"call_1","content":"four"}],
			"tools":[{"type":"function","function":{"name":"add","description":"Adds","parameters":{"type":"object"}}}]}`,
		said: saidChat,
	},
	Gemini: {
		path: "/v1beta/models/m:generateContent", streamPath: "/v1beta/models/m:streamGenerateContent?alt=sse",
		first: `{"systemInstruction":{"parts":[{"text":"Be kind."}]},"contents":[{"role":"user","parts":[{"text":"two and two"}]}],
			"tools":[{"functionDeclarations":[{"name":"add","description":"Adds","parametersJsonSchema":{"type":"object"}}]}]}`,
		second: `{"systemInstruction":{"parts":[{"text":"Be kind."}]},"contents":[{"role":"user","parts":[{"text":"two and two"}]},
			{"role":"model","parts":[{"functionCall":{"name":"add","args":{}}}]},
			{"role":"user","parts":[{"functionResponse":{"id":"call_1","name":"add","response":{"output":"four"}}}]}],
			"tools":[{"functionDeclarations":[{"name":"add","description":"Adds","parameters":{"type":"object"}}]}]}`,
		said: saidGemini,
	},
}

// TestConversation: in each protocol, whole and streamed, a request is read
// alike, and what the script says arrives.
func TestConversation(t *testing.T) {
	for protocol, a := range asked {
		for _, stream := range []bool{false, true} {
			name, path := string(protocol)+" whole", a.path
			if stream {
				name, path = string(protocol)+" streamed", a.streamPath
			}
			t.Run(name, func(t *testing.T) {
				s := New(Steps(Turn{Text: "Let me add.", Calls: []Call{{Tool: "add", Args: json.RawMessage(`{"a":2,"b":"ü"}`)}}}, Text("It's fôur.")))
				key := "none"
				if stream {
					key = "stream"
				}
				first := a.said(post(t, s, path, strings.ReplaceAll(a.first, "STREAM", key)))
				second := a.said(post(t, s, path, strings.ReplaceAll(a.second, "STREAM", key)))
				if diff := cmp.Diff([]string{`Let me add.add call_1 {"a":2,"b":"ü"}`, "It's fôur."}, []string{first, second}); diff != "" {
					t.Error(diff)
				}
				want := Prompt{
					Protocol: protocol, Model: "m", Stream: stream, System: "Be kind.", User: []string{"two and two"},
					Tools: []Tool{{Name: "add", Description: "Adds", Schema: json.RawMessage(`{"type":"object"}`)}},
				}
				if protocol == Responses {
					want.Tools[0].Kind = "function"
				}
				after := want
				after.Results = []Result{{ID: "call_1", Text: "four"}}
				if diff := cmp.Diff([]Prompt{want, after}, s.Prompts()); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// send sends a request with secrets and returns the answer.
func send(t *testing.T, s *Server, method, path, body string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for _, name := range secrets {
		r.Header.Set(name, "hidden")
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

// post sends a request that must succeed and returns the objects of its answer:
// one, or those of a stream.
func post(t *testing.T, s *Server, path, body string) []map[string]any {
	t.Helper()
	r := send(t, s, http.MethodPost, path, body)
	if r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", path, r.Status)
	}
	if r.Header.Get("Content-Type") != "text/event-stream" {
		var v map[string]any
		if err := json.NewDecoder(r.Body).Decode(&v); err != nil {
			t.Fatal(err)
		}
		return []map[string]any{v}
	}
	var all []map[string]any
	for lines := bufio.NewScanner(r.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var v map[string]any
		if err := json.Unmarshal([]byte(data), &v); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		all = append(all, v)
	}
	return all
}

// TestRecord: what came is kept, and the client's secrets are not.
func TestRecord(t *testing.T) {
	s := New(Steps())
	send(t, s, http.MethodGet, "/v1/models?key=hidden&limit=1", "")
	send(t, s, http.MethodPost, "/v1/messages/count_tokens", `{"messages":[]}`)
	send(t, s, http.MethodPost, "/v1beta/models/m:countTokens", `{}`)
	var got []string
	for _, e := range s.Exchanges() {
		got = append(got, e.Method+" "+e.Path+"?"+e.Query.Encode()+" "+string(e.Body))
		for name := range e.Header {
			if e.Header.Get(name) == "hidden" {
				t.Errorf("%s is recorded", name)
			}
		}
	}
	want := []string{
		"GET /v1/models?limit=1 ", `POST /v1/messages/count_tokens? {"messages":[]}`, "POST /v1beta/models/m:countTokens? {}",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(s.Prompts()) != 0 {
		t.Error("what asks nothing of the model counts as a prompt")
	}
}

// TestRefusal: what can't be answered is recorded and refused, with the reason.
func TestRefusal(t *testing.T) {
	s := New(func(Prompt) Turn { return Use("absent", "{}") })
	for _, c := range []struct {
		path, body string
		status     int
		says       string
	}{
		{"/v1/elsewhere", "", 404, "no such endpoint: POST /v1/elsewhere"},
		{"/v1/messages", "{", 400, "messages: "},
		{"/v1/responses", "[]", 400, "responses: "},
		{"/v1/chat/completions", "1", 400, "chat completions: "},
		{"/v1beta/models/m:generateContent", "{", 400, "generateContent: "},
		{"/v1/messages", "{}", 500, "the script calls absent, which is not on offer"},
	} {
		r := send(t, s, http.MethodPost, c.path, c.body)
		body, _ := io.ReadAll(r.Body)
		if r.StatusCode != c.status || !strings.Contains(string(body), c.says) {
			t.Errorf("%s %s: %d %s, want %d and %q", c.path, c.body, r.StatusCode, body, c.status, c.says)
		}
	}
	if n := len(s.Exchanges()); n != 6 {
		t.Errorf("%d of 6 are recorded", n)
	}
}

// TestNamespaces: tools in a namespace, found by a search, and of the custom
// kind are on offer and are called in the words for their kind.
func TestNamespaces(t *testing.T) {
	const body = `{"input":[
		{"type":"additional_tools","role":"developer","tools":[{"type":"namespace","name":"functions","tools":[{"type":"custom","name":"exec"}]}]},
		{"type":"tool_search_output","call_id":"a","tools":[{"type":"namespace","name":"files","description":"Files","tools":[{"type":"function","name":"read"}]}]}],
		"tools":[{"type":"tool_search","execution":"client"}]}`
	s := New(func(Prompt) Turn {
		return Turn{Calls: []Call{
			{Tool: "tool_search", Args: json.RawMessage(`{"query":"read"}`)},
			{Tool: "functions.exec", Args: json.RawMessage(`"text(1)"`)},
			{Tool: "files.read", Args: json.RawMessage(`{}`)},
		}}
	})
	var got []string
	for _, item := range list(post(t, s, "/v1/responses", body)[0], "output") {
		got = append(got, word(item, "type")+" "+word(item, "namespace")+"."+word(item, "name")+" "+word(item, "input")+word(item, "arguments")+compact(at(item, "arguments", "query")))
	}
	want := []string{`tool_search_call . "read"`, "custom_tool_call functions.exec text(1)", "function_call files.read {}"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"tool_search", "functions", "functions.exec", "files", "files.read"}, s.Prompts()[0].Names()); diff != "" {
		t.Error(diff)
	}
}

// TestSteps: each turn waits for the results of those before.
func TestSteps(t *testing.T) {
	both := Turn{Calls: []Call{{Tool: "a"}, {Tool: "b"}}}
	script := Steps(both, Use("c", "{}"), Text("end"))
	tools := []Tool{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	for results, want := range map[int]string{0: "a", 2: "c", 3: "end"} {
		turn := script(Prompt{Tools: tools, Results: make([]Result, results)})
		got := turn.Text
		if len(turn.Calls) > 0 {
			got = turn.Calls[0].Tool
		}
		if got != want {
			t.Errorf("after %d results: %q, want %q", results, got, want)
		}
	}
	if got := script(Prompt{Tools: tools[:1]}).Text; got != "no tool b" {
		t.Errorf("without b it says %q", got)
	}
	if got := Steps()(Prompt{}).Text; got != "done" {
		t.Errorf("with nothing to say it says %q", got)
	}
}

// FuzzRead: no body is read into a panic, and every prompt can be answered.
func FuzzRead(f *testing.F) {
	for _, a := range asked {
		f.Add([]byte(a.first))
		f.Add([]byte(a.second))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, d := range []dialect{messagesDialect, responsesDialect, chatDialect, geminiDialect} {
			p, err := d.read(body)
			if err != nil {
				continue
			}
			if _, err := json.Marshal(d.whole(p, Steps()(p))); err != nil {
				t.Error(err)
			}
		}
	})
}
