package openai

import (
	"bytes"
	"errors"
	"slices"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/rawjson"
)

// maxAnswer bounds what one answer may grow to, in bytes.
const maxAnswer = 64 << 20

// reader reads one answer.
type reader struct {
	message grown
	calls   calls
	said    *model.Said // of an answer that was not streamed
	reason  string
	usage   model.Usage
	size    int
	begun   bool
}

// Reader reads one answer.
func (r *request) Reader() model.Reader { return &reader{} }

// Event reads one chunk.
func (r *reader) Event(e model.Event) (model.Delta, error) {
	data := bytes.TrimSpace(e.Data)
	if string(data) == "[DONE]" || len(data) == 0 {
		return model.Delta{}, nil
	}
	if r.size += len(data); r.size > maxAnswer {
		return model.Delta{}, toolcrib.NewError(toolcrib.KindLimit, "the answer of the model's provider is too long", "")
	}
	members, err := rawjson.Members(data)
	if err != nil {
		return model.Delta{}, broken("an event that is no JSON object", err)
	}
	d := model.Delta{Raw: data}
	for _, m := range members {
		value := data[m.From:m.To]
		switch m.Key {
		case "error":
			if !rawjson.IsNull(value) {
				return model.Delta{}, &model.Refusal{Status: 502, Body: slices.Clone(data)}
			}
		case "usage":
			if u := readUsage(value); u != nil {
				d.Usage, r.usage = u, *u
			}
		case "choices":
			if err := r.choices(value, &d); err != nil {
				return d, err
			}
		}
	}
	return d, nil
}

// choices reads the first choice; the others pass.
func (r *reader) choices(list []byte, d *model.Delta) error {
	if rawjson.IsNull(list) {
		return nil
	}
	spans, err := rawjson.Elements(list)
	if err != nil {
		return broken("choices that are no list", err)
	}
	for _, s := range spans {
		choice := list[s.From:s.To]
		if index := rawjson.Find(choice, "index"); !rawjson.IsNull(index) && string(index) != "0" {
			continue
		}
		r.begun = true
		if message := rawjson.Find(choice, "message"); !rawjson.IsNull(message) {
			return r.wholeChoice(choice, message, d)
		}
		if reason, _ := rawjson.String(rawjson.Find(choice, "finish_reason")); reason != "" {
			d.Reason, r.reason = reason, reason
		}
		r.delta(rawjson.Find(choice, "delta"), d)
	}
	return nil
}

func (r *reader) delta(delta []byte, d *model.Delta) {
	members, err := rawjson.Members(delta)
	if err != nil {
		return
	}
	for _, m := range members {
		value := delta[m.From:m.To]
		switch m.Key {
		case "tool_calls":
			spans, _ := rawjson.Elements(value)
			for _, s := range spans {
				d.Calls = append(d.Calls, r.calls.add(value[s.From:s.To]))
			}
			continue
		case "content":
			d.Text = text(value)
		}
		r.message.field(m.Key).add(m.Key, value)
	}
}

// Whole reads an answer that was not streamed.
func (r *reader) Whole(body []byte) (model.Delta, error) {
	d, err := r.Event(model.Event{Data: body})
	var refusal *model.Refusal
	if errors.As(err, &refusal) {
		return d, err
	}
	if err == nil && r.said == nil {
		return d, broken("no message", nil)
	}
	return d, err
}

// wholeChoice reads the message of an answer that was not streamed.
func (r *reader) wholeChoice(choice, message []byte, d *model.Delta) error {
	s, err := readSaid(slices.Clone(message))
	if err != nil {
		return broken("calls that are no list", err)
	}
	s.Reason, _ = rawjson.String(rawjson.Find(choice, "finish_reason"))
	r.said, r.reason, d.Text, d.Reason = &s, s.Reason, s.Text, s.Reason
	return nil
}

// End returns all that was said.
func (r *reader) End() (model.Said, error) {
	if r.said == nil {
		if r.reason == "" {
			return model.Said{}, broken("a stream that ends in the middle", nil)
		}
		s, err := readSaid(r.written())
		if err != nil {
			return s, broken("calls that can't be read", err)
		}
		r.said = &s
	}
	s := *r.said
	s.Reason, s.Usage, s.Cut = r.reason, r.usage, cut(r.reason)
	return s, nil
}

// written is the message that the pieces make.
func (r *reader) written() []byte {
	if r.message.field("role").kind == 0 {
		r.message.field("role").add("role", []byte(`"assistant"`))
	}
	r.message.field("content")
	if len(r.calls.list) > 0 {
		list := make([][]byte, 0, len(r.calls.list))
		for _, c := range r.calls.list {
			if c.all.fields["type"] == nil {
				c.all.field("type").add("type", []byte(`"function"`))
			}
			list = append(list, c.all.bytes())
		}
		f := r.message.field("tool_calls")
		*f = grown{raw: rawjson.List(list)}
	}
	return r.message.bytes()
}

func broken(what string, cause error) error {
	return toolcrib.NewError(toolcrib.KindUnavailable, "the model's provider sent "+what, "try again; if it stays so, look whether its address is right").WithCause(cause)
}
