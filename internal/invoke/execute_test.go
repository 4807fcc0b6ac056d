package invoke

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolcrib/toolcrib"
)

// TestOutcomes: what a source may answer, and what becomes of it.
func TestOutcomes(t *testing.T) {
	for _, tt := range []struct {
		name, ref string
		result    toolcrib.Result
		err       error
		want      string // JSON of the result
		kind      toolcrib.Kind
		says      string
		not       string
	}{
		{name: "nothing", ref: "add", want: `{"content":[]}`},
		{name: "null as a value", ref: "add", result: toolcrib.Result{Details: json.RawMessage(`null`)}, want: `{"content":[]}`},
		{name: "its own failure", ref: "count", result: toolcrib.Result{IsError: true, Content: []toolcrib.Content{toolcrib.Text("no")}}, want: `{"content":[{"type":"text","text":"no"}],"isError":true}`},
		{name: "a value that fits", ref: "count", result: toolcrib.Result{Details: json.RawMessage(`{"n":1}`)}, want: `{"content":[],"details":{"n":1}}`},
		{name: "a value that doesn't", ref: "count", result: toolcrib.Result{Details: json.RawMessage(`{"n":"secret-value"}`)}, kind: toolcrib.KindOutput, says: "did run", not: "secret-value"},
		{name: "a value with a strange name", ref: "count", result: toolcrib.Result{Details: json.RawMessage(`{"n":1,"extra":"secret-value"}`)}, kind: toolcrib.KindOutput, says: "did run", not: "secret-value"},
		{name: "no value where one is promised", ref: "count", kind: toolcrib.KindOutput, says: "did run"},
		{name: "a value that is no JSON", ref: "add", result: toolcrib.Result{Details: json.RawMessage(`{`)}, kind: toolcrib.KindOutput, says: "did run"},
		{name: "a block that is no JSON", ref: "add", result: toolcrib.Result{Content: []toolcrib.Content{{Type: "image", Raw: json.RawMessage(`{`)}}}, kind: toolcrib.KindOutput, says: "block 1"},
		{name: "an untrusted promise is not enforced", ref: "mcp:forge:create", result: toolcrib.Result{Details: json.RawMessage(`{"n":1}`)}, want: `{"content":[],"details":{"n":1}}`},
		{name: "an error with a reason", ref: "add", err: toolcrib.NewError(toolcrib.KindUnavailable, "server gone", ""), kind: toolcrib.KindUnavailable, says: "server gone"},
		{name: "an error without one", ref: "add", err: errors.New("secret detail"), kind: toolcrib.KindTool, says: "plugin:shop:add", not: "secret"},
		{name: "too much of an untrusted tool", ref: "free", result: toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text(strings.Repeat("x", 2000))}}, kind: toolcrib.KindLimit, says: "did run"},
		{name: "as much of a trusted one", ref: "add", result: toolcrib.Result{Details: json.RawMessage(`"` + strings.Repeat("x", 2000) + `"`)}, want: `{"content":[],"details":"` + strings.Repeat("x", 2000) + `"}`},
	} {
		h := build(t, func(o *Options) { o.MaxResult = 1000 })
		h.executor.do = func(context.Context, toolcrib.Call) (toolcrib.Result, error) { return tt.result, tt.err }
		_, result, err := h.run(t, tt.ref, `{"title":"x"}`)
		if toolcrib.KindOf(err) != tt.kind {
			t.Errorf("%s: %v; want kind %q", tt.name, err, tt.kind)
			continue
		}
		if err != nil {
			if !strings.Contains(err.Error(), tt.says) || (tt.not != "" && strings.Contains(err.Error(), tt.not)) || result.Details != nil {
				t.Errorf("%s: %v; want %q without %q, and no value", tt.name, err, tt.says, tt.not)
			}
			continue
		}
		if got, _ := json.Marshal(result); string(got) != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		if e := h.recorder.events[0]; e.ToolFailed != tt.result.IsError || e.Failure != "" {
			t.Errorf("%s: recorded %+v", tt.name, e)
		}
	}
}

func TestPanic(t *testing.T) {
	var log bytes.Buffer
	h := build(t, func(o *Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	h.executor.do = func(context.Context, toolcrib.Call) (toolcrib.Result, error) { panic("inner detail") }
	_, _, err := h.run(t, "alone", `{"title":"x"}`)
	if toolcrib.KindOf(err) != toolcrib.KindInternal || strings.Contains(err.Error(), "inner detail") || !strings.Contains(log.String(), "inner detail") {
		t.Errorf("%v; log %s", err, log.String())
	}
	h.executor.do = nil
	if _, _, err := h.run(t, "alone", `{"title":"x"}`); err != nil {
		t.Errorf("after a panic: %v", err)
	}
}

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, func(o *Options) {
			o.TimeoutFor = func(t *toolcrib.Tool) time.Duration {
				if t.Name == "add" {
					return time.Second
				}
				return 0
			}
		})
		release := make(chan struct{})
		h.executor.do = func(ctx context.Context, _ toolcrib.Call) (toolcrib.Result, error) {
			<-release // a tool that ignores its deadline
			return toolcrib.Result{}, nil
		}
		start := time.Now()
		_, _, err := h.run(t, "add", `{"title":"x"}`)
		if toolcrib.KindOf(err) != toolcrib.KindTimeout || !strings.Contains(err.Error(), "may have happened") || time.Since(start) != time.Second {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
		start = time.Now()
		_, _, err = h.run(t, "free", `{}`)
		if toolcrib.KindOf(err) != toolcrib.KindTimeout || time.Since(start) != DefaultTimeout {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
		close(release)
		synctest.Wait()
		h.executor.do = func(ctx context.Context, _ toolcrib.Call) (toolcrib.Result, error) {
			<-ctx.Done()
			return toolcrib.Result{}, ctx.Err()
		}
		if _, _, err = h.run(t, "add", `{"title":"x"}`); toolcrib.KindOf(err) != toolcrib.KindTimeout {
			t.Errorf("a tool that minds its deadline: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		if _, _, err = h.Call(ctx, Request{Ref: "free"}); toolcrib.KindOf(err) != toolcrib.KindCanceled || !strings.Contains(err.Error(), "may have happened") {
			t.Errorf("a caller that goes away: %v", err)
		}
	})
}

// TestProgress reaches the caller while the call runs, and never after.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, func(o *Options) { o.Timeout = time.Second })
		late := make(chan struct{})
		h.executor.do = func(_ context.Context, c toolcrib.Call) (toolcrib.Result, error) {
			c.Progress(toolcrib.Progress{Done: 1})
			<-late
			c.Progress(toolcrib.Progress{Done: 2})
			return toolcrib.Result{}, nil
		}
		var got []float64
		_, _, err := h.Call(t.Context(), Request{Ref: "free", Progress: func(p toolcrib.Progress) { got = append(got, p.Done) }})
		close(late)
		synctest.Wait()
		if toolcrib.KindOf(err) != toolcrib.KindTimeout || len(got) != 1 {
			t.Errorf("%v; progress %v, want only the first", err, got)
		}
	})
}
