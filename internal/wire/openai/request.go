package openai

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/rawjson"
)

// Chat is the protocol of chat completions.
type Chat struct {
	// Now is the clock, time.Now if nil.
	Now func() time.Time
}

// request is one request for a chat completion.
type request struct {
	now      func() time.Time
	body     []byte
	all      *rawjson.Node
	top      *rawjson.Object
	messages []message
	offered  []model.Tool // by the caller, in its order
	info     model.Info
	usage    bool // the caller wants it streamed
	json     bool // the answer is to be JSON, so that texts can't be joined
}

// message is what is looked at in one message.
type message struct {
	raw     []byte
	role    string
	calls   []string // ids
	answers string   // the id of the call whose result it is
}

// levels is how deep a request is looked into: to the id of a call in a message,
// and the name of a function.
const levels = 5

// alone are the members that mean something here: a second one of the same name
// would be read differently by somebody else.
var alone = []string{"messages", "tools", "tool_choice", "stream", "stream_options", "model", "n"}

// Parse reads a request.
func (c Chat) Parse(body []byte) (model.Prompt, error) {
	all, err := rawjson.Outline(body, levels)
	if err == nil && !all.Is(body, '{') {
		err = errors.New("it is something else")
	}
	if err != nil {
		return nil, refused("the request is no JSON object: " + err.Error())
	}
	top := all.Open(body)
	seen := map[string]bool{}
	for _, m := range top.Members() {
		if seen[m.Key] && slices.Contains(alone, m.Key) {
			return nil, refused(fmt.Sprintf("the request has %q twice", m.Key))
		}
		seen[m.Key] = true
	}
	r := &request{body: body, all: &all, top: top, now: c.Now}
	if r.now == nil {
		r.now = time.Now
	}
	if err := r.readMessages(); err != nil {
		return nil, err
	}
	if err := r.readTools(); err != nil {
		return nil, err
	}
	return r, r.readRest()
}

func refused(message string) error { return toolcrib.NewError(toolcrib.KindInput, message, "") }

func (r *request) Info() model.Info { return r.info }

// Path is OpenAI's.
func (r *request) Path() string { return "chat/completions" }

func (r *request) readMessages() error {
	list := r.all.Get("messages")
	if !list.Is(r.body, '[') {
		return refused("messages: there must be a list of messages")
	}
	for i := range list.Kids {
		m, err := r.readMessage(&list.Kids[i])
		if err != nil {
			return refused(fmt.Sprintf("messages[%d]: %v", i, err))
		}
		r.messages = append(r.messages, m)
	}
	r.survey()
	return nil
}

func (r *request) readMessage(n *rawjson.Node) (message, error) {
	if !n.Is(r.body, '{') {
		return message{}, errors.New("it is no object")
	}
	m := message{raw: n.In(r.body), role: n.Get("role").String(r.body), answers: n.Get("tool_call_id").String(r.body)}
	calls := n.Get("tool_calls")
	if !rawjson.IsNull(calls.In(r.body)) && !calls.Is(r.body, '[') {
		return message{}, errors.New("tool_calls: there must be a list of calls")
	}
	if calls != nil {
		for i := range calls.Kids {
			m.calls = append(m.calls, calls.Kids[i].Get("id").String(r.body))
		}
	}
	return m, nil
}

// survey takes from the messages what is looked at.
func (r *request) survey() {
	in := &r.info
	user := -1
	for i, m := range r.messages {
		ids := m.calls
		switch {
		case m.role == "tool":
			ids = []string{m.answers}
			in.Answered = append(in.Answered, model.Answered{ID: m.answers, Text: text(rawjson.Find(m.raw, "content")), Raw: m.raw})
		case m.role == "assistant":
			in.OpenCallIDs = nil
		case m.role == "user":
			user = i
		}
		in.CallIDs = append(in.CallIDs, ids...)
		in.OpenCallIDs = append(in.OpenCallIDs, ids...)
	}
	if user >= 0 {
		in.UserText = text(rawjson.Find(r.messages[user].raw, "content"))
	}
}

// text is all text of a content: a string, or parts of which those with text count.
func text(content []byte) string {
	if s, ok := rawjson.String(content); ok {
		return s
	}
	spans, err := rawjson.Elements(content)
	if err != nil {
		return ""
	}
	var parts []string
	for _, s := range spans {
		if t, ok := rawjson.String(rawjson.Find(content[s.From:s.To], "text")); ok {
			parts = append(parts, t)
		}
	}
	return strings.Join(parts, "\n")
}

// readRest reads the scalar members.
func (r *request) readRest() error {
	in := &r.info
	in.Model, _ = rawjson.String(r.top.Get("model"))
	in.Stream = string(r.top.Get("stream")) == "true"
	in.Serial = string(r.top.Get("parallel_tool_calls")) == "false"
	r.usage = string(rawjson.Find(r.top.Get("stream_options"), "include_usage")) == "true"
	kind, _ := rawjson.String(rawjson.Find(r.top.Get("response_format"), "type"))
	r.json = kind != "" && kind != "text"
	if f := r.top.Get("functions"); !rawjson.IsNull(f) && string(f) != "[]" {
		in.Bare = "it has functions, the older form of tools"
	}
	n := r.top.Get("n")
	if rawjson.IsNull(n) || string(n) == "1" {
		return nil
	}
	if len(in.Tools)+len(in.Others) > 0 {
		return toolcrib.NewError(toolcrib.KindInput, "n: with tools there can be one choice at a time", "leave n out, and ask several times")
	}
	in.Bare = "it asks for several choices"
	return nil
}
