package openai

import (
	"slices"

	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/rawjson"
)

// noResult stands for a result that the caller should have sent.
const noResult = "The program that was to run this sent no result."

// Body is the request with its rewrites.
func (r *request) Body(w model.Rewrite) (model.Body, error) {
	o, size := r.top.Again(), len(r.top.Get("tools"))
	if w.Model != "" {
		o.Set("model", rawjson.Quote(w.Model))
	}
	if !w.Bare {
		if choice := r.choice(w); choice != nil && len(w.Tools) > 0 {
			o.Set("tool_choice", choice)
		}
		size = r.setTools(o, w.Tools)
	}
	if w.Usage && r.info.Stream && !r.usage {
		o.Set("stream_options", withUsage(o.Get("stream_options")))
	}
	if w.System != "" || len(w.Past)+len(w.Steps) > 0 {
		o.Set("messages", r.history(w))
	}
	return model.Body{Raw: o.Bytes(), ToolBytes: size}, nil
}

func withUsage(options []byte) []byte {
	o, err := rawjson.Open(options)
	if err != nil {
		return []byte(`{"include_usage":true}`)
	}
	o.Set("include_usage", []byte("true"))
	return o.Bytes()
}

// history is the list of messages: the caller's, what truly happened in the
// place of what it saw of it, and what came after.
func (r *request) history(w model.Rewrite) []byte {
	out := make([][]byte, 0, len(r.messages)+8)
	told := make([]bool, len(w.Past))
	system := w.System == ""
	for _, m := range r.messages {
		if !system && m.role != "system" && m.role != "developer" {
			out, system = append(out, r.systemMessage(w.System)), true
		}
		i := pastOf(w.Past, m)
		switch {
		case i < 0:
			out = append(out, m.raw)
		case !told[i]:
			told[i] = true
			out = r.appendSteps(out, w.Past[i].Steps)
		}
	}
	if !system {
		out = append(out, r.systemMessage(w.System))
	}
	return rawjson.List(r.appendSteps(out, w.Steps))
}

// pastOf finds what truly happened where a message stands: -1 for a message of
// the caller's own.
func pastOf(past []model.Past, m message) int {
	ids := m.calls
	if m.role == "tool" {
		ids = []string{m.answers}
	}
	for _, id := range ids {
		folded := model.Fold(id)
		if i := slices.IndexFunc(past, func(p model.Past) bool { return slices.Contains(p.IDs, folded) }); i >= 0 {
			return i
		}
	}
	return -1
}

// systemMessage adds to what the operator says, in the role that the caller has for it.
func (r *request) systemMessage(text string) []byte {
	role := "system"
	if len(r.messages) > 0 && r.messages[0].role == "developer" {
		role = "developer"
	}
	return slices.Concat([]byte(`{"role":"`+role+`","content":`), rawjson.Quote(text), []byte("}"))
}

func (r *request) appendSteps(out [][]byte, steps []model.Step) [][]byte {
	for _, s := range steps {
		if s.Said != nil {
			out = append(out, s.Said)
		}
		for _, result := range s.Results {
			out = append(out, r.resultMessage(result))
		}
	}
	return out
}

// resultMessage is a result as the model is told. One that the caller sent is
// its own message, under the id that the provider knows.
func (r *request) resultMessage(result model.Result) []byte {
	id := rawjson.Quote(result.CallID)
	if result.Theirs != "" {
		theirs := model.Fold(result.Theirs)
		for _, m := range r.messages {
			if m.role == "tool" && model.Fold(m.answers) == theirs {
				if o, err := rawjson.Open(m.raw); err == nil {
					o.Set("tool_call_id", id)
					return o.Bytes()
				}
			}
		}
		if result.Text == "" {
			result.Text = noResult
		}
	}
	return slices.Concat([]byte(`{"role":"tool","tool_call_id":`), id, []byte(`,"content":`), rawjson.Quote(result.Text), []byte("}"))
}
