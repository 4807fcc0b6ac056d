package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connect starts the program as an MCP server on stdio and connects to it.
func connect(t *testing.T, cmd *exec.Cmd) *mcp.ClientSession {
	t.Helper()
	cmd.Stderr = t.Output()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("the program did not end well when its input did: %v", err)
		}
	})
	return session
}

func toolNames(t *testing.T, session *mcp.ClientSession) []string {
	t.Helper()
	var names []string
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	return names
}

// call calls a tool that must succeed and returns its first text.
func call(t *testing.T, session *mcp.ClientSession, name string, args map[string]any) string {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok || result.IsError {
		t.Fatalf("%s answered %+v (failed: %t)", name, result.Content[0], result.IsError)
	}
	return text.Text
}

func TestMCPShowsTheControls(t *testing.T) {
	session := connect(t, program(t, "mcp", "--demo", "--mode", "tools"))
	want := []string{"tool_search", "tool_describe", "tool_call"}
	var controls []string
	for _, name := range toolNames(t, session) {
		if strings.HasPrefix(name, "tool_") {
			controls = append(controls, name)
		}
	}
	if diff := cmp.Diff(want, controls); diff != "" {
		t.Errorf("other controls than wanted:\n%s", diff)
	}

	var found struct{ Hits []struct{ ID string } }
	if err := json.Unmarshal([]byte(call(t, session, "tool_search", map[string]any{"query": "create an issue"})), &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Hits) == 0 || found.Hits[0].ID != "plugin:tracker:create_issue" {
		t.Fatalf("found %v, want plugin:tracker:create_issue first", found.Hits)
	}
	called := call(t, session, "tool_call", map[string]any{"id": found.Hits[0].ID, "args": map[string]any{"title": "It is broken"}})
	if !json.Valid([]byte(called)) || !strings.Contains(called, "It is broken") {
		t.Errorf("the call answered %s, want JSON with the issue's title", called)
	}
}

func TestMCPShowsEveryToolInDirectMode(t *testing.T) {
	session := connect(t, program(t, "mcp", "--demo", "--mode", "direct"))
	names := toolNames(t, session)
	if len(names) < 100 || !slices.Contains(names, "create_issue") || slices.Contains(names, "tool_search") {
		t.Errorf("direct mode shows %d tools, want the demo catalog and no controls: %v", len(names), names)
	}
}

// nodeServers writes a configuration with npm's servers and returns the folder
// of which the file server may read.
func nodeServers(t *testing.T) (config, files string) {
	t.Helper()
	bin, ok := os.LookupEnv("TOOLCRIB_NPM")
	if !ok {
		bin = "../../.cache/npm"
	}
	bin, err := filepath.Abs(filepath.Join(bin, "node_modules", ".bin"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(bin); err != nil {
		t.Skipf("npm's servers are absent from %s: run make setup", bin)
	}
	files = t.TempDir()
	if err := os.WriteFile(filepath.Join(files, "note.txt"), []byte("read through the gateway"), 0o600); err != nil {
		t.Fatal(err)
	}
	type server struct {
		Command string            `json:"command"`
		Args    []string          `json:"args,omitempty"`
		Env     map[string]string `json:"env,omitempty"`
	}
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]server{
		"everything": {Command: filepath.Join(bin, "mcp-server-everything"), Args: []string{"stdio"}},
		"filesystem": {Command: filepath.Join(bin, "mcp-server-filesystem"), Args: []string{files}},
		"memory":     {Command: filepath.Join(bin, "mcp-server-memory"), Env: map[string]string{"MEMORY_FILE_PATH": filepath.Join(files, "memory.json")}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	config = filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(config, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return config, files
}

// Real servers stand behind the three controls, and a client reaches their
// tools through them.
func TestMCPWithNodeServers(t *testing.T) {
	if testing.Short() {
		t.Skip("starts three Node programs")
	}
	config, files := nodeServers(t)

	// Commands wait for the servers that they start themselves, and leave what
	// these offer in the cache.
	list := program(t, "tools", "list", "--config", config)
	home := list.Env
	ids, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"mcp:everything:echo", "mcp:filesystem:read_text_file", "mcp:memory:read_graph"} {
		if !strings.Contains(string(ids), "\n"+id+" ") {
			t.Errorf("the list lacks %s:\n%s", id, ids)
		}
	}
	echo := program(t, "tools", "call", "mcp:everything:echo", "message=hello", "--config", config)
	echo.Env = home
	answer, err := echo.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(answer), "hello") {
		t.Errorf("echo answered %q", answer)
	}

	cmd := program(t, "mcp", "--config", config, "--mode", "tools")
	cmd.Env = home
	session := connect(t, cmd)
	if diff := cmp.Diff([]string{"tool_search", "tool_describe", "tool_call"}, toolNames(t, session)); diff != "" {
		t.Errorf("other tools than the three controls:\n%s", diff)
	}
	read := call(t, session, "tool_call", map[string]any{
		"id": "mcp:filesystem:read_text_file", "args": map[string]any{"path": filepath.Join(files, "note.txt")},
	})
	if !strings.Contains(read, "read through the gateway") {
		t.Errorf("the file server answered %s", read)
	}
}
