package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sessionRecord is what `sessions show --json` tells.
type sessionRecord struct {
	Session struct {
		ID, Client, Door, Mode           string
		Searches, Calls, Failed, Refused int
	}
	Shown *struct {
		Mode                        string
		Schemas, Bytes, DirectBytes int
		Catalog                     map[string]int
	}
	Found []string
	Final *struct{ Tool, Source, Outcome string }

	Events []struct {
		Kind, Tool, Query, Outcome, Failure, Reason, Rule string
		Args                                              json.RawMessage
	}
}

// records are the sessions of a door, the oldest first.
func (h *home) records(door string) []sessionRecord {
	h.t.Helper()
	list := answer[struct{ Sessions []struct{ ID, Door string } }](h, "sessions", "list", "--limit", "1000")
	var all []sessionRecord
	for _, s := range slices.Backward(list.Sessions) {
		if s.Door == door {
			all = append(all, answer[sessionRecord](h, "sessions", "show", s.ID))
		}
	}
	return all
}

// kinds is each event's kind with its outcome.
func (r sessionRecord) kinds() (all []string) {
	for _, e := range r.Events {
		all = append(all, strings.TrimSpace(e.Kind+" "+e.Outcome))
	}
	return all
}

// secretsOfSessions are typed into queries and arguments by the tests below, and
// one stands in the configuration.
var secretsOfSessions = []string{"c0nfigured-t0ken", "hunter2xyz", "abcdefghij0123456789", "QUJDREVGR0hJSktMTU5P"}

// recordingHome has a server that is allowed and one that is not.
func recordingHome(t *testing.T, more object) *home {
	config := servers(object{"good": fake(t, "good"), "other": fake(t, "good")})
	config["mcp"].(object)["servers"].(object)["good"].(object)["env"].(object)["API_TOKEN"] = "c0nfigured-t0ken"
	config["tools"].(object)["deny"] = []string{"mcp:other:*"}
	maps.Copy(config, more)
	return newHome(t, config)
}

// search, call and be refused, with secrets everywhere.
func useAndBeRefused(t *testing.T, p *stdioPeer) {
	t.Helper()
	p.call(`{"name":"tool_search","arguments":{"query":"water plants password=hunter2xyz c0nfigured-t0ken"}}`)
	if r := p.use("mcp:good:water_plants", `{"litres":3,"api_key":"abcdefghij0123456789","note":"Bearer QUJDREVGR0hJSktMTU5P","also":"c0nfigured-t0ken"}`); r.IsError {
		t.Errorf("the call failed: %s", r.text())
	}
	if r := p.use("mcp:other:water_plants", `{"litres":3,"password":"hunter2xyz"}`); !r.IsError {
		t.Errorf("a denied tool ran: %s", r.text())
	}
}

// checkRecord sees that the record answers what is asked of a session.
func checkRecord(t *testing.T, r sessionRecord) {
	t.Helper()
	want := []string{"session.start", "search ok", "call.started", "call ok", "call refused"}
	if got := r.kinds(); !slices.Equal(got[:min(len(got), len(want))], want) {
		t.Fatalf("the events are %q, want %q", got, want)
	}
	s := r.Session
	if s.Door != "mcp" || s.Mode != "tools" || s.Searches != 1 || s.Calls != 2 || s.Refused != 1 || s.Failed != 0 || s.Client == "" {
		t.Errorf("%+v", s)
	}
	if r.Shown == nil || r.Shown.Schemas != 3 || r.Shown.Bytes < 1000 || r.Shown.DirectBytes < 100 || r.Shown.Catalog["mcp"] != 1 {
		t.Errorf("shown up front: %+v", r.Shown)
	}
	if r.Final == nil || r.Final.Tool != "mcp:good:water_plants" || r.Final.Source != "mcp" || r.Final.Outcome != "ok" {
		t.Errorf("the final call: %+v", r.Final)
	}
	if !slices.Contains(r.Found, "mcp:good:water_plants") {
		t.Errorf("found: %v", r.Found)
	}
	if args := string(r.Events[2].Args); !strings.Contains(args, `"litres"`) || strings.Count(args, "[redacted]") != 3 {
		t.Errorf("the arguments: %s", args)
	}
	if no := r.Events[4]; no.Failure != "not_found" || !strings.Contains(no.Rule, "mcp:other:*") || !strings.Contains(no.Reason, "mcp:other:water_plants") {
		t.Errorf("the refusal: %+v", no)
	}
}

