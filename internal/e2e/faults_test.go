package e2e

import (
	"slices"
	"strings"
	"testing"
)

// TestMisspeltKey: the message names the key, the place and the likely key, and
// every command that needs the configuration says so.
func TestMisspeltKey(t *testing.T) {
	t.Parallel()
	h := newHome(t, "{\n  // tools of the house\n  tools: {\n    toolSearch: { mode: 'tools', searchDefaultLimits: 5 },\n  },\n}\n")
	words := []string{"searchDefaultLimits", h.config + ":4:", `did you mean "searchDefaultLimit"?`}
	for _, args := range [][]string{{"serve"}, {"mcp"}, {"config", "validate"}, {"tools", "list"}, {"servers", "list"}} {
		o := h.fails(3, words, args...)
		if o.stdout != "" {
			t.Errorf("toolcrib %v printed on stdout: %s", args, o.stdout)
		}
	}
}

// Not one server's fault may cost another server anything.
func (h *home) goodServerWorks(p *stdioPeer) {
	h.t.Helper()
	if r := p.use("mcp:good:water_plants", `{"litres":2}`); r.IsError || envelopeText(h.t, r.text()) != `water_plants {"litres":2}` {
		h.t.Errorf("the good server answered %+v", r)
	}
}

// beside is a home with a good server and a faulty one.
func beside(t *testing.T, name, kind string) *home {
	t.Helper()
	return newHome(t, servers(object{"good": fake(t, "good"), name: fake(t, kind)}))
}

// knows waits until both servers said what they have.
func (p *stdioPeer) knows(query string, ids ...string) {
	p.t.Helper()
	p.until("a search for "+query+" finds "+strings.Join(ids, " and "), `{"name":"tool_search","arguments":{"query":"`+query+`"}}`, func(r toolResult) bool {
		return !slices.ContainsFunc(ids, func(id string) bool { return !strings.Contains(r.text(), `"`+id+`"`) })
	})
}

// TestGarbageOnStdout: what isn't protocol is passed over, and the server works.
func TestGarbageOnStdout(t *testing.T) {
	t.Parallel()
	h := beside(t, "parrot", "garbage")
	p := h.hello()
	p.knows("feed parrot", "mcp:parrot:chatty")
	if r := p.use("mcp:parrot:chatty", `{}`); r.IsError || !strings.Contains(r.text(), "chatty {}") {
		t.Errorf("the server that prints garbage answered %+v", r)
	}
	h.goodServerWorks(p)
	p.hangUp()
	nobodyLeft(t, h.dir)
}

// TestNothingButGarbage: a program that is no MCP server is named, with what it
// said last, where its tools would have been.
func TestNothingButGarbage(t *testing.T) {
	t.Parallel()
	h := beside(t, "website", "only-garbage")
	g := h.serve()
	g.ready("good")
	var s serverLine
	eventually(t, "the server that is none is down", func() bool {
		s = h.servers()["website"]
		return s.Reason != "" && s.State != "ready"
	})
	mentions(t, s.Reason, "exited with code 1", "started the web site by mistake")
	mentions(t, h.ok("servers", "logs", "website"), "not a server")
	f := h.search("water the plants")
	if !slices.Contains(f.ids(), "mcp:good:water_plants") {
		t.Errorf("the good server's tool isn't found: %v", f.ids())
	}
	if len(f.Unavailable) != 1 || f.Unavailable[0].Server != "website" || f.Unavailable[0].Reason == "" {
		t.Errorf("unavailable = %+v, want the web site with a reason", f.Unavailable)
	}
}

// TestCommandThatIsNotThere is named, with what to install where that is known.
func TestCommandThatIsNotThere(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"good": fake(t, "good"), "ghost": object{"command": "toolcrib-no-such-program"}}))
	g := h.serve()
	g.ready("good")
	eventually(t, "the absent command is given up", func() bool { return h.servers()["ghost"].State == "down" })
	f := h.search("water the plants")
	if len(f.Unavailable) != 1 || f.Unavailable[0].Server != "ghost" {
		t.Fatalf("unavailable = %+v, want the ghost", f.Unavailable)
	}
	mentions(t, f.Unavailable[0].Reason, "toolcrib-no-such-program", "not found", "mcp.servers.ghost.command")
	h.fails(6, []string{"ghost", "toolcrib-no-such-program"}, "tools", "call", "mcp:ghost:boo")
}

