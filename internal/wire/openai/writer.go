package openai

import (
	"slices"
	"strconv"
	"strings"

	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/rawjson"
)

// between stands between the texts of two answers of the provider.
const between = "\n\n"

// Writer writes the answer in the form for which the caller asked.
func (r *request) Writer() model.Writer {
	if r.info.Stream {
		return &streamWriter{request: r}
	}
	return &wholeWriter{request: r}
}

// writeCalls writes calls under the ids that the caller is to use.
func writeCalls(calls []model.Call) [][]byte {
	list := make([][]byte, 0, len(calls))
	for _, c := range calls {
		if c.Raw != nil {
			list = append(list, with(c.Raw, "id", rawjson.Quote(c.ID)))
			continue
		}
		list = append(list, slices.Concat([]byte(`{"id":`), rawjson.Quote(c.ID), []byte(`,"type":"function","function":{"name":`),
			rawjson.Quote(c.Name), []byte(`,"arguments":`), rawjson.Quote(c.Args), []byte(`}}`)))
	}
	return list
}

// finish is why the answer ends, given why the provider's last one did.
func finish(reason string, f model.Final) string {
	switch {
	case len(f.Calls) > 0:
		return "tool_calls"
	case f.Stopped:
		return "length"
	case reason == "":
		return "stop"
	}
	return reason
}

// used is the usage of an answer, all zeros where no provider was asked.
func used(f model.Final) []byte {
	if f.Usage.Raw == nil {
		return []byte(`{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`)
	}
	return f.Usage.Raw
}

// head is the begin of an answer that no provider's answer stands behind.
func (r *request) head(object string) []byte {
	return slices.Concat([]byte(`{"id":`), rawjson.Quote("chatcmpl-"+strings.TrimPrefix(model.NewID(), "call")), []byte(`,"object":"`+object+`","created":`),
		strconv.AppendInt(nil, r.now().Unix(), 10), []byte(`,"model":`), rawjson.Quote(r.info.Model), []byte(`}`))
}

// wholeWriter writes an answer that is not streamed: the provider's last one,
// with the texts of those before.
type wholeWriter struct {
	request *request
	body    []byte
	texts   []string
	reason  string
}

func (w *wholeWriter) Step() {}

func (w *wholeWriter) Delta(d model.Delta) []byte {
	w.body = d.Raw
	return nil
}

func (w *wholeWriter) StepEnd(s model.Said, more bool) []byte {
	w.reason = s.Reason
	if s.Text != "" && !(more && w.request.json) {
		w.texts = append(w.texts, s.Text)
	}
	return nil
}

func (w *wholeWriter) End(f model.Final) []byte {
	made := w.body == nil
	if made {
		w.body = w.empty()
	}
	o, err := rawjson.Open(w.body)
	if err != nil {
		return w.body
	}
	o.Set("choices", w.choices(o.Get("choices"), f))
	if f.Usage.Raw != nil || made {
		o.Set("usage", used(f))
	}
	return o.Bytes()
}

// empty is an answer in which nothing is said.
func (w *wholeWriter) empty() []byte {
	choices := `[{"index":0,"message":{"role":"assistant","content":null},"finish_reason":null}]`
	return with(w.request.head("chat.completion"), "choices", []byte(choices))
}

// choices are those of the answer, of which the first one is changed.
func (w *wholeWriter) choices(list []byte, f model.Final) []byte {
	spans, err := rawjson.Elements(list)
	if err != nil {
		return list
	}
	for _, s := range spans {
		choice, err := rawjson.Open(list[s.From:s.To])
		if err != nil {
			continue
		}
		if index := choice.Get("index"); !rawjson.IsNull(index) && string(index) != "0" {
			continue
		}
		choice.Set("message", w.message(choice.Get("message"), f))
		if reason := finish(w.reason, f); reason != w.reason {
			choice.Set("finish_reason", rawjson.Quote(reason))
		}
		return rawjson.Splice(list, rawjson.Edit{From: s.From, To: s.To, With: choice.Bytes()})
	}
	return list
}

func (w *wholeWriter) message(raw []byte, f model.Final) []byte {
	m, err := rawjson.Open(raw)
	if err != nil {
		return raw
	}
	texts := w.texts
	if f.Notice != "" {
		texts = append(texts, f.Notice)
	}
	if joined := strings.Join(texts, between); joined != text(m.Get("content")) {
		m.Set("content", rawjson.Quote(joined))
	}
	if len(f.Calls) > 0 {
		m.Set("tool_calls", rawjson.List(writeCalls(f.Calls)))
	} else if !rawjson.IsNull(m.Get("tool_calls")) {
		m.Delete("tool_calls")
	}
	return m.Bytes()
}

// Fail reports an error; where nothing was sent, Dialect.Error is better.
func (w *wholeWriter) Fail(err error) []byte { return Chat{}.Error(err).Body }