// noSecretsKept looks at the bytes of every file of the state folder.
func (h *home) noSecretsKept() {
	h.t.Helper()
	looked := 0
	err := filepath.WalkDir(filepath.Join(h.dir, "s"), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		looked++
		for _, secret := range secretsOfSessions {
			if strings.Contains(string(data), secret) {
				h.t.Errorf("%q stands in %s", secret, path)
			}
		}
		return nil
	})
	if err != nil || looked == 0 {
		h.t.Errorf("looked at %d files: %v", looked, err)
	}
}

// TestSessionsOfMCP: what a client of `toolcrib mcp` does, without a gateway that
// runs, can be read when it has ended.
func TestSessionsOfMCP(t *testing.T) {
	t.Parallel()
	h := recordingHome(t, nil)
	p := h.hello("--attach=never")
	useAndBeRefused(t, p)
	p.hangUp()
	all := h.records("mcp")
	if len(all) != 1 {
		t.Fatalf("%d sessions", len(all))
	}
	checkRecord(t, all[0])
	if got := all[0].kinds(); got[len(got)-1] != "session.end" {
		t.Errorf("its end is missing: %q", got)
	}
	mentions(t, h.ok("sessions", "list"), "SESSION", "2 (1 refused)")
	mentions(t, h.ok("sessions", "show", all[0].Session.ID), "mode tools, 3 schemas", "final", "mcp:good:water_plants", "refused")
	h.fails(4, []string{"no record of a session"}, "sessions", "show", "nobody")
	h.noSecretsKept()
	checkAnswers(t, h, all[0].Session.ID)
}

// checkAnswers sees that the record answers the four questions, and can be taken
// away and summed up.
func checkAnswers(t *testing.T, h *home, id string) {
	t.Helper()
	mentions(t, h.ok("sessions", "explain", id), "3 schemas in mode tools", "1 search, 0 descriptions", "mcp:good:water_plants: ok", "mcp")
	h.fails(4, []string{"no record of a session"}, "sessions", "explain", "nobody")
	lines := strings.Split(strings.TrimSpace(h.ok("sessions", "export", id)), "\n")
	var last struct{ Session, Agent, Kind string }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.Session != id || last.Agent != "main" || last.Kind != "session.end" {
		t.Errorf("the last line of %d is %+v, %v", len(lines), last, err)
	}
	if whole := h.ok("sessions", "export"); !strings.Contains(whole, lines[0]) {
		t.Errorf("the whole record lacks %s", lines[0])
	}
	total := answer[struct {
		Agents []struct {
			Agent                                     string
			Sessions, Searches, Calls, Refused, Lists int
			Bytes, DirectBytes, SavedTokens           int
		}
	}](h, "telemetry")
	if len(total.Agents) != 1 || total.Agents[0].Agent != "main" {
		t.Fatalf("%+v", total)
	}
	if a := total.Agents[0]; a.Searches != 1 || a.Calls != 2 || a.Refused != 1 || a.Lists != 1 || a.Bytes < 1000 || a.SavedTokens != (a.DirectBytes-a.Bytes)/4 {
		t.Errorf("%+v", a)
	}
	mentions(t, h.ok("telemetry", "--days", "1"), "2 (1 refused)", "4 bytes a token")
}