// TestServerThatNeverAnswers delays nobody, is named while it is waited for, and
// is given up with the reason.
func TestServerThatNeverAnswers(t *testing.T) {
	t.Parallel()
	h := beside(t, "mute", "silent")
	p := h.hello()
	p.knows("water plants", "mcp:good:water_plants")
	h.goodServerWorks(p)
	const search = `{"name":"tool_search","arguments":{"query":"water"}}`
	named := func(reason string) func(toolResult) bool {
		return func(r toolResult) bool {
			var f found
			decode(t, r.text(), &f)
			return len(f.Unavailable) == 1 && f.Unavailable[0].Server == "mute" && strings.Contains(f.Unavailable[0].Reason, reason)
		}
	}
	if r := p.call(search); !named("starting")(r) {
		t.Errorf("while it starts the search answered %s", r.text())
	}
	if !testing.Short() { // a server may take a minute to start
		p.until("the silent server is given up", search, named("`initialize` was not answered"))
		h.goodServerWorks(p)
	}
	p.hangUp()
	nobodyLeft(t, h.dir)
}

// TestServerThatDiesInACall: the caller learns that the server died and what it
// said, others go on, and the server is started again.
func TestServerThatDiesInACall(t *testing.T) {
	t.Parallel()
	h := beside(t, "bridge", "dies")
	g := h.serve()
	g.ready("good", "bridge")
	pid := h.servers()["bridge"].PID
	h.fails(6, []string{`"bridge" died`, "out of cheese", "before repeating"}, "tools", "call", "mcp:bridge:detonate")
	mentions(t, h.ok("tools", "call", "mcp:good:water_plants", "litres=2"), `water_plants {"litres":2}`)
	mentions(t, h.ok("servers", "logs", "bridge"), "out of cheese")
	g.ready("bridge")
	if s := h.servers()["bridge"]; s.PID == pid || s.Restarts != 1 {
		t.Errorf("the server is %+v, want it started again once; it was process %d", s, pid)
	}
	h.finds("blow up bridge", "mcp:bridge:detonate")
}

// TestTwentyThousandTools come over twenty pages, and each is found.
func TestTwentyThousandTools(t *testing.T) {
	t.Parallel()
	h := beside(t, "plant", "many")
	g := h.serve()
	g.ready("good", "plant")
	if got := h.servers()["plant"].Tools; got != manyCount {
		t.Errorf("the server shows %d tools, want %d: %v", got, manyCount, h.servers()["plant"].Warnings)
	}
	h.finds("open_valve_19999", "mcp:plant:open_valve_19999")
	h.finds("open valve number 12345", "mcp:plant:open_valve_12345")
	h.finds("water the plants", "mcp:good:water_plants")
	out := answer[struct{ Result toolResult }](h, "tools", "call", "mcp:plant:open_valve_00007", "turns=3")
	if got := out.Result.text(); got != `open_valve_00007 {"turns":3}` {
		t.Errorf("the call answered %q", got)
	}
	t.Logf("resident with %d tools: %d KiB", manyCount, memory(t, g.pid, "VmRSS"))
}

// TestOddTools: a text of 34 kB, schemas that go in circles or say no type, and
// entries that are no tools, beside a plain one.
func TestOddTools(t *testing.T) {
	t.Parallel()
	h := beside(t, "attic", "odd")
	p := h.hello()
	for query, id := range map[string]string{
		"knits a scarf": "mcp:attic:knit_scarf", "climb family tree": "mcp:attic:climb_tree", "chase tail": "mcp:attic:chase_tail",
		"fold paper": "mcp:attic:fold_paper", "ring bell": "mcp:attic:ring_bell",
	} {
		p.knows(query, id)
		r := p.call(`{"name":"tool_describe","arguments":{"id":"` + id + `"}}`)
		if r.IsError {
			t.Errorf("describing %s: %s", id, r.text())
		}
		if r := p.use(id, `{"colour":"red"}`); r.IsError || !strings.Contains(r.text(), `{\"colour\":\"red\"}`) {
			t.Errorf("calling %s: %.300s", id, r.text())
		}
	}
	r := p.call(`{"name":"tool_search","arguments":{"query":"knits a scarf"}}`)
	if len(r.text()) > 8000 {
		t.Errorf("an answer of search has %d characters", len(r.text()))
	}
	h.goodServerWorks(p)
	p.hangUp()
	g := h.serve()
	g.ready("attic", "good")
	attic := h.servers()["attic"]
	if attic.Tools != 5 || len(attic.Warnings) == 0 {
		t.Errorf("the server has %d tools and the warnings %q, want 5 and a word on those left out", attic.Tools, attic.Warnings)
	}
	t.Log(attic.Warnings)
	var direct []string
	for _, tool := range listedBy(t, g.url+"?mode=direct") {
		var v struct {
			Name        string
			InputSchema struct{ Type string }
		}
		decode(t, string(tool), &v)
		if v.InputSchema.Type != "object" {
			t.Errorf("%s is shown with a schema that isn't of type object: %.300s", v.Name, tool)
		}
		direct = append(direct, v.Name)
	}
	for _, name := range []string{"attic__knit_scarf", "attic__climb_tree", "attic__fold_paper", "attic__ring_bell", "good__water_plants"} {
		if !slices.Contains(direct, name) {
			t.Errorf("direct mode shows %v without %s", direct, name)
		}
	}
}

