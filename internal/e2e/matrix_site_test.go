package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Variables of the fakes below.
const (
	ranEnv    = "TOOLCRIB_E2E_RAN"    // the file in which a call that ran leaves a line
	closedEnv = "TOOLCRIB_E2E_CLOSED" // the file that ends the server, and lets none start
)

// yard is a server with a tool for each refusal, which writes down what ran.
func yard(names []string) peer {
	var tools []string
	for _, name := range names {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"description":"Rake the %s corner","inputSchema":{"type":"object","properties":{"mark":{"type":"string"}},"required":["mark"],"additionalProperties":false}}`, name, name))
	}
	return peer{tools: listed(tools...), call: func(r request) string {
		if err := note(os.Getenv(ranEnv), r.Params.Name+" "+string(r.Params.Arguments)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return echo(r)
	}}
}

// quay is a server that nobody vouches for, and whose tool hides a character.
func quay() peer {
	p := yard([]string{"pinned"})
	p.tools = listed(`{"name":"pinned","description":"Rake\u200b the quay","inputSchema":{"type":"object","properties":{"mark":{"type":"string"}}}}`)
	return p
}

// pier writes a plugin that an operator has installed.
func (s *site) pier(t testing.TB) string {
	t.Helper()
	program := fake(t, "pier")
	program["id"], program["version"] = "pier", "1.0.0"
	program["env"].(object)[ranEnv] = s.ran
	program["tools"] = []object{{"name": "moored"}, {"name": "berthed"}}
	data, err := json.Marshal(program)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(filepath.Dir(s.ran), "plugins", "pier")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "plugin.json5"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(folder)
}

// note adds a line to a file, whole even when several do so.
func note(file, line string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.ReplaceAll(line, "\n", " ") + "\n")
	return errors.Join(err, f.Close())
}

// pit is a server that ends as soon as its file is there.
func pit() int {
	closed := func() bool { _, err := os.Stat(os.Getenv(closedEnv)); return err == nil }
	leave := func() {
		fmt.Fprintln(os.Stderr, "the pit is closed")
		os.Exit(1)
	}
	if closed() {
		leave()
	}
	go func() {
		for range time.Tick(20 * time.Millisecond) {
			if closed() {
				leave()
			}
		}
	}()
	return yard([]string{"dig"}).serve()
}

// site is everything that the ways lead to: a gateway that runs, and a second home
// for those that have one of their own.
type site struct {
	main, other      *home
	running          *running // of main
	url              string
	ran, closed      string // files
	entered, release string
	said             *logBuffer // by the programs that clients started
	hook             string     // a webhook that fails
	secret           string     // to show in place of staticToken
	free             target     // what nothing refuses
	aloneAs          func(t testing.TB, mode, agent string) mcp.Transport
}

// staticToken is gateway.token: it holds also where no token can be looked up.
const staticToken = "correct-horse-battery"

// newSite makes the homes and starts the gateway.
func newSite(t *testing.T, refusing bool) *site {
	t.Helper()
	dir := t.TempDir()
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }))
	t.Cleanup(broken.Close)
	s := &site{
		ran: filepath.Join(dir, "ran"), closed: filepath.Join(dir, "closed"), entered: filepath.Join(dir, "entered"), release: filepath.Join(dir, "go"),
		hook: broken.URL, said: &logBuffer{}, free: in("fine"),
	}
	s.main, s.other = newHome(t, s.config(t, refusing)), newHome(t, s.config(t, refusing))
	s.aloneAs = func(t testing.TB, mode, agent string) mcp.Transport {
		return s.program(t, s.other, "mcp", "--attach=never", "--mode", mode, "--agent", agent)
	}
	return s
}

// start starts the gateway of the first home, and lets the second one learn its tools.
func (s *site) start() {
	s.running = s.main.serve()
	s.url = s.running.url
	s.running.ready("yard", "pit", "quay")
	s.other.ok("tools", "list")
}

// config is the configuration of both homes. denied are the tools that policy refuses.
func (s *site) config(t testing.TB, refusing bool, denied ...string) object {
	garden, hole := fake(t, "yard"), fake(t, "pit")
	for _, server := range []object{garden, hole} {
		server["trusted"] = true
		env := server["env"].(object)
		env[ranEnv], env[closedEnv] = s.ran, s.closed
	}
	var list []object
	for _, w := range ways() {
		agent := object{"id": w.name}
		if w.split {
			agent["tools"] = object{"toolSearch": object{"splitCalls": true}}
		}
		list = append(list, agent)
	}
	tools := object{
		"toolSearch": object{"mode": "tools", "codeIsolation": "process", "codeTimeoutMs": 60000},
	}
	c := object{
		"mcp": object{"servers": object{"yard": garden, "pit": hole, "quay": fake(t, "quay")}}, "tools": tools,
		"plugins": object{"load": object{"paths": []string{s.pier(t)}}},
		"agents":  object{"list": list}, "gateway": object{"token": staticToken},
	}
	if refusing {
		tools["deny"] = append([]string{"mcp:yard:forbidden", "plugin:pier:moored"}, denied...)
		tools["approvals"] = []object{
			{"match": "mcp:yard:asked", "timeoutMs": 60000},
			{"match": "mcp:yard:ignored", "timeoutMs": 1000},
		}
		c["hooks"] = s.hooks()
	}
	return c
}

// hooks are those of the tools that hooks refuse.
func (s *site) hooks() object {
	hold := fmt.Sprintf(`echo in >> '%s'; while [ ! -e '%s' ]; do sleep 0.05; done`, s.entered, s.release)
	all := object{
		"pump":    shellHook("before_tool_call", "echo the pump is off >&2; exit 2"),
		"crash":   shellHook("before_tool_call", "exit 3"),
		"slow":    shellHook("before_tool_call", "sleep 30"),
		"desk":    object{"event": "before_tool_call", "url": s.hook},
		"rewrite": shellHook("before_tool_call", `echo '{"args": {"mark": 7}}'`),
		"hold0":   shellHook("before_tool_call", hold),
		"hold1":   shellHook("before_tool_call", hold),
	}
	for name, tool := range map[string]string{"pump": "pumped", "crash": "crashed", "slow": "slowed", "desk": "desked", "rewrite": "rewritten", "hold0": "midway0", "hold1": "midway1"} {
		all[name].(object)["match"] = []string{"mcp:yard:" + tool}
	}
	all["mooring"] = shellHook("before_tool_call", "echo the berth is taken >&2; exit 2")
	all["mooring"].(object)["match"] = []string{"plugin:pier:berthed"}
	all["slow"].(object)["timeoutMs"] = 100
	all["hold0"].(object)["timeoutMs"], all["hold1"].(object)["timeoutMs"] = 60000, 60000
	return all
}

// yardTools are the tools of the yard: those of the refusals, and the one that nothing refuses.
var yardTools = []string{"fine", "forbidden", "pumped", "crashed", "slowed", "desked", "asked", "ignored", "strict", "rewritten", "midway0", "midway1", "withdrawn"}

// runs are the lines of the calls of a tool that ran.
func (s *site) runs(t testing.TB, x target) (lines []string) {
	t.Helper()
	data, err := os.ReadFile(s.ran)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		if name, _, _ := strings.Cut(string(line), " "); name == x.name {
			lines = append(lines, string(line))
		}
	}
	return lines
}

// eventLine is an event of a record.
type eventLine struct {
	Kind, Tool, Outcome, Failure, Reason, Rule string
}

// records are the events of all sessions of a way, by the name of its client or agent.
func (s *site) records(t testing.TB, w way) (events []eventLine) {
	t.Helper()
	h := s.main
	if w.place == alone {
		h = s.other
	}
	list := answer[struct {
		Sessions []struct{ ID, Client, Agent string }
	}](h, "sessions", "list", "--limit", "1000")
	for _, x := range list.Sessions {
		if x.Client != w.name && x.Agent != w.name {
			continue
		}
		events = append(events, answer[struct{ Events []eventLine }](h, "sessions", "show", x.ID).Events...)
	}
	return events
}

// deny is the operator who says no to everything that waits for a tool, until done.
func (s *site) deny(t testing.TB, x target, done <-chan struct{}) {
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	admin := s.running.admin()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		_, body, err := s.running.control("GET", "/api/approvals", "", "")
		if err != nil {
			t.Error(err)
			return
		}
		var waiting struct{ Approvals []approvalLine }
		if err := json.Unmarshal([]byte(body), &waiting); err != nil {
			t.Error(err)
			return
		}
		for _, q := range waiting.Approvals {
			if q.Tool == x.id() {
				if _, _, err := s.running.control("POST", "/api/approvals/"+q.ID, admin, `{"decision":"deny"}`); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