// TestSessionsOfServe: the same at a gateway that runs, beside a command and a
// client that work through it.
func TestSessionsOfServe(t *testing.T) {
	t.Parallel()
	h := recordingHome(t, nil)
	g := h.serve()
	g.ready("good")
	p := h.hello()
	useAndBeRefused(t, p)
	h.search("water the plants, token=hunter2xyz")
	p.hangUp()
	all := h.records("mcp")
	if len(all) != 1 {
		t.Fatalf("%d sessions", len(all))
	}
	checkRecord(t, all[0])
	byCommand := h.records("cli")
	if len(byCommand) != 1 || byCommand[0].Session.Searches != 1 || !strings.Contains(byCommand[0].Events[1].Query, "water the plants") {
		t.Errorf("the command's: %+v", byCommand)
	}
	h.noSecretsKept()
	_, counters := g.api("GET", "/metrics", "", h.adminSecret())
	mentions(t, counters, `toolcrib_calls_total{agent="main",source="mcp",outcome="ok"} 1`, `toolcrib_sessions_total{agent="main",door="mcp"} 1`,
		`toolcrib_servers{state="ready"} 2`)
	g.end()
	h.noSecretsKept()
}

// TestStoreThatIsBroken: serve starts all the same, searches work, calls are
// refused with the reason, and status and doctor say what it is.
func TestStoreThatIsBroken(t *testing.T) {
	t.Parallel()
	h := recordingHome(t, nil)
	folder := filepath.Join(h.dir, "s", "toolcrib")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(folder, "toolcrib.db")
	if err := os.WriteFile(broken, []byte(strings.Repeat("not a database ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	g := h.serveUnwatched()
	g.ready("good")
	h.finds("water plants", "mcp:good:water_plants")
	o := h.fails(6, []string{"it did not run: the audit record can't be written"}, "tools", "call", "mcp:good:water_plants", "litres=3")
	if o.stdout != "" {
		t.Errorf("the call answered %s", o.stdout)
	}
	status := h.run("status")
	mentions(t, status.stderr+status.stdout, broken, "is no database, or a broken one")
	mentions(t, h.run("doctor").stdout, "can't record sessions", "is no database, or a broken one")
	mentions(t, g.log.String(), "the store can't be opened")
	g.end()
	mentions(t, h.run("doctor").stdout, "sessions can't be recorded", "is no database, or a broken one")
	if data, err := os.ReadFile(broken); err != nil || !strings.HasPrefix(string(data), "not a database") {
		t.Errorf("the file was touched: %v", err)
	}
}

// TestStoreInMemory keeps nothing on disk.
func TestStoreInMemory(t *testing.T) {
	t.Parallel()
	h := recordingHome(t, object{"store": object{"url": "memory:"}})
	g := h.serve()
	g.ready("good")
	p := h.hello()
	useAndBeRefused(t, p)
	p.hangUp()
	if all := h.records("mcp"); len(all) != 1 {
		t.Errorf("%d sessions", len(all))
	}
	if files, _ := filepath.Glob(filepath.Join(h.dir, "s", "toolcrib", "toolcrib.db*")); len(files) > 0 {
		t.Errorf("there is %v", files)
	}
}

// TestManyProcessesRecord: commands and clients of one user, none of them through
// a gateway that runs, write one database at once.
func TestManyProcessesRecord(t *testing.T) {
	t.Parallel()
	h := recordingHome(t, nil)
	const clients, each = 3, 20
	var all []*stdioPeer
	for range clients {
		all = append(all, h.hello("--attach=never"))
	}
	for range each {
		for _, p := range all {
			if r := p.use("mcp:good:water_plants", `{"litres":1}`); r.IsError {
				t.Fatalf("%s", r.text())
			}
		}
	}
	for _, p := range all {
		p.hangUp()
	}
	records := h.records("mcp")
	if len(records) != clients {
		t.Fatalf("%d sessions", len(records))
	}
	for i, r := range records {
		if r.Session.Calls != each || r.Session.Failed+r.Session.Refused > 0 {
			t.Errorf("session %d: %s", i, fmt.Sprintf("%+v", r.Session))
		}
	}
}
