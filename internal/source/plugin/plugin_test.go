package plugin

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/sourcetest"
)

func names(tools []toolcrib.Tool) (out []string) {
	for _, t := range tools {
		out = append(out, t.Name)
	}
	return out
}

// Without declarations there is all that the program lists; with them exactly
// those, laid over what the program says.
func TestListings(t *testing.T) {
	s := open(t, Options{Plugins: []Plugin{
		fake(t, "all", `version: "1"`),
		fake(t, "few", `tools: [
			{name: "gone"},
			{name: "hang"},
			{name: "count", title: "Mine", description: "Counts, says the manifest.", parameters: {type: "object", required: ["text"], properties: {text: {type: "string", maxLength: 9}}},
			 annotations: {readOnlyHint: true}, catalogMode: "direct-only", executionMode: "sequential", ownerOnly: true},
		]`),
	}})
	all := s.Listings(limit(t), toolcrib.Scope{})
	if len(all) != 2 || all[0].Owner != "all" || all[1].Owner != "few" {
		t.Fatalf("%+v", all)
	}
	if diff := cmp.Diff([]string{"count", "die", "hang"}, names(all[0].Tools)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"count", "hang"}, names(all[1].Tools)); diff != "" {
		t.Error(diff)
	}
	count := all[1].Tools[0]
	if count.ID != "plugin:few:count" || count.Source != toolcrib.SourcePlugin || !count.TrustsInput() || !count.TrustsOutput() {
		t.Errorf("%+v", count)
	}
	if count.Label != "Mine" || count.Description != "Counts, says the manifest." || !*count.Annotations.ReadOnly || !count.OwnerOnly ||
		count.CatalogMode != toolcrib.CatalogDirectOnly || count.ExecutionMode != toolcrib.ExecutionSequential || !strings.Contains(string(count.Parameters), `"maxLength":9`) {
		t.Errorf("the declaration isn't laid over it: %+v", count)
	}
	if !strings.Contains(string(count.OutputSchema), `"words"`) {
		t.Errorf("the program's own output schema is lost: %s", count.OutputSchema)
	}
	if plain := all[0].Tools[0]; plain.Description != "Counts, says the program." || plain.Label != "Count" || plain.OwnerOnly {
		t.Errorf("%+v", plain)
	}
	status := s.Status()
	if status[1].State != toolcrib.StateReady || status[1].Tools != 2 || len(status[1].Warnings) != 1 || !strings.Contains(status[1].Warnings[0], `tool "gone" is declared`) {
		t.Errorf("%+v", status[1])
	}
}

func TestContract(t *testing.T) {
	sourcetest.Run(t, func(t *testing.T) sourcetest.Source {
		return open(t, Options{Plugins: []Plugin{fake(t, "a", `tools: [{name: "die"}, {name: "count"}]`), fake(t, "b", `tools: [{name: "count"}]`)}})
	})
}

// The program gets the variables of the manifest, those of the operator on top, and
// what it is told of itself.
func TestExecute(t *testing.T) {
	s := open(t, Options{Plugins: []Plugin{fake(t, "p", `version: "2.0", env: {NAME: "manifest's"}`)}})
	r, err := s.Execute(limit(t), toolcrib.Call{Tool: toolcrib.Tool{Source: toolcrib.SourcePlugin, Owner: "p", Name: "count"}, Args: json.RawMessage(`{"text": "four"}`)})
	if err != nil {
		t.Fatal(err)
	}
	var got answer
	if err := json.Unmarshal(r.Details, &got); err != nil || got.Words != 4 {
		t.Errorf("%s, %v", r.Details, err)
	}
	if got.Env["NAME"] != "operator's" || got.Env["ID"] != "p" || got.Env["VERSION"] != "2.0" {
		t.Errorf("%v", got.Env)
	}
}

func kindOf(t *testing.T, err error) (toolcrib.Kind, string) {
	t.Helper()
	var e *toolcrib.Error
	if !errors.As(err, &e) {
		t.Fatalf("no error of ours: %v", err)
	}
	return e.Kind, e.Message + " " + e.Hint
}

