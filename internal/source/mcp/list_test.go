package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
)

// TestMalformedTools leaves out what can't be used, says so, and keeps the rest.
func TestMalformedTools(t *testing.T) {
	s := open(t, Options{Servers: []Server{fake(t, "a", "malformed")}})
	ready(t, s, "a")
	l := listing(t, s, "a")
	if diff := cmp.Diff([]string{"first", "last", "noschema", "oddparts", "twice"}, names(l)); diff != "" {
		t.Error(diff)
	}
	if l.Tools[2].Parameters != nil || l.Tools[4].Description != "new" {
		t.Errorf("tools %+v", l.Tools)
	}
	all := strings.Join(s.Status()[0].Warnings, "\n")
	for _, w := range []string{
		"tool number 2 is left out: its name is not a string", `tool "badschema" is left out: inputSchema is not an object`,
		"number 4 is left out: it is not an object", "number 6 is left out: its name is empty", "number 7 is left out: it has no name",
		`tool "oddparts": description is not a string`, `"oddparts": outputSchema is not an object`, `tool "twice" is listed twice`,
	} {
		if !strings.Contains(all, w) {
			t.Errorf("no warning says %q:\n%s", w, all)
		}
	}
}

// TestExact keeps every byte of schemas and results that may matter.
func TestExact(t *testing.T) {
	s := open(t, Options{Servers: []Server{fake(t, "a", "exact")}})
	ready(t, s, "a")
	got := listing(t, s, "a").Tools[0]
	yes := true
	wanted := toolcrib.Tool{
		ID: "mcp:a:exact", Source: "mcp", Owner: "a", Name: "exact", Label: "Exact", Description: "d",
		Parameters:   json.RawMessage(`{"type":"object","x":12345678901234567890.10,"properties":{"b":{},"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}}`),
		OutputSchema: json.RawMessage(`{"type":"object"}`),
		Annotations:  toolcrib.Annotations{Title: "T", ReadOnly: &yes},
		Meta:         json.RawMessage(`{"vendor/x":1e400}`),
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Error(diff)
	}
	r, err := call(t, s, "a", "exact", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	if string(r.Content[0].Raw) != `{"type":"hologram","beam":12345678901234567890.10,"z":1}` || r.Content[1].Text != "<hi>" {
		t.Errorf("content %s", r.Content[0].Raw)
	}
	if string(r.Details) != `{"n":12345678901234567890,"e":1e400}` {
		t.Errorf("details %s", r.Details)
	}
}

// TestManyTools lists 20,003 tools over pages: the bound cuts three, with a warning.
func TestManyTools(t *testing.T) {
	s := open(t, Options{Servers: []Server{fake(t, "a", "many")}})
	ready(t, s, "a")
	l := listing(t, s, "a")
	if len(l.Tools) != maxTools || len(l.Tools[17].Description) < 34_000 {
		t.Errorf("%d tools, the long text has %d bytes", len(l.Tools), len(l.Tools[17].Description))
	}
	if w := s.Status()[0].Warnings; len(w) != 1 || !strings.Contains(w[0], "more than 20000 tools") {
		t.Errorf("warnings %v", w)
	}
}

func TestCursorLoop(t *testing.T) {
	s := open(t, Options{Servers: []Server{fake(t, "a", "loop")}})
	ready(t, s, "a")
	if l := listing(t, s, "a"); len(l.Tools) != 1 {
		t.Errorf("tools %v", names(l))
	}
	if w := strings.Join(s.Status()[0].Warnings, "\n"); !strings.Contains(w, "leads back") {
		t.Errorf("warnings %s", w)
	}
}

// TestListChanged reads a list again once for a burst of notices, and tells of it.
func TestListChanged(t *testing.T) {
	told := make(chan string, 100)
	s := open(t, Options{Servers: []Server{fake(t, "a", "changes")}, OnChange: func(name string) { told <- name }})
	ready(t, s, "a")
	before := listing(t, s, "a")
	for len(told) > 0 {
		<-told
	}
	if _, err := call(t, s, "a", "echo0", "{}"); err != nil {
		t.Fatal(err)
	}
	await(t, s, "a", "changed", func(c condition) bool { return len(c.list.tools) == 2 })
	select {
	case name := <-told:
		if name != "a" {
			t.Errorf("told of %q", name)
		}
	case <-limit(t).Done():
		t.Error("nobody was told")
	}
	after := listing(t, s, "a")
	if before.Fingerprint == after.Fingerprint {
		t.Error("the fingerprint is the same")
	}
	if len(before.Tools) != 1 {
		t.Error("the old listing was changed")
	}
}

// BenchmarkList reads a list of 2,000 tools, about 2 MB.
func BenchmarkList(b *testing.B) {
	var parts []json.RawMessage
	for i := range 2000 {
		text := strings.Repeat("describes what the tool does and when to use it. ", 8)
		parts = append(parts, json.RawMessage(fmt.Sprintf(
			`{"name":"tool_%d","description":%q,"inputSchema":{"type":"object","properties":{"a":{"type":"string","description":%q}}}}`, i, text, text)))
	}
	result, err := json.Marshal(map[string]any{"tools": parts})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(result)))
	b.ReportAllocs()
	for b.Loop() {
		p, err := readPage(result)
		if err != nil {
			b.Fatal(err)
		}
		g := newGatherer("s")
		g.add(p.tools)
		if l := g.list(); len(l.tools) != 2000 {
			b.Fatal(len(l.tools))
		}
	}
}