// wrongShapes are parameters of tools/call that can't be understood.
var wrongShapes = map[string]string{
	"an array":               `{"name":"tool_call","arguments":["mcp:good:water_plants",{}]}`,
	"a text":                 `{"name":"tool_call","arguments":"mcp:good:water_plants, please"}`,
	"a number":               `{"name":"tool_call","arguments":7}`,
	"true":                   `{"name":"tool_call","arguments":true}`,
	"null":                   `{"name":"tool_call","arguments":null}`,
	"none":                   `{"name":"tool_call"}`,
	"search with an array":   `{"name":"tool_search","arguments":[1,2]}`,
	"describe with a number": `{"name":"tool_describe","arguments":{"id":5}}`,
	"an unknown tool":        `{"name":"tool_sarch","arguments":{"query":"x"}}`,
	"an empty name":          `{"name":"","arguments":{}}`,
	"no name":                `{"arguments":{}}`,
	"an unknown id":          `{"name":"tool_call","arguments":{"id":"mcp:good:water_plant","args":{}}}`,
	"a limit of a half":      `{"name":"tool_search","arguments":{"query":"x","limit":0.5}}`,
	"args that are a number": `{"name":"tool_call","arguments":{"id":"mcp:good:water_plants","args":7}}`,
	"args that are an array": `{"name":"tool_call","arguments":{"id":"mcp:good:water_plants","args":[1]}}`,
}

// TestWrongArgumentShapes: whatever a model writes into tools/call is answered
// by a result that says what to do, never by an error of the protocol.
func TestWrongArgumentShapes(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"good": fake(t, "good")}))
	p := h.hello()
	p.knows("water plants", "mcp:good:water_plants")
	for name, params := range wrongShapes {
		t.Run(name, func(t *testing.T) {
			r := p.call(params)
			if !r.IsError || len(r.Content) != 1 || r.text() == "" {
				t.Errorf("%s was answered by %+v, want a failure in one text", params, r)
			}
		})
	}
	for name, params := range map[string]string{
		"nested once too often": `{"name":"tool_call","arguments":{"arguments":{"id":"mcp:good:water_plants","args":{"litres":2}}}}`,
		"nested in args":        `{"name":"tool_call","arguments":{"id":"mcp:good:water_plants","args":{"args":{"litres":2}}}}`,
		"flattened":             `{"name":"tool_call","arguments":{"id":"mcp:good:water_plants","litres":2}}`,
		"encoded twice":         `{"name":"tool_call","arguments":{"id":"mcp:good:water_plants","args":"{\"litres\":2}"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if r := p.call(params); r.IsError || envelopeText(t, r.text()) != `water_plants {"litres":2}` {
				t.Errorf("%s was answered by %+v", params, r)
			}
		})
	}
	t.Run("nothing asked", func(t *testing.T) {
		r := p.call(`{"name":"tool_search","arguments":{}}`)
		if r.IsError || !strings.Contains(r.text(), `"hits":[]`) || !strings.Contains(r.text(), "query") {
			t.Errorf("a search for nothing was answered by %+v, want no hits and a word on what to do", r)
		}
	})
	t.Run("a name that is no text", func(t *testing.T) {
		if m := p.ask("tools/call", `{"name":5,"arguments":{}}`); m.Error == nil || m.Error.Code != -32602 {
			t.Errorf("no tools/call was answered by %+v, want error -32602", m)
		}
	})
	t.Run("no JSON at all", func(t *testing.T) {
		p.say(`{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{`)
		m := p.hear("an answer to the broken line", func(m message) bool { return m.Error != nil })
		if m.Error.Code != -32700 {
			t.Errorf("a broken line is answered with %d, want -32700", m.Error.Code)
		}
	})
	h.goodServerWorks(p)
	p.hangUp()
}

// TestWrongArgumentShapesOverHTTP: the same behind the other door.
func TestWrongArgumentShapesOverHTTP(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"good": fake(t, "good")}))
	g := h.serve()
	g.ready("good")
	for name, text := range wrongShapes {
		t.Run(name, func(t *testing.T) {
			var params object
			decode(t, text, &params)
			if name, _ := params["name"].(string); name == "" {
				t.Skip("the transport itself asks for the name, in a header")
			}
			m := once(t, g.url, "tools/call", params)
			var r toolResult
			if m.Error != nil {
				t.Fatalf("%s was answered with error %d: %s", text, m.Error.Code, m.Error.Message)
			}
			decode(t, string(m.Result), &r)
			if !r.IsError || len(r.Content) != 1 || r.text() == "" {
				t.Errorf("%s was answered by %+v, want a failure in one text", text, r)
			}
		})
	}
}