// A plugin that dies, hangs, or has no such tool says so as a plugin, and costs
// nobody else anything.
func TestFaults(t *testing.T) {
	slow := fake(t, "slow", `version: "1"`)
	slow.Timeout = 50 * time.Millisecond
	missing := fake(t, "missing", `version: "1"`)
	missing.Command = "/nowhere/program"
	s := open(t, Options{Plugins: []Plugin{fake(t, "good", `tools: [{name: "count"}, {name: "die"}]`), slow, missing}})
	call := func(owner, name string) (toolcrib.Kind, string) {
		_, err := s.Execute(limit(t), toolcrib.Call{Tool: toolcrib.Tool{Source: toolcrib.SourcePlugin, Owner: owner, Name: name}, Args: json.RawMessage(`{}`)})
		return kindOf(t, err)
	}
	for _, tt := range []struct {
		owner, name string
		kind        toolcrib.Kind
		words       []string
	}{
		{"good", "hang", toolcrib.KindNotFound, []string{`plugin "good" doesn't offer a tool "hang" any more`}},
		{"none", "x", toolcrib.KindNotFound, []string{`plugin "none" is not in use`}},
		{"slow", "hang", toolcrib.KindTimeout, []string{`plugin "slow"`, "plugins.entries.slow.timeoutMs"}},
		{"missing", "x", toolcrib.KindUnavailable, []string{`plugin "missing" is down`, "not found", "README"}},
		{"good", "die", toolcrib.KindUnavailable, []string{`plugin "good" died while tool "die" was running`, "exited with code 7", "may have happened"}},
	} {
		kind, text := call(tt.owner, tt.name)
		for _, w := range tt.words {
			if kind != tt.kind || !strings.Contains(text, w) {
				t.Errorf("%s %s: %s %q, want %s %q", tt.owner, tt.name, kind, text, tt.kind, w)
			}
		}
	}
}

// Update starts anew only what changed, and a manifest's declarations hold at once.
func TestUpdate(t *testing.T) {
	a, b := fake(t, "a", `version: "1"`), fake(t, "b", `version: "1"`)
	s := open(t, Options{Plugins: []Plugin{a, b}})
	before := s.Status()
	listed := s.Listings(limit(t), toolcrib.Scope{})

	narrowed := fake(t, "a", `version: "1", tools: [{name: "count", description: "Other."}]`)
	narrowed.Dir = a.Dir
	change, err := s.Update([]Plugin{narrowed, b})
	if err != nil || len(change.Changed) != 0 {
		t.Fatalf("%+v, %v", change, err)
	}
	now := s.Listings(limit(t), toolcrib.Scope{})
	if diff := cmp.Diff([]string{"count"}, names(now[0].Tools)); diff != "" || now[0].Tools[0].Description != "Other." {
		t.Errorf("%s %+v", diff, now[0].Tools)
	}
	if now[0].Fingerprint == listed[0].Fingerprint || now[1].Fingerprint != listed[1].Fingerprint {
		t.Error("the fingerprint follows the manifest, and that alone")
	}
	if s.Status()[0].PID != before[0].PID {
		t.Error("the program was started anew")
	}

	newer := fake(t, "a", `version: "2"`)
	newer.Dir = a.Dir
	if change, err = s.Update([]Plugin{newer}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"a"}, {"b"}}, [][]string{change.Changed, change.Removed}); diff != "" {
		t.Error(diff)
	}
	s.Settle(limit(t))
	if pid := s.Status()[0].PID; pid == before[0].PID || pid == 0 || s.Owns("b") {
		t.Errorf("process %d of before is %d now", before[0].PID, pid)
	}
}

// A plugin of hooks alone has no program.
func TestHooksAlone(t *testing.T) {
	p := fake(t, "p", `hooks: {h: {event: "before_tool_call", command: "x"}}`)
	p.Command = ""
	s := open(t, Options{Plugins: []Plugin{p}})
	if l := s.Listings(limit(t), toolcrib.Scope{})[0]; l.State != toolcrib.StateReady || !l.Known || len(l.Tools) != 0 {
		t.Errorf("%+v", l)
	}
	if r := Probe(limit(t), p, Options{}); !r.OK() {
		t.Errorf("%+v", r)
	}
}

func TestProbe(t *testing.T) {
	p := fake(t, "p", `tools: [{name: "count", outputSchema: {type: "no such"}}, {name: "gone"}]`)
	r := Probe(limit(t), p, Options{})
	if !r.OK() || len(r.Tools) != 1 || r.Tools[0].ID != "plugin:p:count" {
		t.Fatalf("%+v", r)
	}
	if text := strings.Join(r.Warnings, "\n"); !strings.Contains(text, "outputSchema is no usable schema") || !strings.Contains(text, `"gone"`) {
		t.Error(text)
	}
}
