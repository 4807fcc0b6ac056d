package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// controls are what a model sees in mode tools, in this order.
var controls = []string{"tool_search", "tool_describe", "tool_call"}

// realServers is a home with three real servers behind Tool Search, and the
// folder that one of them serves.
func realServers(t *testing.T, npmDir string) (*home, string) {
	t.Helper()
	h := newHome(t, "{}")
	data := filepath.Join(h.dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "note.txt"), []byte("hello from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	memory := npm(npmDir, "mcp-server-memory")
	memory["env"] = object{"MEMORY_FILE_PATH": filepath.Join(data, "memory.jsonl")}
	h.write(servers(object{
		"everything": npm(npmDir, "mcp-server-everything", "stdio"),
		"filesystem": npm(npmDir, "mcp-server-filesystem", data),
		"memory":     memory,
	}))
	return h, data
}

// inspector runs the MCP inspector's command line and returns what it prints.
func inspector(t *testing.T, npmDir string, args ...string) string {
	t.Helper()
	args = append([]string{filepath.Join(npmDir, "node_modules", ".bin", "mcp-inspector"), "--cli"}, args...)
	cmd := exec.CommandContext(t.Context(), "node", args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir()) // it keeps files of its own there
	out, err := cmd.Output()
	if err != nil {
		stderr := ""
		if exit, ok := err.(*exec.ExitError); ok {
			stderr = string(exit.Stderr)
		}
		t.Fatalf("inspector %q: %v\n%s%s", args, err, out, stderr)
	}
	return string(out)
}

// TestInspectorSeesThreeTools: a client that is not ours lists exactly the
// controls, over each transport and era, and reaches the servers through them.
func TestInspectorSeesThreeTools(t *testing.T) {
	t.Parallel()
	npmDir := npmFolder(t)
	h, data := realServers(t, npmDir)
	g := h.serve()
	g.ready("everything", "filesystem", "memory")

	overHTTP := func(era string) (before, after []string) {
		return []string{g.url, "--transport", "http", "--protocol-era", era}, nil
	}
	overStdio := func() (before, after []string) {
		for _, v := range h.environ() {
			before = append(before, "-e", v)
		}
		return before, []string{"--", binary, "mcp", "--config", h.config}
	}
	for name, target := range map[string]func() (before, after []string){
		"stdio":       overStdio,
		"http legacy": func() ([]string, []string) { return overHTTP("legacy") },
		"http modern": func() ([]string, []string) { return overHTTP("modern") },
	} {
		t.Run(name, func(t *testing.T) {
			before, after := target()
			use := func(args ...string) string { return inspector(t, npmDir, slices.Concat(before, args, after)...) }
			var list struct{ Tools []struct{ Name string } }
			decode(t, use("--method", "tools/list"), &list)
			var names []string
			for _, tool := range list.Tools {
				names = append(names, tool.Name)
			}
			if diff := cmp.Diff(controls, names); diff != "" {
				t.Error(diff)
			}
			call := func(id, args string) string {
				return use("--method", "tools/call", "--tool-name", "tool_call", "--tool-arg", "id="+id, "args="+args)
			}
			if got := envelope(t, call("mcp:everything:echo", `{"message":"hi"}`)); got != "Echo: hi" {
				t.Errorf("echo answered %q", got)
			}
			path := filepath.Join(data, "note.txt")
			if got := envelope(t, call("mcp:filesystem:read_text_file", `{"path":"`+filepath.ToSlash(path)+`"}`)); got != "hello from a file" {
				t.Errorf("read_text_file answered %q", got)
			}
		})
	}
	nobodyLeftBeside(t, g)
}

// nobodyLeftBeside checks that all processes but those of one gateway have ended.
func nobodyLeftBeside(t *testing.T, g *running) {
	t.Helper()
	eventually(t, "the gateways that clients started end", func() bool { return len(children(t, g.dir, binary+" mcp")) == 0 })
}

// envelope is the first text of the called tool's result, out of the answer of tool_call.
func envelope(t testing.TB, answer string) string {
	t.Helper()
	var result struct {
		Content []struct{ Text string }
		IsError bool
	}
	decode(t, answer, &result)
	if result.IsError || len(result.Content) == 0 {
		t.Fatalf("tool_call failed: %s", answer)
	}
	return envelopeText(t, result.Content[0].Text)
}

// envelopeText is the first text in the JSON that tool_call answers.
func envelopeText(t testing.TB, text string) string {
	t.Helper()
	var reply struct {
		Tool   struct{ ID string }
		Result struct{ Content []struct{ Text string } }
	}
	decode(t, text, &reply)
	if reply.Tool.ID == "" || len(reply.Result.Content) == 0 {
		t.Fatalf("no envelope: %s", text)
	}
	return reply.Result.Content[0].Text
}
