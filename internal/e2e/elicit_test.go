package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib/internal/modelmock"
)

// formed is hello of a client whose user can be asked.
func (h *home) formed(args ...string) *stdioPeer {
	h.t.Helper()
	p := h.mcp(args...)
	p.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"by-hand","version":"1"}}`)
	p.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	p.knows("water plants", "mcp:good:water_plants")
	return p
}

const watersPlants = `{"name":"tool_call","arguments":{"id":"mcp:good:water_plants","args":{"litres":1}}}`

// TestApprovalByForm: the user of the client that made the call is asked, alone
// and beside operators; the first answer counts.
func TestApprovalByForm(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, answer string
		words        []string // of a refusal; nil when it runs
	}{
		{"accepted", `{"action":"accept","content":{"decision":"allow-once"}}`, nil},
		{"denied", `{"action":"accept","content":{"decision":"deny"}}`, []string{"the user of by-hand denied it"}},
		{"declined", `{"action":"decline"}`, []string{"the user of by-hand denied it"}},
		{"closed", `{"action":"cancel"}`, []string{"the user of by-hand denied it"}},
		{"not offered", `{"action":"accept","content":{"decision":"allow-always"}}`, []string{"does not count", "is not offered"}},
		{"garbage", `{"action":"accept","content":"yes"}`, []string{"does not count"}},
	} {
		for _, where := range []string{"never", "always"} {
			t.Run(test.name+"/attach "+where, func(t *testing.T) {
				t.Parallel()
				h := newHome(t, guarded(t, object{"title": "Water the plants?", "decisions": []string{"allow-once"}}))
				if where == "always" {
					h.serve().ready("good")
				}
				p := h.formed("--attach=" + where)
				id := fmt.Sprint(p.send("tools/call", watersPlants))
				asked := p.hear("the question", func(m message) bool { return m.Method == "elicitation/create" })
				p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, asked.ID, test.answer))
				r := p.result(id)
				if r.IsError != (test.words != nil) {
					t.Errorf("answered %+v", r)
				}
				mentions(t, r.text(), append(test.words, "")...)
				p.hangUp()
			})
		}
	}
}

// result is the answer to a call that was sent.
func (p *stdioPeer) result(id string) (r toolResult) {
	p.t.Helper()
	m := p.hear("the answer", func(m message) bool { return string(m.ID) == id && m.Method == "" })
	decode(p.t, string(m.Result), &r)
	return r
}

// TestOperatorBeforeForm: an operator who is faster than the user of the client
// closes the form there, before the result; the answer that comes then is late.
func TestOperatorBeforeForm(t *testing.T) {
	t.Parallel()
	h := newHome(t, guarded(t, object{}))
	g := h.serve()
	g.ready("good")
	p := h.formed("--attach=always")
	id := fmt.Sprint(p.send("tools/call", watersPlants))
	asked := p.hear("the question", func(m message) bool { return m.Method == "elicitation/create" })
	g.resolves(h.asked().ID, "allow-once")
	p.hear("the end of the form", func(m message) bool {
		if m.Method == "" {
			t.Errorf("answered before the form was closed: %s", m.Result)
		}
		return m.Method == "notifications/cancelled"
	})
	p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"decline"}}`, asked.ID))
	if r := p.result(id); r.IsError || !strings.Contains(r.text(), "litres") {
		t.Errorf("answered %+v", r)
	}
	if list := h.approvalHistory(); len(list) != 1 || !strings.HasPrefix(list[0].By, "an operator") {
		t.Errorf("history %+v", list)
	}
	p.hangUp()
}

// TestKitsAnswer: clients of the protocol's own kits for Node are asked, in both
// eras and over each transport.
func TestKitsAnswer(t *testing.T) {
	t.Parallel()
	npmDir := npmFolder(t)
	for _, package_ := range []string{"sdk", "client"} {
		if _, err := os.Stat(filepath.Join(npmDir, "node_modules", "@modelcontextprotocol", package_)); err != nil {
			absent(t, "@modelcontextprotocol/"+package_+" is absent: run make setup")
		}
	}
	for _, kit := range []struct{ name, era string }{{"sdk", "legacy"}, {"client", "legacy"}, {"client", "modern"}} {
		t.Run(kit.name+" "+kit.era, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, guarded(t, object{"title": "Water the plants?"}))
			g := h.serve()
			g.ready("good")
			for _, way := range []string{"http", "attach", "alone"} {
				target := []string{g.url}
				if way != "http" {
					attach := map[string]string{"attach": "always", "alone": "never"}[way]
					target = []string{binary, "mcp", "--config", h.config, "--attach=" + attach}
				}
				for _, answer := range [][2]string{{"accept", "allow-once"}, {"accept", "deny"}, {"decline", ""}, {"cancel", ""}} {
					asked, r := h.kit(npmDir, kit.name, kit.era, answer, target)
					if len(asked) != 1 || !strings.HasPrefix(asked[0], "Water the plants?\n\n") || !strings.HasSuffix(asked[0], `Arguments: {"litres":2}`) {
						t.Errorf("%s, %v: asked %q", way, answer, asked)
					}
					if r.IsError != (answer[1] != "allow-once") {
						t.Errorf("%s, %v: answered %+v", way, answer, r)
					}
				}
			}
		})
	}
}

