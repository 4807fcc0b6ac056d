package e2e

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestHotReload: a saved file takes effect in a running gateway. Servers that
// didn't change keep their processes, calls in flight on them go on, and clients
// that are connected are told.
func TestHotReload(t *testing.T) {
	t.Parallel()
	kept, slow, leaving := fake(t, "good"), fake(t, "slow"), fake(t, "hangs")
	h := newHome(t, servers(object{"kept": kept, "slow": slow, "leaving": leaving}))
	g := h.serve()
	g.ready("kept", "slow", "leaving")
	before := h.servers()

	changed := make(chan struct{}, 100)
	c := sdkClient(t, &mcp.StreamableClientTransport{Endpoint: g.url, HTTPClient: &http.Client{}, MaxRetries: -1}, eras["legacy"], &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	mentions(t, searchText(t, c), "kept 1", "leaving 1")
	inFlight := make(chan string, 1)
	go func() {
		text, err := callText(t.Context(), c, "tool_call", object{"id": "mcp:slow:water_plants", "args": object{"litres": 1}})
		if err != nil {
			text = err.Error()
		}
		inFlight <- text
	}()

	renamed := maps.Clone(kept)
	renamed["args"] = []string{"fake-good", "second"}
	h.write(servers(object{"kept": kept, "slow": slow, "arriving": renamed}))
	select {
	case <-changed:
	case <-time.After(patience):
		t.Fatalf("the client was not told that the tools have changed\n%s", g.log)
	}
	g.ready("arriving")
	after := h.servers()
	if names := slices.Sorted(maps.Keys(after)); !slices.Equal(names, []string{"arriving", "kept", "slow"}) {
		t.Errorf("servers after the change: %v", names)
	}
	for _, name := range []string{"kept", "slow"} {
		if after[name].PID != before[name].PID || after[name].Restarts != 0 {
			t.Errorf("server %s was started again: %+v, then %+v", name, before[name], after[name])
		}
	}
	if text := <-inFlight; !strings.Contains(text, `water_plants {\"litres\":1}`) {
		t.Errorf("the call in flight answered %s", text)
	}
	eventually(t, "the client's search control names the new servers", func() bool {
		text := searchText(t, c)
		return strings.Contains(text, "arriving 1") && !strings.Contains(text, "leaving")
	})
	eventually(t, "the server that was taken out has ended", func() bool { return len(children(t, h.dir, "fake-hangs")) == 0 })
}

// TestBrokenFileChangesNothing: a file that can't be used leaves the former
// configuration in force, and the log, `status` and the other commands say why,
// with line and column. The next good one takes effect.
func TestBrokenFileChangesNothing(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"good": fake(t, "good")}))
	g := h.serve()
	g.ready("good")
	pid := h.servers()["good"].PID
	h.write("{\n  // saved too early\n  mcp: {servers: {good: {comand: \"x\"}}}\n}")
	where := h.config + ":3:26"
	eventually(t, "the log says what is wrong and where", func() bool {
		return strings.Contains(g.log.String(), where)
	})
	mentions(t, h.run("status").stderr, where, "configuration of before")
	o := h.run("tools", "call", "mcp:good:water_plants", "litres=3")
	mentions(t, o.stdout, `water_plants {"litres":3}`)
	mentions(t, o.stderr, h.config+":3:")
	if got := h.servers()["good"]; got.PID != pid {
		t.Errorf("a broken file restarted the server: %+v, was process %d", got, pid)
	}
	h.write(servers(object{"good": fake(t, "good"), "second": fake(t, "good")}))
	g.ready("good", "second")
	if o := h.run("status"); strings.Contains(o.stderr, "configuration of before") {
		t.Errorf("a good file, and status still says: %s", o.stderr)
	}
}

// TestCommandsSeeTheNewFileAtOnce: a command that runs right after the file was
// saved is answered by the new configuration, though the gateway had no time to
// notice.
func TestCommandsSeeTheNewFileAtOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"good": fake(t, "good")}))
	h.serve().ready("good")
	for range 3 {
		h.write(object{"mcp": object{"servers": object{"good": fake(t, "good")}}, "tools": object{"deny": []string{"water_plants"}}})
		h.fails(4, []string{"water_plants"}, "tools", "describe", "water_plants")
		h.write(servers(object{"good": fake(t, "good")}))
		mentions(t, h.ok("tools", "describe", "water_plants"), "Water the plants")
	}
}
