package e2e

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// cutCall calls a tool whose result is too long, and returns the call that reads on.
func cutCall(t *testing.T, c *mcp.ClientSession, secret string) (id string) {
	t.Helper()
	text, err := callText(t.Context(), c, "tool_call", object{
		"id": "mcp:good:water_plants", "args": object{"litres": 1, "note": strings.Repeat("drip ", 10_000) + secret},
	})
	if err != nil {
		t.Fatal(err)
	}
	if id = regexp.MustCompile(`r[0-9a-f]{32}`).FindString(text); id == "" || strings.Contains(text, secret) {
		t.Fatalf("the result wasn't cut: %.200q", text)
	}
	return id
}

// readOn reads the end of a kept result; "" when there is none for this client.
func readOn(t *testing.T, c *mcp.ClientSession, id string) string {
	t.Helper()
	text, err := callText(context.WithoutCancel(t.Context()), c, "tool_call", object{"id": "core:results:read", "args": object{"id": id, "offset": 50_000}})
	if err != nil && !strings.Contains(err.Error(), "no such result is kept") {
		t.Fatal(err)
	}
	return text
}

// TestResultsOutliveTheGateway: a client that comes back after a restart reads on
// in what was cut for it, and in nobody else's.
func TestResultsOutliveTheGateway(t *testing.T) {
	t.Parallel()
	for how, end := range map[string]func(*running){"killed": (*running).kill, "ended": (*running).leave} {
		t.Run(how, func(t *testing.T) {
			h := newHome(t, object{
				"tools": object{"toolSearch": object{"mode": "tools"}, "maxResultBytes": 4096}, "mcp": object{"servers": object{"good": fake(t, "good")}},
			})
			tokens := map[string]string{"modern": h.token("laptop"), "legacy": h.token("phone")}
			g := h.serveUnwatched()
			g.ready("good")
			attached := h.editor(eras["modern"], nil)
			ids := map[string]string{"attached": cutCall(t, attached, "the end for attached")}
			for era, version := range eras {
				ids[era] = cutCall(t, g.comes(tokens[era], version), "the end for "+era)
			}
			gone := g.comes(tokens["legacy"], eras["legacy"])
			ids["gone"] = cutCall(t, gone, "the end for gone")
			if err := gone.Close(); err != nil { // a session that its client ends
				t.Fatal(err)
			}
			end(g)
			next := h.serve()
			eventually(t, "the client is attached again", func() bool { return h.sessions() > 0 })
			next.ready("good")
			if info, err := os.Stat(filepath.Join(h.dir, "s", "toolcrib", "toolcrib.db")); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the store: %v, %v", info, err)
			}
			again := map[string]*mcp.ClientSession{"attached": attached}
			for era, version := range eras {
				again[era] = next.comes(tokens[era], version)
			}
			for reader, c := range again {
				for whose, id := range ids {
					got := readOn(t, c, id)
					if whose != reader && got != "" || whose == reader && !strings.Contains(got, "the end for "+whose) {
						t.Errorf("%s reads on in what was cut for %s: %.200q", reader, whose, got)
					}
				}
			}
			if got := readOn(t, next.comes(tokens["legacy"], eras["legacy"]), ids["legacy"]); got != "" {
				t.Errorf("another session of a client reads what one that lives took over: %.200q", got)
			}
			if err := attached.Close(); err != nil { // before the gateway is asked to end
				t.Error(err)
			}
		})
	}
}
