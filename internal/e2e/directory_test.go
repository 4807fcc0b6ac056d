package e2e

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// directoryConfig shows a small server and the demo in mode directory.
func directoryConfig(t *testing.T, deny ...string) object {
	return object{
		"mcp":   object{"servers": object{"balcony": fake(t, "good")}},
		"tools": object{"toolSearch": object{"mode": "directory"}, "deny": append([]string{}, deny...)},
	}
}

// TestDirectory: the names of the tools stand where the client's model sees them,
// the same bytes each time, and a call by such a name runs the tool.
func TestDirectory(t *testing.T) {
	t.Parallel()
	for _, client := range []struct {
		name, version string
		shows         bool // the server's instructions
	}{
		{"opencode", "1.18.33", true},
		{"claude-code", "2.1.332", false},
		{"some-script", "1.0", false},
	} {
		t.Run(client.name, func(t *testing.T) {
			h := newHome(t, directoryConfig(t, "delete_*"))
			g := h.serve("--demo")
			g.ready("balcony")
			open := func() (*mcp.ClientSession, string, string) {
				c := named(t, g.url, client.name, client.version)
				return c, c.InitializeResult().Instructions, searchText(t, c)
			}
			c, instructions, control := open()
			_, again, controlAgain := open()
			if instructions != again || control != controlAgain {
				t.Error("two sessions of one catalog see other bytes")
			}
			shown, other := instructions, control
			if !client.shows {
				shown, other = control, instructions
			}
			mentions(t, shown, "water_plants (balcony)")
			if strings.Contains(shown, "Water the plants on the balcony") {
				t.Error("a sentence of a server that isn't trusted stands in the directory")
			}
			if strings.Contains(other, "(balcony)") || strings.Contains(shown, "\ndelete_") {
				t.Errorf("the directory stands in both places, or lists what policy denies:\n%s\n---\n%s", instructions, control)
			}
			text, err := callText(t.Context(), c, "water_plants", object{"litres": 7})
			if err != nil || !strings.Contains(text, `water_plants {"litres":7}`) {
				t.Errorf("calling a listed tool by its name: %s, %v", text, err)
			}
			for _, name := range []string{"delete_issue", "delete_nothing"} { // denied, and not there
				if _, err := callText(t.Context(), c, name, object{}); err == nil || !strings.Contains(err.Error(), "there is no tool") {
					t.Errorf("calling %s: %v", name, err)
				}
			}
		})
	}
}

// named is a client that introduces itself by a name.
func named(t *testing.T, url, name, version string) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: name, Version: version}, nil)
	session, err := c.Connect(context.WithoutCancel(t.Context()), &mcp.StreamableClientTransport{Endpoint: url, MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// TestDirectoryChanges: a client is told when only the directory has changed.
func TestDirectoryChanges(t *testing.T) {
	t.Parallel()
	h := newHome(t, directoryConfig(t))
	g := h.serve("--demo")
	g.ready("balcony")
	changed := make(chan struct{}, 100)
	c := mcp.NewClient(&mcp.Implementation{Name: "opencode", Version: "1.18.33"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	session, err := c.Connect(context.WithoutCancel(t.Context()), &mcp.StreamableClientTransport{Endpoint: g.url, MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	searchText(t, session) // it lists
	h.write(directoryConfig(t, "water_*"))
	eventually(t, "the client is told", func() bool { return len(changed) > 0 })
	if _, err := callText(t.Context(), session, "water_plants", object{"litres": 7}); err == nil {
		t.Error("a tool that policy denies by now was run")
	}
}
