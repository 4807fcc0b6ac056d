package mcpserver

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// inspector is the path of the MCP inspector's command, where `make setup`
// puts it. The test is skipped when it or node is absent.
func inspector(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("TOOLCRIB_NPM")
	if folder == "" {
		folder = filepath.Join("..", "..", ".cache", "npm")
	}
	path := filepath.Join(folder, "node_modules", ".bin", "mcp-inspector")
	if _, err := os.Stat(path); err != nil {
		t.Skip("MCP inspector absent: run make setup, or set TOOLCRIB_NPM to a folder with node_modules")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node absent: install Node 20 or later")
	}
	return path
}

// TestInspector: a client that we did not write lists and calls, in each era
// that it can be told to speak.
func TestInspector(t *testing.T) {
	if testing.Short() {
		t.Skip("starts node several times")
	}
	path := inspector(t)
	_, url := serve(t, &fakeGateway{surface: controls()}, nil)
	for _, era := range []string{"legacy", "auto", "modern"} {
		t.Run(era, func(t *testing.T) {
			run := func(args ...string) []byte {
				t.Helper()
				args = append([]string{"--cli", url, "--transport", "http", "--protocol-era", era}, args...)
				cmd := exec.CommandContext(t.Context(), path, args...)
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("inspector %v: %v\n%s", args, err, out)
				}
				return out
			}
			var list struct {
				Tools []struct {
					Name string         `json:"name"`
					Meta map[string]any `json:"_meta"`
				} `json:"tools"`
			}
			out := run("--method", "tools/list")
			if err := json.Unmarshal(out, &list); err != nil {
				t.Fatalf("%v in %s", err, out)
			}
			if len(list.Tools) != 2 || list.Tools[0].Name != "echo" || list.Tools[0].Meta["anthropic/alwaysLoad"] != true {
				t.Errorf("list = %s", out)
			}
			if era == "auto" {
				return // it speaks one of the other two
			}
			var result struct {
				Content []struct {
					Text string `json:"text"`
				} `json:"content"`
			}
			out = run("--method", "tools/call", "--tool-name", "echo", "--tool-arg", "z=hello")
			if err := json.Unmarshal(out, &result); err != nil || len(result.Content) != 1 || result.Content[0].Text != `args {"z":"hello"}` {
				t.Errorf("call = %s", out)
			}
		})
	}
}
