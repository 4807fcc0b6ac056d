package openai

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/model"
)

var update = flag.Bool("update", false, "write the golden files anew")

// play plays a script: a request, then steps of a provider, then how the answer
// ends. What is read is written behind what the caller gets.
func play(t *testing.T, script string) string {
	t.Helper()
	parts := strings.Split(script, "\n= ")
	p, err := Chat{Now: func() time.Time { return time.Unix(1, 0) }}.Parse([]byte(parts[0]))
	if err != nil {
		t.Fatal(err)
	}
	w := p.Writer()
	var out bytes.Buffer
	var read strings.Builder
	var usage model.Usage
	var last model.Said
	steps := strings.Count(script, "\n= step")
	for n, part := range parts[1:] {
		kind, lines, _ := strings.Cut(part, "\n")
		f := model.Final{Usage: usage}
		switch kind {
		case "step":
			w.Step()
			r := p.Reader()
			for line := range strings.Lines(lines) {
				d := readLine(t, p, r, strings.TrimSpace(line))
				if d.Raw != nil {
					out.Write(w.Delta(d))
				}
			}
			if strings.HasSuffix(script, "= fail\n") {
				continue
			}
			if last, err = r.End(); err != nil {
				t.Fatal(err)
			}
			usage = usage.Add(last.Usage)
			fmt.Fprintf(&read, "%s\n", last.Raw)
			out.Write(w.StepEnd(last, n+1 < steps))
			continue
		case "hand":
			f.Calls = handed(last)
		case "stop":
			f.Stopped, f.Notice = true, "[Stopped.]"
		case "fail":
			out.Write(w.Fail(errors.New("dial secret.example: no")))
			continue
		}
		out.Write(w.End(f))
	}
	if !strings.Contains(script, "= hand") && !strings.Contains(script, "= stop") && !strings.Contains(script, "= fail") {
		out.Write(w.End(model.Final{Usage: usage}))
	}
	return regexp.MustCompile(`(call|chatcmpl-)[a-z2-7]{26}`).ReplaceAllString(out.String()+"\n= read\n"+read.String(), "${1}RANDOM")
}

func readLine(t *testing.T, p model.Prompt, r model.Reader, line string) model.Delta {
	t.Helper()
	read := func(line []byte) (model.Delta, error) { return r.Event(model.Event{Data: line}) }
	if !p.Info().Stream {
		read = r.Whole
	}
	d, err := read([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// handed are the calls of the last step that aren't ours, under other ids.
func handed(s model.Said) []model.Call {
	if s.Calls == nil {
		return []model.Call{{ID: "out1", Name: "wanted", Args: `{"of":"a body"}`}}
	}
	var calls []model.Call
	for i, c := range s.Calls {
		c.ID = fmt.Sprintf("out%d", i+1)
		calls = append(calls, c)
	}
	return calls
}

// What a caller gets, and what the model is told that it said, for what
// providers send.
func TestAnswers(t *testing.T) {
	files, err := filepath.Glob("testdata/*.in")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		script, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := play(t, string(script))
		golden := strings.TrimSuffix(file, ".in") + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
}

// One answer of the provider that ends the run passes as it came.
func TestALoneAnswerPassesAsItCame(t *testing.T) {
	const whole = `{ "id":"a","choices":[{"index":0,"message":{"role":"assistant","content":[{"type":"text","text":"x"}],"audio":{"id":"z"}},"finish_reason":"stop","x":1.0}],"usage":{"total_tokens":5 } }`
	if got, _, _ := strings.Cut(play(t, "{\"messages\":[]}\n= step\n"+whole), "\n= read"); got != whole {
		t.Errorf("%s, want %s", got, whole)
	}
	chunks := []string{
		`{"id":"a" ,"choices":[{"index":0,"delta":{"role":"assistant","content":""},"x":1.0}]}`, `{"id":"a","choices":[{"index":0,"delta":{"content":"x","y":2.0}}]}`,
		`{"id":"a","choices":[{"index":0,"delta":{},"finish_reason":"stop","z":[ ]}]}`,
	}
	got, _, _ := strings.Cut(play(t, "{\"messages\":[],\"stream\":true}\n= step\n"+strings.Join(chunks, "\n")), "\n= read")
	if want := "data: " + strings.Join(chunks, "\n\ndata: ") + "\n\ndata: [DONE]\n\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestErrorsAreWrittenAsOpenAIDoes(t *testing.T) {
	f := Chat{}.Error(toolcrib.NewError(toolcrib.KindBlocked, "no", "ask").WithCause(errors.New("secret")))
	if f.Status != 403 || string(f.Body) != `{"error":{"message":"no (ask)","type":"invalid_request_error","param":null,"code":"blocked"}}` {
		t.Errorf("%d %s", f.Status, f.Body)
	}
	if f = (Chat{}).Error(errors.New("secret")); f.Status != 500 || bytes.Contains(f.Body, []byte("secret")) {
		t.Errorf("%d %s", f.Status, f.Body)
	}
}

// However a provider splits and mixes its chunks, the answer that comes out can be read.
func FuzzStream(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.in")
	for _, file := range files {
		if script, err := os.ReadFile(file); err == nil && bytes.Contains(script, []byte(`"stream":true`)) {
			f.Add(string(script))
		}
	}
	f.Fuzz(func(t *testing.T, script string) {
		p, err := Chat{}.Parse([]byte(`{"stream":true,"messages":[],"stream_options":{"include_usage":true}}`))
		if err != nil {
			t.Fatal(err)
		}
		w := p.Writer()
		var out []byte
		var last model.Said
		for part := range strings.SplitSeq(script, "\n= ") {
			w.Step()
			r := p.Reader()
			for line := range strings.Lines(part) {
				if d, err := r.Event(model.Event{Data: []byte(line)}); err == nil && d.Raw != nil {
					out = append(out, w.Delta(d)...)
				}
			}
			if said, err := r.End(); err == nil {
				last = said
				again := p.Reader()
				if _, err := again.Whole([]byte(`{"choices":[{"message":` + string(said.Raw) + `}]}`)); err != nil {
					t.Fatalf("%v: what was said can't be read again: %s", err, said.Raw)
				}
			}
			out = append(out, w.StepEnd(last, true)...)
		}
		out = append(out, w.End(model.Final{Calls: handed(last), Usage: last.Usage})...)
		again := p.Reader()
		for line := range strings.Lines(string(out)) {
			data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
			if !ok || data == "[DONE]" {
				continue
			}
			if _, err := again.Event(model.Event{Data: []byte(data)}); err != nil {
				t.Fatalf("%v: %s", err, data)
			}
		}
		said, err := again.End()
		if err != nil || len(said.Calls) != len(handed(last)) {
			t.Fatalf("%v: %d calls in %s", err, len(said.Calls), out)
		}
	})
}
