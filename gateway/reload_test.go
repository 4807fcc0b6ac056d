package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// written makes a configuration file and returns its path.
func written(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.json5")
	rewrite(t, file, text)
	return file
}

func rewrite(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// others are the visible tools but the one that reads on in results.
func others(s *Surface) []string {
	return slices.DeleteFunc(names(s), func(name string) bool { return name == "results__read" })
}

func TestReloadChangesPolicyOfOpenSessions(t *testing.T) {
	file := written(t, `{}`)
	var told int
	g, s := open(t, Options{ConfigFile: file, Tools: []Tool{echo("first"), echo("second")}},
		SessionOptions{Mode: "direct", Changed: func() { told++ }})
	if got := others(s.Surface(t.Context())); !slices.Equal(got, []string{"first", "second"}) {
		t.Fatalf("before: %v", got)
	}
	rewrite(t, file, `{tools: {deny: ["second"]}}`)
	if err := g.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if told == 0 {
		t.Error("the session wasn't told")
	}
	if got := others(s.Surface(t.Context())); !slices.Equal(got, []string{"first"}) {
		t.Errorf("after: %v", got)
	}
	if _, _, err := s.Call(t.Context(), "second", json.RawMessage(`{"text":"x"}`)); toolcrib.KindOf(err) != toolcrib.KindNotFound {
		t.Errorf("calling what is denied now: %v", err)
	}
}

func TestReloadIsAllOrNothing(t *testing.T) {
	var log bytes.Buffer
	file := written(t, `{tools: {deny: ["second"]}}`)
	g, s := open(t, Options{ConfigFile: file, Tools: []Tool{echo("first"), echo("second")}, Logger: slog.New(slog.NewTextHandler(&log, nil))},
		SessionOptions{Mode: "direct"})
	before := s.Surface(t.Context())
	for _, broken := range []string{
		"{tools: {deny: []},\n  tolls: {}}",                // an unknown key, line 2
		"{tools: {deny: []},\n  gateway: {listen: 5}}",     // a wrong type
		"{tools: {deny: []},\n  ",                          // cut short
		"{tools: {deny: []},\n  mcp: {servers: {a: {}}},}", // a server of nothing
	} {
		rewrite(t, file, broken)
		err := g.Reload(t.Context())
		if toolcrib.KindOf(err) != toolcrib.KindConfig || !strings.Contains(err.Error(), file+":2:") {
			t.Errorf("%s: %v", broken, err)
		}
		status, _ := control{g}.Status(t.Context())
		if !strings.Contains(status.ConfigError, ":2:") {
			t.Errorf("status doesn't say what is wrong: %q", status.ConfigError)
		}
		if s.Surface(t.Context()) != before {
			t.Error("a broken file changed what a session sees")
		}
	}
	if !strings.Contains(log.String(), ":2:") {
		t.Errorf("the log doesn't say where:\n%s", log.String())
	}
	rewrite(t, file, `{}`)
	if err := g.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status, _ := (control{g}).Status(t.Context()); status.ConfigError != "" {
		t.Errorf("a good file, and still: %s", status.ConfigError)
	}
	if got := others(s.Surface(t.Context())); !slices.Equal(got, []string{"first", "second"}) {
		t.Errorf("after the good file: %v", got)
	}
}

func TestReloadOfAFileThatIsGone(t *testing.T) {
	file := written(t, `{tools: {deny: ["second"]}}`)
	g, s := open(t, Options{ConfigFile: file, Tools: []Tool{echo("first"), echo("second")}}, SessionOptions{Mode: "direct"})
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := g.Reload(t.Context()); toolcrib.KindOf(err) != toolcrib.KindConfig {
		t.Errorf("reading a file that is gone: %v", err)
	}
	if got := others(s.Surface(t.Context())); !slices.Equal(got, []string{"first"}) {
		t.Errorf("a vanished file opened policy: %v", got)
	}
}

func TestReloadChangesTheMode(t *testing.T) {
	file := written(t, `{tools: {toolSearch: {mode: "tools"}}}`)
	o := Options{ConfigFile: file, Tools: []Tool{echo("first"), echo("second")}}
	g, s := open(t, o, SessionOptions{})
	named, err := g.Open(SessionOptions{Mode: "tools"})
	if err != nil {
		t.Fatal(err)
	}
	defer named.Close()
	for _, step := range []struct{ file, mode, named string }{
		{`{tools: {toolSearch: {mode: "tools"}}}`, "tools", "tools"},
		{`{tools: {toolSearch: false}}`, "direct", "direct"},
		{`{tools: {toolSearch: {mode: "tools", maxSearchLimit: 1}}}`, "tools", "tools"},
	} {
		rewrite(t, file, step.file)
		if err := g.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		if m := s.Surface(t.Context()).Mode(); m != step.mode {
			t.Errorf("%s: the session has mode %s, want %s", step.file, m, step.mode)
		}
		if m := named.Surface(t.Context()).Mode(); m != step.named {
			t.Errorf("%s: the session that named its mode has %s, want %s", step.file, m, step.named)
		}
	}
	if hits, err := s.Search(t.Context(), "repeat the text", 5); err != nil || len(hits) != 1 {
		t.Errorf("maxSearchLimit 1 isn't in force: %d hits, %v", len(hits), err)
	}
}

func TestReloadTakesAnAgentAway(t *testing.T) {
	file := written(t, `{agents: {list: [{id: "helper"}]}}`)
	g, s := open(t, Options{ConfigFile: file, Tools: []Tool{echo("first")}}, SessionOptions{Mode: "direct", Scope: toolcrib.Scope{Agent: "helper"}})
	if got := others(s.Surface(t.Context())); len(got) != 1 {
		t.Fatalf("before: %v", got)
	}
	rewrite(t, file, `{}`)
	if err := g.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := others(s.Surface(t.Context())); len(got) != 0 {
		t.Errorf("an agent that is no longer configured still sees %v", got)
	}
	if _, _, err := s.Call(t.Context(), "first", json.RawMessage(`{"text":"x"}`)); err == nil {
		t.Error("an agent that is no longer configured ran a tool")
	}
}

func TestReloadChangesTheToken(t *testing.T) {
	file := written(t, `{gateway: {token: "the-first-secret"}}`)
	g, _ := open(t, Options{ConfigFile: file}, SessionOptions{})
	h, err := g.Handler("0.0.0.0:7433")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	defer server.Close()
	ask := func(token string) int {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		return resp.StatusCode
	}
	if code := ask("the-first-secret"); code == http.StatusUnauthorized {
		t.Fatal("the first token isn't taken")
	}
	rewrite(t, file, `{gateway: {token: "the-second-secret"}}`)
	if err := g.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ask("the-first-secret") != http.StatusUnauthorized || ask("the-second-secret") == http.StatusUnauthorized {
		t.Error("the former token still opens the door, or the new one doesn't")
	}
	rewrite(t, file, `{}`)
	if err := g.Reload(t.Context()); toolcrib.KindOf(err) != toolcrib.KindConfig {
		t.Errorf("an open address without a token was taken: %v", err)
	}
	if ask("the-second-secret") == http.StatusUnauthorized {
		t.Error("a refused file changed the token")
	}
	for _, secret := range []string{"the-first-secret", "the-second-secret"} {
		if strings.Contains(g.secrets.redact("it says "+secret), secret) {
			t.Errorf("%s is not taken out of texts", secret)
		}
	}
}

func TestWatchSeesEachWayToSave(t *testing.T) {
	file := written(t, `{}`)
	changed := make(chan struct{}, 64)
	g, s := open(t, Options{ConfigFile: file, Tools: []Tool{echo("first"), echo("second")}},
		SessionOptions{Mode: "direct", Changed: func() { changed <- struct{}{} }})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { g.Watch(ctx); close(ended) }()
	saves := []struct {
		name string
		save func(text string)
		text string
		want int
	}{
		{"in place", func(text string) { rewrite(t, file, text) }, `{tools: {deny: ["second"]}}`, 1},
		{"renamed over it", func(text string) {
			rewrite(t, file+".new", text)
			if err := os.Rename(file+".new", file); err != nil {
				t.Error(err)
			}
		}, `{tools: {deny: []}}`, 2},
		{"removed and made again", func(text string) {
			if err := os.Remove(file); err != nil {
				t.Error(err)
			}
			rewrite(t, file, text)
		}, `{tools: {deny: ["*"]}}`, 0},
	}
	for _, save := range saves {
		save.save(save.text)
		<-changed
		if got := others(s.Surface(t.Context())); len(got) != save.want {
			t.Errorf("%s: %v, want %d tools", save.name, got, save.want)
		}
	}
	stop()
	<-ended
}

func TestReloadOverTheControlAPI(t *testing.T) {
	file := written(t, `{}`)
	g, _ := open(t, Options{ConfigFile: file, Tools: []Tool{echo("first")}}, SessionOptions{})
	c := client.New(client.InProcess(g.Control()), "")
	if err := c.Reload(t.Context()); err != nil {
		t.Error(err)
	}
	rewrite(t, file, `{`)
	err := c.Reload(t.Context())
	if toolcrib.KindOf(err) != toolcrib.KindConfig || !strings.Contains(err.Error(), file) {
		t.Errorf("a broken file over the API: %v", err)
	}
	bare, _ := open(t, Options{Tools: []Tool{echo("first")}}, SessionOptions{})
	if err := bare.Reload(t.Context()); toolcrib.KindOf(err) != toolcrib.KindConfig {
		t.Errorf("reloading without a file: %v", err)
	}
}

func TestReloadOfAFileThatWasEmptied(t *testing.T) {
	file := written(t, `{tools: {deny: ["second"]}}`)
	g, s := open(t, Options{ConfigFile: file, Tools: []Tool{echo("first"), echo("second")}}, SessionOptions{Mode: "direct"})
	for _, text := range []string{"", " \n\t\n"} {
		rewrite(t, file, text)
		if err := g.Reload(t.Context()); toolcrib.KindOf(err) != toolcrib.KindConfig || !strings.Contains(err.Error(), "is empty") {
			t.Errorf("reading %q: %v", text, err)
		}
		if got := others(s.Surface(t.Context())); !slices.Equal(got, []string{"first"}) {
			t.Errorf("%q opened policy: %v", text, got)
		}
	}
	rewrite(t, file, `{}`)
	if err := g.Reload(t.Context()); err != nil || len(others(s.Surface(t.Context()))) != 2 {
		t.Errorf("a file that says that all is as by default: %v", err)
	}
	empty, _ := open(t, Options{ConfigFile: written(t, "")}, SessionOptions{})
	if err := empty.Reload(t.Context()); err != nil {
		t.Errorf("a file that was empty from the start: %v", err)
	}
}

func TestReloadSaysWhatChanged(t *testing.T) {
	var log bytes.Buffer
	file := written(t, `{}`)
	g, _ := open(t, Options{ConfigFile: file, Logger: slog.New(slog.NewTextHandler(&log, nil))}, SessionOptions{})
	for text, want := range map[string]string{
		`{tools: {deny: ["x"], toolSearch: {mode: "tools"}}}`:        `settings="[policy modes]"`,
		`{log: {level: "debug"}, agents: {list: [{id: "a"}]}}`:       "agents",
		`{tools: {allow: ["x"]}, mcp: {servers: {s: {url: "bad"}}}}`: "can't be used",
	} {
		for _, text := range []string{"{}", text} {
			log.Reset()
			rewrite(t, file, text)
			_ = g.Reload(t.Context())
		}
		if !strings.Contains(log.String(), want) {
			t.Errorf("%s: the log doesn't say %q: %s", text, want, log.String())
		}
	}
}
