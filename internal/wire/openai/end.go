package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/rawjson"
)

// End writes the calls that the caller is to run, why the answer ends, its
// usage, and the word that ends a stream.
func (w *streamWriter) End(f model.Final) []byte {
	out := w.held
	if w.base == nil {
		w.base = w.request.head("chat.completion.chunk")
		w.id = rawjson.Find(w.base, "id")
	}
	if f.Notice != "" {
		t := f.Notice
		if w.text {
			t = between + t
		}
		out = append(out, w.own(w.made(slices.Concat([]byte(`"content":`), rawjson.Quote(t)), ""))...)
	}
	for i, raw := range writeCalls(f.Calls) {
		for _, piece := range split(raw) {
			indexed := slices.Concat(fmt.Appendf(nil, `"tool_calls":[{"index":%d,`, i), piece[1:], []byte("]"))
			out = append(out, w.own(w.made(indexed, ""))...)
		}
	}
	out = append(out, w.ending(finish(w.reason, f))...)
	if w.request.usage && (f.Usage.Raw != nil || w.reason == "") {
		o := w.template()
		o.Set("choices", []byte("[]"))
		o.Set("usage", used(f))
		out = append(out, event(o.Bytes())...)
	}
	return append(out, "data: [DONE]\n\n"...)
}

// split cuts a call in two: what it is, and its arguments.
func split(call []byte) [][]byte {
	body := rawjson.Find(call, model.Function)
	args := rawjson.Find(body, "arguments")
	if len(args) == 0 || args[0] != '"' {
		return [][]byte{call}
	}
	first := with(call, model.Function, with(body, "arguments", []byte(`""`)))
	second := slices.Concat([]byte(`{"function":{"arguments":`), args, []byte(`}}`))
	return [][]byte{first, second}
}

// template is a chunk like those before, to be filled.
func (w *streamWriter) template() *rawjson.Object {
	o, err := rawjson.Open(w.base)
	if err != nil {
		o, _ = rawjson.Open([]byte("{}"))
	}
	return o
}

// own is a chunk with a choice that was made here.
func (w *streamWriter) own(choice []byte) []byte {
	o := w.template()
	o.Set("choices", rawjson.List([][]byte{choice}))
	return w.send(o)
}

// ending is the chunk that says why the answer ends: the provider's, if it said so.
func (w *streamWriter) ending(reason string) []byte {
	o, err := rawjson.Open(w.last)
	list := o.Get("choices")
	spans, errList := rawjson.Elements(list)
	if w.last == nil || err != nil || errList != nil {
		return w.own(w.made(nil, reason))
	}
	w.join(o)
	for _, s := range spans {
		choice, err := rawjson.Open(list[s.From:s.To])
		if index := choice.Get("index"); err != nil || !rawjson.IsNull(index) && string(index) != "0" {
			continue
		}
		if delta := choice.Get("delta"); !bytes.Equal(delta, []byte("{}")) {
			choice.Set("delta", []byte("{}"))
		}
		if said, _ := rawjson.String(choice.Get("finish_reason")); said != reason {
			choice.Set("finish_reason", rawjson.Quote(reason))
		}
		if changed := rawjson.List([][]byte{choice.Bytes()}); !bytes.Equal(changed, list) {
			o.Set("choices", changed)
		}
		return w.send(o)
	}
	return w.own(w.made(nil, reason))
}

// Fail writes an error into a stream that has begun.
func (w *streamWriter) Fail(err error) []byte {
	var line bytes.Buffer
	body := Chat{}.Error(err).Body
	if rawjson.Find(body, "error") == nil || json.Compact(&line, body) != nil {
		line.Reset()
		line.Write(errorBody(err.Error(), "server_error", "provider"))
	}
	return event(line.Bytes())
}

// statuses are the HTTP statuses of our own errors; all others are 500.
var statuses = map[toolcrib.Kind]int{
	toolcrib.KindInput: http.StatusBadRequest, toolcrib.KindAmbiguous: http.StatusBadRequest, toolcrib.KindNotFound: http.StatusNotFound,
	toolcrib.KindBlocked: http.StatusForbidden, toolcrib.KindUnauthorized: http.StatusUnauthorized, toolcrib.KindLimit: http.StatusRequestEntityTooLarge,
	toolcrib.KindUnavailable: http.StatusBadGateway, toolcrib.KindTimeout: http.StatusGatewayTimeout, toolcrib.KindCanceled: 499,
}

// Error reports an error as OpenAI does. What a provider refused is passed as it came.
func (Chat) Error(err error) model.Failure {
	var refusal *model.Refusal
	if errors.As(err, &refusal) {
		return model.Failure{Status: refusal.Status, Header: refusal.Header, Body: refusal.Body}
	}
	var e *toolcrib.Error
	if !errors.As(err, &e) {
		e = toolcrib.NewError(toolcrib.KindInternal, "something went wrong in here", "the log has the details")
	}
	status, sort := http.StatusInternalServerError, "server_error"
	if s, ok := statuses[e.Kind]; ok {
		status = s
	}
	if status < 500 {
		sort = "invalid_request_error"
	}
	return model.Failure{Status: status, Body: errorBody(e.Error(), sort, string(e.Kind))}
}

func errorBody(message, sort, code string) []byte {
	return slices.Concat([]byte(`{"error":{"message":`), rawjson.Quote(message), []byte(`,"type":`), rawjson.Quote(sort),
		[]byte(`,"param":null,"code":`), rawjson.Quote(code), []byte("}}"))
}
