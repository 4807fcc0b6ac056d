package openai

import (
	"bytes"
	"slices"

	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/rawjson"
	"github.com/toolcrib/toolcrib/internal/sse"
)

// streamWriter writes a stream of chunks: the provider's own, under one id, but
// for calls, the reasons why its answers end, and its usage.
type streamWriter struct {
	request *request
	base    []byte // a chunk after which those made here are written
	id      []byte
	last    []byte // the chunk with which the provider's last answer ended
	reason  string

	role, text bool // was sent
	fresh      bool // nothing of this answer's text was sent yet

	held       []byte // where texts can't be joined, an answer waits here for its end
	role0, txt bool   // what was sent before it
}

func (w *streamWriter) Step() {
	w.fresh, w.last, w.reason = true, nil, ""
	w.held, w.role0, w.txt = nil, w.role, w.text
}

func (w *streamWriter) Delta(d model.Delta) []byte {
	if d.Reason != "" {
		w.reason = d.Reason
	}
	out := w.chunk(d)
	if w.request.json {
		w.held = append(w.held, out...)
		return nil
	}
	return out
}

func (w *streamWriter) StepEnd(_ model.Said, more bool) []byte {
	held := w.held
	w.held = nil
	if more && w.request.json {
		w.role, w.text = w.role0, w.txt
		return nil
	}
	return held
}

// chunk is a chunk of the provider as it is passed on; nil when nothing is left.
func (w *streamWriter) chunk(d model.Delta) []byte {
	d.Raw = streamed(d.Raw)
	top, err := rawjson.Open(d.Raw)
	if err != nil {
		return nil
	}
	w.begin(top)
	list := top.Get("choices")
	spans, err := rawjson.Elements(list)
	if err != nil || len(spans) == 0 {
		if d.Usage != nil || !w.passes(top) {
			return nil
		}
		return w.send(top)
	}
	var left [][]byte
	for _, s := range spans {
		choice := list[s.From:s.To]
		if index := rawjson.Find(choice, "index"); !rawjson.IsNull(index) && string(index) != "0" {
			left = append(left, choice)
		} else if choice = w.choice(choice, d); choice != nil {
			left = append(left, choice)
		}
	}
	if d.Reason != "" {
		w.last = d.Raw
	}
	if len(left) == 0 {
		return nil
	}
	if changed := rawjson.List(left); !bytes.Equal(changed, list) {
		top.Set("choices", changed)
	}
	return w.send(top)
}

// passes reports whether a chunk without choices says something else.
func (w *streamWriter) passes(top *rawjson.Object) bool {
	return slices.ContainsFunc(top.Members(), func(m rawjson.Member) bool {
		return m.Key != "choices" && m.Key != "usage" && !slices.Contains(envelope, m.Key)
	})
}

// envelope are the members that all chunks of an answer have.
var envelope = []string{"id", "object", "created", "model", "system_fingerprint", "service_tier"}

// begin takes from the first chunk what all others are to have.
func (w *streamWriter) begin(top *rawjson.Object) {
	if w.base != nil {
		w.join(top)
		return
	}
	base := top.Again()
	for _, m := range top.Members() {
		if !slices.Contains(envelope, m.Key) {
			base.Delete(m.Key)
		}
	}
	w.base, w.id = base.Bytes(), top.Get("id")
}

// streamed is an answer that came whole, though it was to be streamed, as a
// chunk. A chunk is itself.
func streamed(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`"message"`)) {
		return raw
	}
	top, err := rawjson.Open(raw)
	list := top.Get("choices")
	spans, errList := rawjson.Elements(list)
	if err != nil || errList != nil || len(spans) == 0 {
		return raw
	}
	choice, err := rawjson.Open(list[spans[0].From:spans[0].To])
	message := choice.Get("message")
	if err != nil || rawjson.IsNull(message) || choice.Get("delta") != nil {
		return raw
	}
	choice.Delete("message")
	choice.Set("delta", message)
	top.Set("choices", rawjson.List([][]byte{choice.Bytes()}))
	top.Set("object", []byte(`"chat.completion.chunk"`))
	return top.Bytes()
}

// join gives a chunk the id of the whole answer.
func (w *streamWriter) join(top *rawjson.Object) {
	if id := top.Get("id"); w.id != nil && !bytes.Equal(id, w.id) {
		top.Set("id", w.id)
	}
}

// send writes a chunk without its usage.
func (w *streamWriter) send(top *rawjson.Object) []byte {
	if !rawjson.IsNull(top.Get("usage")) {
		if w.request.usage {
			top.Set("usage", []byte("null"))
		} else {
			top.Delete("usage")
		}
	}
	return event(top.Bytes())
}

func event(data []byte) []byte { return sse.Append(nil, sse.Event{Data: data}) }

// choice is the first choice without calls and without its reason; nil when
// nothing is left of it.
func (w *streamWriter) choice(raw []byte, d model.Delta) []byte {
	choice, err := rawjson.Open(raw)
	if err != nil {
		return nil
	}
	delta, err := rawjson.Open(choice.Get("delta"))
	if err != nil {
		return nil
	}
	before := delta.Len()
	delta.Delete("tool_calls")
	said := d.Text != ""
	if w.role {
		delta.Delete("role")
		if !said && w.fresh && (len(d.Calls) > 0 || d.Reason != "" || before > delta.Len()) {
			delta.Delete("content") // the empty text with which an answer begins
		}
	} else if delta.Get("role") != nil {
		w.role = true
	}
	if said && w.fresh {
		if w.text {
			delta.Set("content", rawjson.Quote(between+d.Text))
		}
		w.fresh, w.text = false, true
	}
	if delta.Len() == 0 && (before > 0 || d.Reason != "") {
		return nil
	}
	choice.Set("delta", delta.Bytes())
	if d.Reason != "" {
		choice.Set("finish_reason", []byte("null"))
	}
	return choice.Bytes()
}

// made is a choice that is made here.
func (w *streamWriter) made(delta []byte, reason string) []byte {
	if !w.role {
		w.role = true
		role := `"role":"assistant"`
		if len(delta) > 0 {
			role += ","
		}
		delta = append([]byte(role), delta...)
	}
	end := []byte("null")
	if reason != "" {
		end = rawjson.Quote(reason)
	}
	return slices.Concat([]byte(`{"index":0,"delta":{`), delta, []byte(`},"finish_reason":`), end, []byte("}"))
}
