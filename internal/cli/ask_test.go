package cli

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/config"
)

// api is a connection to a control API that answers paths with fixed texts, and
// all others with "not found".
func api(answers map[string]string) *connection {
	mux := http.NewServeMux()
	for path, text := range answers {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) })
	}
	return &connection{Client: client.New(client.InProcess(mux), "")}
}

func TestWhyNoSignatureIsShown(t *testing.T) {
	servers := `{"servers": [{"name": "strange"}, {"name": "known", "trusted": true}]}`
	for _, tt := range []struct {
		owner  string
		source toolcrib.Source
		want   string
	}{
		{"strange", toolcrib.SourceMCP, "untrusted server: see parameters"},
		{"known", toolcrib.SourceMCP, "see parameters"},
		{"strange", toolcrib.SourcePlugin, "see parameters"},
		{"gone", toolcrib.SourceMCP, "see parameters"},
	} {
		d := client.Description{Hit: client.Hit{Owner: tt.owner, Source: tt.source}}
		if got := whyUnknown(t.Context(), api(map[string]string{"/api/servers": servers}), d); got != tt.want {
			t.Errorf("%s of %s: %q, want %q", tt.owner, tt.source, got, tt.want)
		}
	}
}

// The schema decides, and that there is none is no failure of its own.
func TestPairsAskForTheSchema(t *testing.T) {
	given := callArgs{pairs: []pair{{"title", "2026"}}}
	for want, answers := range map[string]map[string]string{
		`{"title":"2026"}`: {"/api/describe": `{"id": "a", "parameters": {"properties": {"title": {"type": "string"}}}}`},
		`{"title":2026}`:   {},
	} {
		got, err := given.of(t.Context(), api(answers), source{}, "a")
		if err != nil || string(got) != want {
			t.Errorf("got %s and %v, want %s", got, err, want)
		}
	}
	if got, err := (callArgs{}).of(t.Context(), api(nil), source{}, "a"); err != nil || string(got) != "{}" {
		t.Errorf("no arguments are %s and %v, want {}", got, err)
	}
}

func TestAnOwnerThatIsDownIsNoMistake(t *testing.T) {
	c := api(map[string]string{"/api/servers": `{"servers": [{"name": "memory"}]}`, "/api/tools": `{"tools": [{"id": "plugin:tracker:a", "owner": "tracker"}]}`})
	for owner, kind := range map[string]toolcrib.Kind{"memory": "", "tracker": "", "memry": toolcrib.KindNotFound} {
		if err := checkOwner(t.Context(), c, "", owner); (err != nil) != (kind != "") || err != nil && toolcrib.KindOf(err) != kind {
			t.Errorf("%s: %v, want kind %q", owner, err, kind)
		}
	}
}

func TestToolsWaitForTheirOwnServers(t *testing.T) {
	c := api(map[string]string{"/api/tools": `{"tools": [
		{"id": "mcp:known:one", "source": "mcp", "owner": "known", "name": "one"},
		{"id": "mcp:known:two", "source": "mcp", "owner": "known", "name": "two"},
		{"id": "mcp:other:two", "source": "mcp", "owner": "other", "name": "two"},
		{"id": "plugin:app:mine", "source": "plugin", "owner": "app", "name": "mine"}]}`})
	servers := []client.Server{{Name: "known", Tools: 2}, {Name: "other", Tools: 1}, {Name: "new"}, {Name: "npxx"}}
	for _, tt := range []struct {
		ref  string
		runs bool
		want string
	}{
		{"mcp:known:one", false, ""},
		{"mcp:known:one", true, "known"},
		{" mcp:new:x", false, "new"},
		{"mcp:nowhere:x", true, ""},
		{"plugin:app:mine", true, ""},
		{"one", false, ""},
		{"one", true, "known"},
		{"mine", true, ""},
		{"two", true, "new npxx"},
		{"nosuch", false, "new npxx"},
	} {
		wanted, got := ownersOf(t.Context(), c, source{}, tt.ref, tt.runs), []string{}
		for _, s := range servers {
			if wanted(s) {
				got = append(got, s.Name)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q (run: %t) waits for %q, want %q", tt.ref, tt.runs, got, tt.want)
		}
	}
}

func TestOnlyTheServerThatIsAskedForStarts(t *testing.T) {
	cfg := &config.Config{MCP: config.MCP{Servers: map[string]config.Server{"a": {}, "b": {}}}}
	for only, want := range map[string]int{"": 2, "a": 1, "nowhere": 2} {
		if got := len((source{only: only}).narrowed(cfg).MCP.Servers); got != want {
			t.Errorf("%q starts %d servers, want %d", only, got, want)
		}
	}
	if len(cfg.MCP.Servers) != 2 {
		t.Error("the configuration itself was changed")
	}
}
