package openai

import (
	"encoding/json"
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
	top      *rawjson.Object
	messages []message
	offered  []model.Tool // by the caller, in its order
	info     model.Info
	usage    bool // the caller wants it streamed
	json     bool // the answer is to be JSON, so that texts can't be joined
}

// message is what is looked at in one message.
type message struct {
	raw     json.RawMessage
	role    string
	calls   []string // ids
	answers string   // the id of the call whose result it is
}

// alone are the members that mean something here: a second one of the same name
// would be read differently by somebody else.
var alone = []string{"messages", "tools", "tool_choice", "stream", "stream_options", "model", "n"}

// Parse reads a request.
func (c Chat) Parse(body []byte) (model.Prompt, error) {
	top, err := rawjson.Open(body)
	if err != nil {
		return nil, refused("the request is no JSON object: " + err.Error())
	}
	seen := map[string]bool{}
	for _, m := range top.Members() {
		if seen[m.Key] && slices.Contains(alone, m.Key) {
			return nil, refused(fmt.Sprintf("the request has %q twice", m.Key))
		}
		seen[m.Key] = true
	}
	r := &request{top: top, now: c.Now}
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
	raw := r.top.Get("messages")
	spans, err := rawjson.Elements(raw)
	if err != nil {
		return refused("messages: there must be a list of messages")
	}
	for i, s := range spans {
		m, err := readMessage(raw[s.From:s.To])
		if err != nil {
			return refused(fmt.Sprintf("messages[%d]: %v", i, err))
		}
		r.messages = append(r.messages, m)
	}
	r.survey()
	return nil
}

func readMessage(raw []byte) (message, error) {
	members, err := rawjson.Members(raw)
	if err != nil {
		return message{}, err
	}
	m := message{raw: raw}
	for _, member := range members {
		value := raw[member.From:member.To]
		switch member.Key {
		case "role":
			m.role, _ = rawjson.String(value)
		case "tool_call_id":
			m.answers, _ = rawjson.String(value)
		case "tool_calls":
			if rawjson.IsNull(value) {
				continue
			}
			spans, err := rawjson.Elements(value)
			if err != nil {
				return message{}, fmt.Errorf("tool_calls: %w", err)
			}
			for _, s := range spans {
				id, _ := rawjson.String(rawjson.Find(value[s.From:s.To], "id"))
				m.calls = append(m.calls, id)
			}
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
