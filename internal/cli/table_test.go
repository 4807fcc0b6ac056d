package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

func TestBrief(t *testing.T) {
	long := strings.Repeat("é", maxBrief)
	for text, want := range map[string]string{
		"":                                 "",
		"One.\n\nTwo.":                     "One.",
		"  Reads a\n file  ":               "Reads a file",
		"Uses v1.2 of it. More.":           "Uses v1.2 of it.",
		"Takes words, e.g. names. More.":   "Takes words, e.g. names.",
		"Words, lists etc. can be sent. x": "Words, lists etc. can be sent.",
		long:                               long,
		long + "é":                         strings.Repeat("é", maxBrief-1) + "…",
		"a\x1b[31mb.":                      "a[31mb.",
	} {
		if got := brief(text); got != want {
			t.Errorf("brief(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestServerNote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := func(d time.Duration) *time.Time { at := time.Now().Add(d); return &at }
		for _, tt := range []struct {
			server client.Server
			want   string
		}{
			{client.Server{ServerName: "files", ServerVersion: "1.0"}, "files 1.0"},
			{client.Server{Reason: "it ended", NextTry: in(4 * time.Second)}, "it ended (next try in 4 s)"},
			{client.Server{Reason: "it ended", NextTry: in(300 * time.Millisecond)}, "it ended (next try now)"},
			{client.Server{Reason: "it ended", NextTry: in(-time.Second)}, "it ended (next try now)"},
			{client.Server{Reason: "it ended", Protocol: "2025-06-18", Restarts: 1}, "it ended (started again once)"},
			{client.Server{Reason: "it ended", Protocol: "2025-06-18", Restarts: 2}, "it ended (started again 2 times)"},
			{client.Server{Reason: "no such command", State: toolcrib.StateDown, Restarts: 4}, "no such command (tried 5 times)"},
			{client.Server{Reason: "it is starting", State: toolcrib.StateStarting}, "it is starting"},
		} {
			if got := serverNote(tt.server); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		}
	})
}

func TestReferences(t *testing.T) {
	got := references([]client.Tool{{ID: "mcp:a:read", Name: "read"}, {ID: "mcp:b:read", Name: "read"}, {ID: "mcp:b:write", Name: "write"}})
	if want := []string{"mcp:a:read", "mcp:b:read", "mcp:b:write", "write"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A reason is cut to a terminal's width among others, and whole alone.
func TestTheReasonOfOneServerIsWhole(t *testing.T) {
	servers := []client.Server{{Name: "a", Reason: strings.Repeat("why ", 60)}}
	for _, whole := range []bool{true, false} {
		var stdout bytes.Buffer
		a := newApp(Process{Stdout: &stdout, Stderr: &bytes.Buffer{}, StdoutTerminal: true, Environ: []string{"COLUMNS=80"}})
		a.printServers(servers, whole)
		if err := a.out.flush(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(stdout.String(), "why"); (got == 60) != whole {
			t.Errorf("whole %t: the reason has %d of 60 words", whole, got)
		}
	}
}
