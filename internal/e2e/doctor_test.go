package e2e

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib/internal/mcptest"
)

// finding is one finding of doctor.
type finding struct{ Level, Area, What, Where, Do string }

// checkup is what `doctor --json` answers.
type checkup struct {
	OK       bool
	Counts   map[string]int
	Findings []finding
	Servers  []trial
}

// trial is what `servers test --json` answers.
type trial struct {
	Server, Transport, Protocol, ServerName, Fault, Reason, Hint string
	OK, Login                                                    bool
	TookMs                                                       int
	Steps                                                        []struct {
		Name   string
		TookMs int
		Failed bool
	}
	Tools struct {
		Listed, Count, Bytes, Tokens int
		Largest                      []struct{ ID string }
	}
	Stderr, Warnings []string
}

// doctor runs doctor, which must end with a code.
func (h *home) doctor(code int, args ...string) checkup {
	h.t.Helper()
	o := h.run(append([]string{"doctor", "--json"}, args...)...)
	if o.code != code {
		h.t.Errorf("doctor ended with %d, want %d:\n%s%s", o.code, code, o.stdout, o.stderr)
	}
	var c checkup
	decode(h.t, o.stdout, &c)
	return c
}

// finds checks that one finding of a level has all of the words.
func (c checkup) finds(t testing.TB, level string, words ...string) {
	t.Helper()
	for _, f := range c.Findings {
		text := strings.Join([]string{f.Area, f.What, f.Where, f.Do}, " | ")
		all := f.Level == level
		for _, word := range words {
			all = all && strings.Contains(text, word)
		}
		if all {
			return
		}
	}
	t.Errorf("no %s says %q:\n%+v", level, words, c.Findings)
}

// lists serves tool lists as real servers, and returns the address.
func lists(t testing.TB, all map[string][]string) string {
	t.Helper()
	var recorded []mcptest.Recorded
	for name, tools := range all {
		r := mcptest.Recorded{Server: name}
		for _, tool := range tools {
			r.Tools = append(r.Tools, json.RawMessage(tool))
		}
		recorded = append(recorded, r)
	}
	handler, err := mcptest.Handler(recorded)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	return server.URL
}

// locked answers that a login is needed.
func locked(t testing.TB) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="shop"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/mcp"
}

// shell is a server's entry: a script of sh, which may become the good fake by $FAKE.
func shell(t testing.TB, script string) object {
	entry := fake(t, "good")
	self := entry["command"]
	entry["command"], entry["args"] = "sh", []string{"-c", script}
	entry["env"].(object)["FAKE"] = self
	return entry
}

func TestDoctorFindsWhatIsWrong(t *testing.T) {
	url := lists(t, map[string][]string{
		"one": {
			`{"name":"search","description":"Search the shelf","inputSchema":{"type":"object","properties":{"tags":{"type":"array"}}}}`,
			`{"name":"Open","description":"Open a drawer","inputSchema":{"type":"object","properties":{"filter[id]":{"type":"string"}}}}`,
			`{"name":"open","description":"Open a door","inputSchema":{"anyOf":[{"type":"object","properties":{"x":{"type":"string"}}}]}}`,
		},
		"two": {`{"name":"search","description":"Search the cellar","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}}`},
	})
	h := newHome(t, object{
		"gateway": object{"listen": "127.0.0.1:1"},
		"tools":   object{"toolSearch": false, "deny": []string{"nosuch__*"}},
		"mcp": object{"servers": object{
			"missing": object{"command": "no-such-program"},
			"crash":   shell(t, "echo 'no API key' >&2; exit 3"),
			"late":    shell(t, `sleep 5.2; exec "$FAKE"`),
			"locked":  object{"url": locked(t), "headers": object{"Authorization": "Bearer s3cr3t-token"}},
			"one":     object{"url": url + "/one", "deny": []string{"zzz*"}},
			"two":     object{"url": url + "/two"},
			"me":      object{"command": binary, "args": []string{"mcp"}},
			"off":     object{"command": "never-looked-at", "enabled": false},
		}},
	})
	if err := os.Chmod(h.config, 0o644); err != nil {
		t.Fatal(err)
	}
	c := h.doctor(10)
	c.finds(t, "error", `server missing: command "no-such-program" isn't there`)
	c.finds(t, "error", "server crash: it exited with code 3", "no API key", "servers test crash")
	c.finds(t, "error", "server locked: HTTP 401", "mcp.servers.locked")
	c.finds(t, "error", "server me is toolcrib itself")
	c.finds(t, "warning", "server late takes 5.", "servers test late")
	c.finds(t, "warning", "holds secrets", "chmod 600")
	c.finds(t, "warning", "names that differ in case only", "mcp:one:Open, mcp:one:open")
	c.finds(t, "note", "1 tool of the same name in servers one, two: search", "one__search, two__search")
	c.finds(t, "warning", "1 tool of one would be refused by gemini, openai", "mcp:one:search /properties/tags")
	c.finds(t, "warning", "1 tool of one would be refused by anthropic", "filter[id]")
	c.finds(t, "warning", `mcp.servers.one.deny "zzz*" matches no tool`)
	c.finds(t, "ok", "server two: 1 tool")
	if c.OK || c.Counts["error"] != 4 || len(c.Servers) != 6 {
		t.Errorf("ok %t, counts %v, %d servers", c.OK, c.Counts, len(c.Servers))
	}
	for _, f := range c.Findings {
		if strings.Contains(f.What+f.Where+f.Do, "s3cr3t") || strings.Contains(f.What, "tools.deny") || strings.Contains(f.What, "root is a union") {
			t.Errorf("a secret, a pattern that may be for a server that is down, or a schema that direct mode mends: %+v", f)
		}
	}
	text := h.run("doctor", "--offline")
	mentions(t, text.stdout, "CONFIGURATION", "SERVERS", `error    server missing: command "no-such-program" isn't there`, "the servers were not started", "2 errors")
	if text.code != 10 || strings.Contains(text.stdout, "crash") || text.stderr != "" {
		t.Errorf("offline ended with %d:\n%s%s", text.code, text.stdout, text.stderr)
	}
}

