package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKilledInACall: after kill -9 in the middle of a call no server is left, not
// even one that ignores signals and the end of its input, nor its child; the
// next start takes the place over at once, and remembers the tools.
func TestKilledInACall(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"good": fake(t, "good"), "thinker": fake(t, "hangs"), "mule": fake(t, "stubborn")}))
	g := h.serveUnwatched()
	g.ready("good", "thinker", "mule")
	if len(children(t, h.dir, "fake-child")) != 1 {
		t.Errorf("the stubborn server has no child: %v", processes(t, h.dir))
	}
	done := make(chan outcome, 1)
	go func() { done <- h.run("tools", "call", "mcp:thinker:ponder") }()
	h.pondering(t)
	groups := map[int]bool{}
	for _, p := range children(t, h.dir, "fake-") {
		groups[p.group] = true
		if p.group == g.pid {
			t.Errorf("the server is in the gateway's own process group: %v", p)
		}
	}
	if len(groups) != 3 {
		t.Errorf("the three servers are in %d process groups: %v", len(groups), processes(t, h.dir))
	}
	if err := g.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-g.ended
	if o := <-done; o.code != 6 || !strings.Contains(o.stderr, "broke") {
		t.Errorf("the call in flight ended with %+v, want exit code 6 and the reason", o)
	}
	nobodyLeft(t, h.dir)
	if _, err := os.Stat(g.socket); err != nil {
		t.Fatalf("the killed gateway took its socket along, and there is nothing to prove: %v", err)
	}
	// Of the thinker only what is remembered can be found: it says nothing now.
	thinker := fake(t, "hangs")
	thinker["env"] = object{fakeEnv: "silent"}
	h.write(servers(object{"good": fake(t, "good"), "thinker": thinker}))
	next := h.serve()
	h.finds("think about life", "mcp:thinker:ponder")
	if next.socket != g.socket {
		t.Errorf("the socket is %s, was %s", next.socket, g.socket)
	}
	h.finds("water plants", "mcp:good:water_plants")
	next.ready("good")
	mentions(t, h.ok("tools", "call", "mcp:good:water_plants", "litres=1"), "litres")
}

// TestKilledStdio: the same for a gateway that a client started.
func TestKilledStdio(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"thinker": fake(t, "hangs"), "mule": fake(t, "stubborn")}))
	p := h.hello()
	p.knows("think about life", "mcp:thinker:ponder")
	p.knows("carry a load", "mcp:mule:carry_load")
	p.send("tools/call", `{"name":"tool_call","arguments":{"id":"mcp:thinker:ponder"}}`)
	h.pondering(t)
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-p.ended
	nobodyLeft(t, h.dir)
	again := h.hello()
	if r := again.call(`{"name":"tool_search","arguments":{"query":"think about life"}}`); !strings.Contains(r.text(), "mcp:thinker:ponder") {
		t.Errorf("after the next start the search answered %s", r.text())
	}
	again.hangUp()
	nobodyLeft(t, h.dir)
}

// TestRememberedLists: what a server had last is searchable while it doesn't
// answer.
func TestRememberedLists(t *testing.T) {
	t.Parallel()
	good := fake(t, "good")
	h := newHome(t, servers(object{"good": good}))
	h.finds("water plants", "mcp:good:water_plants")
	// The same command, which is what lists are kept by, now starts a server
	// that says nothing.
	good["env"] = object{fakeEnv: "silent"}
	h.write(servers(object{"good": good}))
	g := h.serve()
	f := h.search("water plants")
	if len(f.Hits) == 0 || f.Hits[0].ID != "mcp:good:water_plants" {
		t.Errorf("after a restart the search found %+v", f)
	}
	if s := h.servers()["good"]; s.State != "starting" || s.Tools != 1 {
		t.Errorf("the server is %+v, want it starting with the one tool that is remembered", s)
	}
	g.end()
}

// serverLogHas reports whether any server of a home wrote a word to its stderr.
func (h *home) serverLogHas(word string) bool {
	found := false
	_ = filepath.WalkDir(filepath.Join(h.dir, "s"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			found = found || err == nil && strings.Contains(string(data), word)
		}
		return nil
	})
	return found
}