// kit runs the client of a kit, and returns what it was asked and the result.
func (h *home) kit(npmDir, kit, era string, answer [2]string, target []string) (asked []string, r toolResult) {
	h.t.Helper()
	script, err := filepath.Abs(filepath.Join("testdata", "elicit.mjs"))
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(h.t.Context(), 2*patience)
	defer cancel()
	args := append([]string{script, npmDir, kit, era, answer[0], answer[1], "mcp:good:water_plants"}, target...)
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Env = h.environ()
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		stderr := ""
		if exit, ok := err.(*exec.ExitError); ok {
			stderr = string(exit.Stderr)
		}
		h.t.Fatalf("kit %s %s %v: %v\n%s%s", kit, era, answer, err, out, stderr)
	}
	for line := range strings.Lines(string(out)) {
		var m struct {
			Asked  *struct{ Message string }
			Result json.RawMessage
		}
		decode(h.t, line, &m)
		if m.Asked != nil {
			asked = append(asked, m.Asked.Message)
		} else {
			decode(h.t, string(m.Result), &r)
		}
	}
	return asked, r
}

// TestClaudeCodeAnswers: Claude Code shows the form to its user, or to the hook
// that its user has set up for forms, and takes it for dismissed where it has
// neither.
func TestClaudeCodeAnswers(t *testing.T) {
	t.Parallel()
	folder := clientsFolder(t)
	c := realClients[0]
	for _, test := range []struct {
		name, hook string // hook is what it answers; "" for none
		words      []string
	}{
		{"accepted", `{"action":"accept","content":{"decision":"allow-once"}}`, []string{"litres"}},
		{"declined", `{"action":"decline"}`, []string{"blocked", "denied it"}},
		{"nobody there", "", []string{"blocked", "denied it"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t, c, folder, guarded(t, object{"title": "Water the plants?"}))
			d.serve().ready("good") // a program that has to wait for its servers goes on without them
			d.configure(nil)
			if test.hook != "" {
				answer := fmt.Sprintf(`{"hookSpecificOutput":{"hookEventName":"Elicitation",%s`, strings.TrimPrefix(test.hook, "{"))
				path := filepath.Join(d.dir, "answer.json")
				if err := os.WriteFile(path, []byte(answer+"}"), 0o600); err != nil {
					t.Fatal(err)
				}
				settings := object{"hooks": object{"Elicitation": []object{{"hooks": []object{{"type": "command", "command": "cat " + path}}}}}}
				if err := os.MkdirAll(filepath.Join(d.dir, ".claude"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(d.dir, ".claude", "settings.json"), []byte(asJSON(settings)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			d.ok("connect", c.name)
			r := d.run("", modelmock.Steps(
				modelmock.Use("mcp__toolcrib__tool_call", `{"id":"mcp:good:water_plants","args":{"litres":2}}`), modelmock.Text("Done.")))
			results := r.prompts[len(r.prompts)-1].Results
			if len(results) != 1 {
				t.Fatalf("%d results:\n%s", len(results), r.output)
			}
			mentions(t, results[0].Text, test.words...)
		})
	}
}

// later is a request of the stateless era from a client whose user can be asked.
func later(params string) string {
	return params[:len(params)-1] + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"by-hand","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}`
}

// stateOf calls, and returns the id under which the call waits.
func (p *stdioPeer) stateOf() string {
	p.t.Helper()
	var r struct{ ResultType, RequestState string }
	decode(p.t, string(p.ask("tools/call", later(watersPlants)).Result), &r)
	if r.ResultType != "input_required" || r.RequestState == "" {
		p.t.Fatalf("not asked: %+v", r)
	}
	return r.RequestState
}

// retried is the call again, with an answer.
func retried(state, answer string) string {
	return later(fmt.Sprintf(`%s,"requestState":%q,"inputResponses":{"approval-1":%s}}`, watersPlants[:len(watersPlants)-1], state, answer))
}

// TestHeldCalls: in the stateless era an operator's answer counts while the client
// asks its user, an answer is good for one call, and a gateway that was killed has
// forgotten the call, which then was denied.
func TestHeldCalls(t *testing.T) {
	t.Parallel()
	const allow = `{"action":"accept","content":{"decision":"allow-once"}}`
	h := newHome(t, guarded(t, object{}))
	g := h.serveUnwatched()
	g.ready("good")
	p := h.mcp("--attach=always")
	call := func(params string) (r toolResult) {
		t.Helper()
		decode(t, string(p.ask("tools/call", params).Result), &r)
		return r
	}

	state := p.stateOf()
	g.resolves(h.asked().ID, "allow-once")
	if r := call(retried(state, `{"action":"decline"}`)); r.IsError || !strings.Contains(r.text(), "litres") {
		t.Errorf("an operator said yes: %+v", r)
	}
	if r := call(retried(state, allow)); !r.IsError || !strings.Contains(r.text(), "nothing waits for these answers") {
		t.Errorf("the same id again: %+v", r)
	}
	if r := call(retried(p.stateOf(), allow)); r.IsError {
		t.Errorf("the user said yes: %+v", r)
	}

	state = p.stateOf()
	_ = g.cmd.Process.Kill()
	<-g.ended
	g = h.serve()
	g.ready("good")
	if r := call(retried(state, allow)); !r.IsError || !strings.Contains(r.text(), "nothing waits for these answers") {
		t.Errorf("after a kill: %+v", r)
	}
	eventually(t, "the question is denied", func() bool {
		list := h.approvalHistory()
		return len(list) == 3 && list[0].Decision == "deny" && strings.Contains(list[0].Reason, "restarted")
	})
	p.hangUp()
}