// text is the configuration as it stands.
func (h *home) text() string {
	h.t.Helper()
	data, err := os.ReadFile(h.config)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(data)
}

func TestDoctorBesideAGateway(t *testing.T) {
	h := newHome(t, servers(object{"good": fake(t, "good")}))
	h.write(strings.Replace(h.text(), "{", `{"gateway": {"listen": "127.0.0.1:0"},`, 1))
	h.serve()
	c := h.doctor(0)
	c.finds(t, "ok", "a gateway of this configuration runs: process ")
	c.finds(t, "ok", "server good: 1 tool, ready in the running gateway, protocol 20")
	c.finds(t, "note", "1 server taken as the running gateway has them", "doctor --fresh")
	h.doctor(0, "--fresh").finds(t, "ok", "server good: 1 tool, 0.")
	before := h.servers()["good"].PID
	r := answer[trial](h, "servers", "test", "good")
	if !r.OK || r.Tools.Count != 1 || r.Protocol == "" || h.servers()["good"].PID != before {
		t.Errorf("%+v; the gateway's own connection has process %d, was %d", r, h.servers()["good"].PID, before)
	}
}

func TestServersTestFails(t *testing.T) {
	h := newHome(t, servers(object{
		"crash":  shell(t, "echo 'first words' >&2; echo 'no API key' >&2; exit 3"),
		"locked": object{"url": locked(t)},
		"off":    merged(fake(t, "good"), object{"enabled": false}),
	}))
	o := h.fails(6, []string{"server crash can't be used: it exited with code 3"}, "servers", "test", "crash")
	mentions(t, o.stdout, "LAST LINES OF STDERR", "first words", "no API key", "handshake", "failed")
	h.fails(5, []string{"server locked can't be used: HTTP 401", "Authorization"}, "servers", "test", "locked")
	h.fails(4, []string{`there is no server "crush"`, "did you mean crash?"}, "servers", "test", "crush")
	if r := answer[trial](h, "servers", "test", "off"); !r.OK || r.Tools.Count != 1 {
		t.Errorf("a server that is switched off: %+v", r)
	}
}

// merged is an entry with more keys.
func merged(entry, more object) object {
	maps.Copy(entry, more)
	return entry
}

// TestDoctorOfRealServers looks at programs that people use.
func TestDoctorOfRealServers(t *testing.T) {
	dir := npmFolder(t)
	h := newHome(t, servers(object{"everything": npm(dir, "mcp-server-everything"), "memory": npm(dir, "mcp-server-memory")}))
	h.write(strings.Replace(h.text(), "{", `{"gateway": {"listen": "127.0.0.1:1"},`, 1))
	c := h.doctor(0)
	c.finds(t, "ok", "server everything: ", "protocol 20")
	c.finds(t, "ok", "server memory: ", "protocol 20")
	r := answer[trial](h, "servers", "test", "everything")
	var steps []string
	for _, s := range r.Steps {
		steps = append(steps, s.Name)
	}
	if !r.OK || r.Transport != "stdio" || strings.Join(steps, " ") != "start handshake list" || r.Tools.Count == 0 || r.Tools.Count != r.Tools.Listed || r.Tools.Bytes < 1000 || len(r.Tools.Largest) == 0 {
		t.Errorf("%+v", r)
	}
	mentions(t, h.ok("servers", "test", "everything"), "protocol", "capabilities", "instructions", "STEP", "handshake", "total", "LARGEST TOOL")
}

// TestDoctorOfRecordedServers says what is found about thirty recorded servers.
func TestDoctorOfRecordedServers(t *testing.T) {
	h, names := recorded(t)
	h.write(strings.Replace(h.text(), "{", `{"gateway": {"listen": "127.0.0.1:1"},`, 1))
	c := h.doctor(0)
	if len(c.Servers) != len(names) {
		t.Errorf("%d servers were tried, want %d", len(c.Servers), len(names))
	}
	for _, f := range c.Findings {
		if f.Level != "ok" {
			t.Logf("%s %s: %s @ %s", f.Level, f.Area, f.What, f.Where)
		}
	}
	c.finds(t, "note", "schemas", "would be refused: ", "gemini")
	stats := answer[struct {
		Tools     int
		Tokenizer string
		Modes     []struct {
			Mode                string
			Bytes, Instructions int
		}
		Largest []struct {
			ID    string
			Bytes int
		}
		Savings []struct{ Command, Reason string }
	}](h, "tools", "stats")
	for _, m := range stats.Modes {
		t.Logf("mode %s: %d bytes, of which %d are instructions", m.Mode, m.Bytes, m.Instructions)
	}
	for _, s := range stats.Savings {
		t.Logf("%s: %s", s.Command, s.Reason)
	}
	if len(stats.Largest) != 10 || len(stats.Savings) == 0 || stats.Tokenizer == "" || stats.Modes[0].Mode != "direct" || stats.Modes[len(stats.Modes)-1].Bytes > stats.Modes[0].Bytes/20 {
		t.Errorf("%+v", stats)
	}
}
