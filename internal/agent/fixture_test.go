package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/toolcrib/toolcrib/internal/model"
	provider "github.com/toolcrib/toolcrib/internal/model/openai"
	"github.com/toolcrib/toolcrib/internal/modelmock"
	"github.com/toolcrib/toolcrib/internal/sse"
	wire "github.com/toolcrib/toolcrib/internal/wire/openai"
)

// box is a toolbox of functions. A call of what it doesn't have is the caller's.
type box struct {
	mu     sync.Mutex
	ran    []string
	tools  []model.Tool
	call   calls
	resume func(ctx context.Context, r Resumption) Answer
}

func (b *box) Tools() []model.Tool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.tools)
}

func (b *box) note(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ran = append(b.ran, what)
}

func (b *box) Call(ctx context.Context, c model.Call) Answer {
	b.note(c.Name + c.Args)
	if f := b.call[c.Name]; f != nil {
		return f(ctx, c)
	}
	return Own(c.Name, c.Args)
}

func (b *box) Resume(ctx context.Context, r Resumption) Answer {
	b.note("resume " + r.Call.Name)
	return b.resume(ctx, r)
}

func (b *box) Abandon(_ context.Context, c model.Call, _ json.RawMessage) {
	b.note("abandon " + c.Name)
}

// tool is one of ours.
func tool(name string) model.Tool { return model.Tool{Name: name, Description: "Does " + name} }

// clientTool is one of the caller's, and its definition.
func clientTool(name string) (model.Tool, string) {
	raw := fmt.Sprintf(`{"type":"function", "function":{"name":%q,"parameters":{"type":"object"},"strict":true}}`, name)
	return model.Tool{Name: name, Raw: json.RawMessage(raw)}, raw
}

// say is a call that answers a text.
func say(text string) func(context.Context, model.Call) Answer {
	return func(context.Context, model.Call) Answer { return Answer{Text: text} }
}

// bench is an agent between a caller and a mock of a model.
type bench struct {
	t      testing.TB
	agent  *Agent
	mock   *modelmock.Server
	server *httptest.Server
	prov   *provider.Provider
	work   Work
	who    Who
}

func newBench(t testing.TB, script modelmock.Script, b *box) *bench {
	t.Helper()
	mock := modelmock.New(script)
	return benchOver(t, mock, mock, b)
}

func benchOver(t testing.TB, h http.Handler, mock *modelmock.Server, b *box) *bench {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	p, err := provider.New(provider.Options{BaseURL: server.URL + "/v1", Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	a, err := New(Options{Store: NewMemory(MemoryOptions{})})
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, agent: a, mock: mock, server: server, prov: p, work: Work{Provider: p, Toolbox: b}, who: Who{Caller: "me"}}
}

// sink collects an answer.
type sink struct {
	bytes.Buffer
	begun    bool
	streamed bool
	onWrite  func()
}

func (s *sink) Begin(streamed bool, _ http.Header) error {
	s.begun, s.streamed = true, streamed
	return nil
}

func (s *sink) Write(p []byte) (int, error) {
	if s.onWrite != nil {
		s.onWrite()
	}
	return s.Buffer.Write(p)
}

// heard is an answer as a client reads it.
type heard struct {
	Text, Reason, Error string
	Calls               []model.Call
	Total               int
	Done                bool
	Raw                 string
	Outcome             Outcome
}

// message is what a client puts into its history.
func (h heard) message() string {
	var calls []string
	for _, c := range h.Calls {
		calls = append(calls, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}`, c.ID, c.Name, c.Args))
	}
	text, _ := json.Marshal(h.Text)
	return fmt.Sprintf(`{"role":"assistant","content":%s,"tool_calls":[%s]}`, text, strings.Join(calls, ","))
}

func result(id, text string) string {
	return fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":%q}`, id, text)
}

const user = `{"role":"user","content":"go"}`

// ask sends a request with these members and messages.
func (b *bench) ask(stream bool, members string, messages ...string) heard {
	b.t.Helper()
	h, err := b.try(b.t.Context(), stream, members, messages...)
	if err != nil {
		b.t.Fatal(err)
	}
	return h
}

func (b *bench) try(ctx context.Context, stream bool, members string, messages ...string) (heard, error) {
	b.t.Helper()
	body := fmt.Sprintf(`{"model":"m","stream":%v,"stream_options":{"include_usage":true},%s"messages":[%s]}`, stream, members, strings.Join(messages, ","))
	p, err := wire.Chat{}.Parse([]byte(body))
	if err != nil {
		return heard{}, err
	}
	turn, err := b.agent.Begin(ctx, b.who, p)
	if err != nil {
		return heard{}, err
	}
	w, s := b.work, &sink{}
	if w.Sink == nil {
		w.Sink = s
	} else {
		s = w.Sink.(*sink)
	}
	outcome, err := turn.Do(ctx, w)
	var h heard
	if s.begun {
		if s.streamed != stream {
			b.t.Errorf("streamed: %v, want %v", s.streamed, stream)
		}
		h = hear(b.t, stream, s.String())
	}
	h.Outcome = outcome
	return h, err
}

type wireMessage struct {
	Content   *string
	ToolCalls []struct {
		Index    int
		ID       string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

// hear reads an answer.
func hear(t testing.TB, stream bool, raw string) heard {
	t.Helper()
	h := heard{Raw: raw}
	calls := map[int]*model.Call{}
	take := func(data []byte) {
		var chunk struct {
			Error *struct{ Message string }
			Usage *struct {
				Total int `json:"total_tokens"`
			}
			Choices []struct {
				Delta, Message wireMessage
				Finish         string `json:"finish_reason"`
			}
		}
		if err := json.Unmarshal(data, &chunk); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		if chunk.Error != nil {
			h.Error = chunk.Error.Message
		}
		if chunk.Usage != nil {
			h.Total += chunk.Usage.Total
		}
		for _, c := range chunk.Choices {
			h.Reason += c.Finish
			for _, m := range []wireMessage{c.Delta, c.Message} {
				if m.Content != nil {
					h.Text += *m.Content
				}
				for i, piece := range m.ToolCalls {
					if stream {
						i = piece.Index
					}
					if calls[i] == nil {
						calls[i] = &model.Call{}
					}
					calls[i].ID += piece.ID
					calls[i].Name += piece.Function.Name
					calls[i].Args += piece.Function.Arguments
				}
			}
		}
	}
	if !stream {
		take([]byte(raw))
	}
	for r := sse.NewReader(strings.NewReader(raw), 1<<20); stream; {
		e, err := r.Next()
		if err != nil {
			break
		}
		if string(e.Data) == "[DONE]" {
			h.Done = true
			continue
		}
		take(e.Data)
	}
	for _, i := range slices.Sorted(maps.Keys(calls)) {
		h.Calls = append(h.Calls, *calls[i])
	}
	return h
}

// lastMessages are the messages of the last request that the model got.
func (b *bench) lastMessages() string {
	all := b.mock.Exchanges()
	var body struct{ Messages json.RawMessage }
	if err := json.Unmarshal(all[len(all)-1].Body, &body); err != nil {
		b.t.Fatal(err)
	}
	return string(body.Messages)
}

// both runs a test whole and streamed.
func both(t *testing.T, f func(t *testing.T, stream bool)) {
	t.Run("whole", func(t *testing.T) { f(t, false) })
	t.Run("streamed", func(t *testing.T) { f(t, true) })
}

// calls are the answers of a box.
type calls map[string]func(context.Context, model.Call) Answer

func parse(t *testing.T, body string) model.Prompt {
	t.Helper()
	p, err := wire.Chat{}.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return p
}
