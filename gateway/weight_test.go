package gateway

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// offered is a server's listing: each tool "NAME" or "NAME:BYTES OF DESCRIPTION".
func offered(server string, tools ...string) toolcrib.Listing {
	l := toolcrib.Listing{Source: toolcrib.SourceMCP, Owner: server, State: toolcrib.StateReady, Known: true, ToolPrefix: server, Fingerprint: server}
	for _, text := range tools {
		name, n := text, 10
		if before, after, ok := strings.Cut(text, ":"); ok {
			name = before
			fmt.Sscan(after, &n)
		}
		l.Tools = append(l.Tools, toolcrib.Tool{
			ID: toolcrib.MakeID(toolcrib.SourceMCP, server, name), Source: toolcrib.SourceMCP, Owner: server, Name: name,
			Description: strings.Repeat("d", n), Parameters: json.RawMessage(`{"type":"object","properties":{}}`),
		})
	}
	return l
}

// weighted is the weight of some listings, and a configuration of their servers.
func weighted(t *testing.T, listings ...toolcrib.Listing) (weight, *config.Config) {
	t.Helper()
	plan := catalog.Plan(listings, func(*toolcrib.Tool) bool { return true })
	w, err := weigh(plan, toolsearch.Show(plan, toolsearch.ModeDirect))
	if err != nil {
		t.Fatal(err)
	}
	c := &config.Config{MCP: config.MCP{Servers: map[string]config.Server{}}}
	for _, l := range listings {
		c.MCP.Servers[l.Owner] = config.Server{Deny: []string{"old*"}}
	}
	return w, c
}

// brief is a saving without its figures.
func brief(list []client.Saving) []string {
	lines := []string{}
	for _, s := range list {
		lines = append(lines, s.Command)
	}
	return lines
}

func TestSavings(t *testing.T) {
	for name, c := range map[string]struct {
		listings []toolcrib.Listing
		want     []string
	}{
		"small": {[]toolcrib.Listing{offered("a", "x", "y")}, []string{}},
		"largest first": {[]toolcrib.Listing{offered("a", "x:9000", "y:1000"), offered("b.c", "z:20000"), offered("tiny", "t")}, []string{
			`toolcrib config set 'mcp.servers["b.c"].enabled' false`,
			`toolcrib config set mcp.servers.a.enabled false`,
			`toolcrib config set mcp.servers.a.deny '["old*","x"]'`,
		}},
		"twins, though small": {[]toolcrib.Listing{offered("a", "p", "q", "r", "s", "t"), offered("b", "P", "q", "r", "s", "other"), offered("c", "p", "q")}, []string{
			`toolcrib config set mcp.servers.b.enabled false`,
		}},
		"twins before what is larger": {[]toolcrib.Listing{offered("a", "p", "q", "r"), offered("b", "p", "q", "r"), offered("big", "x:30000"), offered("kept", "k", "l", "m:20000"), offered("less", "k", "l", "m")}, []string{
			`toolcrib config set mcp.servers.less.enabled false`,
			`toolcrib config set mcp.servers.b.enabled false`,
			`toolcrib config set mcp.servers.big.enabled false`,
		}},
	} {
		w, cfg := weighted(t, c.listings...)
		got := w.savings(cfg)
		if diff := cmp.Diff(c.want, brief(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		for _, s := range got {
			if s.Bytes <= 0 || s.Tokens != tokens(s.Bytes) || s.Reason == "" {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
}

// A command that is pasted into a shell must do no more than it says.
func TestCommandsAreQuoted(t *testing.T) {
	w, cfg := weighted(t, offered("a", "it's $(rm -rf x):30000", "y"))
	got := brief(w.savings(cfg))
	want := `toolcrib config set mcp.servers.a.deny '["old*","it'\''s $(rm -rf x)"]'`
	if len(got) != 2 || got[1] != want {
		t.Errorf("got %q, want %q second", got, want)
	}
}

func TestLargest(t *testing.T) {
	w, _ := weighted(t, offered("a", "x:500", "y:100", "z:300"))
	got := w.largest(2)
	if len(got) != 2 || got[0].ID != "mcp:a:x" || got[1].ID != "mcp:a:z" || got[0].Share <= got[1].Share || got[0].Bytes <= 500 {
		t.Errorf("%+v", got)
	}
	sum := len("[]") + len(w.tools) - 1
	for _, x := range w.tools {
		sum += x.bytes
	}
	if sum != w.total {
		t.Errorf("the tools are %d bytes, the list %d", sum, w.total)
	}
}
