package gateway

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/modelmock"
)

// talking is a gateway in front of a model that says what a script decides.
func talking(t testing.TB, o Options, script modelmock.Script, settings ...string) (url string, mock *modelmock.Server, api *client.Client) {
	t.Helper()
	mock = modelmock.New(script)
	upstream := httptest.NewServer(mock)
	t.Cleanup(upstream.Close)
	o.Settings = append([]string{"models.providers.local.baseUrl=" + upstream.URL + "/v1", "models.providers.local.apiKey=k3y-of-the-provider"}, settings...)
	o.StateDir = t.TempDir()
	g, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	h, err := g.Handler("127.0.0.1:7433")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL, mock, client.New(client.InProcess(g.Control()), "")
}

// completion is an answer of chat completions.
type completion struct {
	Choices []struct {
		Message struct {
			Content   string `json:"content"`
			ToolCalls []struct {
				ID       string `json:"id"`
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		} `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		PromptTokens int `json:"prompt_tokens"`
	} `json:"usage"`
}

type jsonObject = map[string]any

func chat(t testing.TB, url string, body jsonObject) (completion, *http.Response) {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/chat/completions", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Toolcrib-Session", "talk-1")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var c completion
	if err := json.Unmarshal(text, &c); err != nil || answer.StatusCode != 200 {
		t.Fatalf("%d %s", answer.StatusCode, text)
	}
	return c, answer
}

func says(role, text string) jsonObject { return jsonObject{"role": role, "content": text} }

func theirTool(name string) jsonObject {
	return jsonObject{"type": "function", "function": jsonObject{"name": name, "description": "Open a page in the caller's window.", "parameters": jsonObject{"type": "object", "properties": jsonObject{"page": jsonObject{"type": "string"}}}}}
}

// TestChatRunsTools: the model searches and calls through the controls, and the
// caller sees none of that but the answer.
func TestChatRunsTools(t *testing.T) {
	script := modelmock.Steps(
		modelmock.Turn{Calls: []modelmock.Call{{Tool: "tool_search", Args: json.RawMessage(`{"query":"repeat a text"}`)}}},
		modelmock.Turn{Calls: []modelmock.Call{{Tool: "tool_call", Args: json.RawMessage(`{"id":"plugin:app:repeat","args":{"text":"hello"}}`)}}},
		modelmock.Turn{Text: "It said hello."},
	)
	url, mock, api := talking(t, Options{Tools: []Tool{echo("repeat")}}, script, "tools.toolSearch.mode=tools")
	got, answer := chat(t, url, jsonObject{"model": "local/small", "messages": []any{says("user", "say hello")}})
	if got.Choices[0].Message.Content != "It said hello." || got.Choices[0].FinishReason != "stop" || answer.Header.Get("X-Toolcrib-Session") != "talk-1" {
		t.Errorf("%+v", got)
	}
	asked := mock.Prompts()
	if len(asked) != 3 || asked[0].Model != "small" || strings.Join(asked[0].Names(), " ") != "tool_search tool_describe tool_call" {
		t.Fatalf("asked %d times: %+v", len(asked), asked[0])
	}
	if results := asked[2].Results; len(results) != 2 || !strings.Contains(results[1].Text, "hello") || results[1].IsError {
		t.Errorf("the model was told %+v", results)
	}
	if key := mock.Exchanges()[0].Header.Get("Authorization"); strings.Contains(key, "k3y") {
		t.Error("the mock keeps secrets")
	}
	x, err := api.ExplainSession(t.Context(), "talk-1")
	if err != nil || x.Requests != 3 || x.Searches != 1 || x.Final == nil || x.Final.Tool != "plugin:app:repeat" || x.Final.Source != toolcrib.SourcePlugin {
		t.Errorf("the record: %+v, %v", x, err)
	}
}

// TestChatHandsOver: a tool that the caller sent along is the caller's to run, with
// its real name, whatever way the model takes to it.
func TestChatHandsOver(t *testing.T) {
	for name, test := range map[string]struct{ mode, control, args string }{
		"the control":    {"tools", "tool_call", `{"id":"client:open_page","args":{"page":"home"}}`},
		"directly":       {"direct", "open_page", `{"page":"home"}`},
		"directory":      {"directory", "open_page", `{"page":"home"}`},
		"a body of code": {"code", "tool_search_code", `{"code":"const r = await openclaw.tools.call(\"client:open_page\", {page: \"home\"}); return r.result.content[0].text"}`},
	} {
		t.Run(name, func(t *testing.T) {
			script := modelmock.Steps(
				modelmock.Turn{Calls: []modelmock.Call{{Tool: test.control, Args: json.RawMessage(test.args)}}},
				modelmock.Turn{Text: "It is open."},
			)
			url, mock, api := talking(t, Options{Tools: []Tool{echo("repeat")}, Sandbox: Sandbox{able: true}}, script, mode(test.mode))
			body := jsonObject{"model": "local/small", "messages": []any{says("user", "open the page")}, "tools": []any{theirTool("open_page")}}
			first, _ := chat(t, url, body)
			calls := first.Choices[0].Message.ToolCalls
			if len(calls) != 1 || calls[0].Function.Name != "open_page" || calls[0].Function.Arguments != `{"page":"home"}` || first.Choices[0].FinishReason != "tool_calls" {
				t.Fatalf("%+v", first)
			}
			body["messages"] = []any{
				says("user", "open the page"),
				jsonObject{"role": "assistant", "content": nil, "tool_calls": []any{jsonObject{"id": calls[0].ID, "type": "function", "function": jsonObject{"name": "open_page", "arguments": `{"page":"home"}`}}}},
				jsonObject{"role": "tool", "tool_call_id": calls[0].ID, "content": "opened: home"},
			}
			second, _ := chat(t, url, body)
			if second.Choices[0].Message.Content != "It is open." {
				t.Errorf("%+v", second)
			}
			asked := mock.Prompts()
			if last := asked[len(asked)-1].Results; len(last) != 1 || !strings.Contains(last[0].Text, "opened: home") {
				t.Errorf("the model was told %+v", last)
			}
			x, err := api.ExplainSession(t.Context(), "talk-1")
			if err != nil || x.Final == nil || x.Final.Source != toolcrib.SourceClient || x.Final.Outcome != "ok" {
				t.Errorf("the record: %+v, %v", x, err)
			}
		})
	}
}

// mode is the setting of a mode.
func mode(name string) string {
	if name == "direct" {
		return "tools.toolSearch=false"
	}
	return "tools.toolSearch.mode=" + name
}
