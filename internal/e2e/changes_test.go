package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// eras are the protocol versions that clients of either era speak.
var eras = map[string]string{"legacy": "2025-11-25", "modern": "2026-07-28"}

// sdkClient connects a client of the official kit.
func sdkClient(t testing.TB, transport mcp.Transport, version string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "kit", Version: "1"}, o)
	session, err := c.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// callText calls a visible tool and returns the first text of its answer.
func callText(ctx context.Context, c *mcp.ClientSession, name string, args any) (string, error) {
	r, err := c.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return "", err
	}
	if len(r.Content) == 0 {
		return "", fmt.Errorf("%s answered nothing", name)
	}
	text, ok := r.Content[0].(*mcp.TextContent)
	if !ok || r.IsError {
		data, _ := json.Marshal(r)
		return "", fmt.Errorf("%s failed: %s", name, data)
	}
	return text.Text, nil
}

// searchText is the description of tool_search, which says what there is to find.
func searchText(t testing.TB, c *mcp.ClientSession) string {
	t.Helper()
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == "tool_search" })
	if i < 0 {
		t.Fatalf("tool_search is not in the list of %d tools", len(list.Tools))
	}
	return list.Tools[i].Description
}

// TestListChangedReachesTheClient: a server gets another tool; the client
// behind the program is told, is shown another count, and finds the tool.
func TestListChangedReachesTheClient(t *testing.T) {
	t.Parallel()
	for era, version := range eras {
		t.Run(era, func(t *testing.T) {
			h := newHome(t, servers(object{"garden": fake(t, "grows")}))
			changed := make(chan struct{}, 100)
			cmd := exec.Command(binary, "mcp", "--config", h.config)
			cmd.Env = h.environ()
			c := sdkClient(t, &mcp.CommandTransport{Command: cmd, TerminateDuration: time.Minute}, version, &mcp.ClientOptions{
				ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
			})
			count := func(n int) func() bool {
				return func() bool { return strings.Contains(searchText(t, c), fmt.Sprintf("garden %d", n)) }
			}
			eventually(t, "tool_search says that garden has one tool", count(1))
			for len(changed) > 0 { // what was said before the server was there
				<-changed
			}
			if _, err := callText(t.Context(), c, "tool_call", object{"id": "mcp:garden:grow_0", "args": object{}}); err != nil {
				t.Fatal(err)
			}
			select {
			case <-changed:
			case <-time.After(patience):
				t.Fatal("no notifications/tools/list_changed arrived")
			}
			eventually(t, "tool_search says that garden has two tools", count(2))
			text, err := callText(t.Context(), c, "tool_search", object{"query": "grow pumpkins"})
			if err != nil || !strings.Contains(text, "mcp:garden:grow_1") {
				t.Errorf("the new tool isn't found: %s %v", text, err)
			}
			if err := c.Close(); err != nil {
				t.Errorf("the program ended with %v", err)
			}
			nobodyLeft(t, h.dir)
		})
	}
}

// TestManyClientsAtOnce: ten clients of both eras call the same servers at the
// same time. Each gets its own answers, and no server is started twice.
func TestManyClientsAtOnce(t *testing.T) {
	t.Parallel()
	npmDir := npmFolder(t)
	h := newHome(t, servers(object{
		"everything": npm(npmDir, "mcp-server-everything", "stdio"),
		"balcony":    fake(t, "good"),
	}))
	g := h.serve()
	g.ready("everything", "balcony")
	before := h.servers()
	var wg sync.WaitGroup
	for i := range 10 {
		version := eras[[]string{"legacy", "modern"}[i%2]]
		transport := &mcp.StreamableClientTransport{Endpoint: g.url, HTTPClient: &http.Client{}, MaxRetries: -1}
		c := sdkClient(t, transport, version, nil)
		wg.Go(func() {
			if err := tenCalls(t.Context(), c, i); err != nil {
				t.Errorf("client %d (%s): %v", i, version, err)
			}
		})
	}
	wg.Wait()
	after := h.servers()
	for name, program := range map[string]string{"everything": "mcp-server-everything", "balcony": "fake-good"} {
		if n := children(t, h.dir, program); len(n) != 1 {
			t.Errorf("server %s has %d processes, want 1: %v", name, len(n), n)
		}
		if before[name].PID != after[name].PID || after[name].Restarts != 0 {
			t.Errorf("server %s was started again: %+v, then %+v", name, before[name], after[name])
		}
	}
}

// tenCalls calls two servers and searches, as one client among several.
func tenCalls(ctx context.Context, c *mcp.ClientSession, client int) error {
	for n := range 10 {
		words := fmt.Sprintf("client %d call %d", client, n)
		text, err := callText(ctx, c, "tool_call", object{"id": "mcp:everything:echo", "args": object{"message": words}})
		if err != nil {
			return err
		}
		if !strings.Contains(text, `"Echo: `+words+`"`) {
			return fmt.Errorf("echo of %q answered %s", words, text)
		}
		text, err = callText(ctx, c, "tool_call", object{"id": "mcp:balcony:water_plants", "args": object{"litres": 1000*client + n}})
		if err != nil {
			return err
		}
		if !strings.Contains(text, fmt.Sprintf(`{\"litres\":%d}`, 1000*client+n)) {
			return fmt.Errorf("call %d of water_plants answered %s", n, text)
		}
		if text, err = callText(ctx, c, "tool_search", object{"query": "water the plants"}); err != nil || !strings.Contains(text, "mcp:balcony:water_plants") {
			return fmt.Errorf("search answered %s %w", text, err)
		}
	}
	return nil
}
