package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
)

// npmFolder is a folder in which the real servers are installed.
func npmFolder(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("TOOLCRIB_NPM")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", ".cache", "npm")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mcp-server-everything", "mcp-server-filesystem", "mcp-server-memory", "mcp-server-sequential-thinking"} {
		if _, err := os.Stat(filepath.Join(dir, "node_modules", ".bin", name)); err != nil {
			t.Skipf("%s is not installed: set TOOLCRIB_NPM to a folder with the npm servers in node_modules", name)
		}
	}
	return dir
}

// npx is a real server, started as people do.
func npx(dir, name, program string, args ...string) Server {
	return Server{
		Name: name, Command: "npx", Args: append([]string{"--no-install", program}, args...), Cwd: dir,
		Enabled: true, Timeout: 2 * time.Minute,
	}
}

// text is the text of a call's first block.
func text(t *testing.T, s *Source, server, tool, args string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	r, err := s.Execute(ctx, toolcrib.Call{Tool: toolcrib.Tool{Owner: server, Name: tool}, Args: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if r.IsError || len(r.Content) == 0 {
		t.Fatalf("%s answered %+v", tool, r)
	}
	return r.Content[0].Text
}

// TestNPMServers calls a tool of each real server.
func TestNPMServers(t *testing.T) {
	dir, data := npmFolder(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "note.txt"), []byte("hello from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	memory := npx(dir, "memory", "mcp-server-memory")
	memory.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(data, "memory.json")}
	s := open(t, Options{
		Servers: []Server{
			npx(dir, "everything", "mcp-server-everything"), npx(dir, "filesystem", "mcp-server-filesystem", data),
			memory, npx(dir, "thinking", "mcp-server-sequential-thinking"),
		},
		tuning: tuning{grace: 2 * time.Second},
	})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	s.Settle(ctx, toolcrib.Scope{})
	for _, st := range s.Status() {
		if st.State != toolcrib.StateReady {
			t.Fatalf("%s is %s: %s", st.Name, st.State, st.Reason)
		}
		t.Logf("%s: %s %s, protocol %s, %d tools", st.Name, st.ServerName, st.ServerVersion, st.Protocol, st.Tools)
	}
	if got := text(t, s, "everything", "echo", `{"message":"hi"}`); !strings.Contains(got, "hi") {
		t.Errorf("echo: %q", got)
	}
	if got := names(listing(t, s, "everything")); len(got) != 13 {
		t.Errorf("a client that offers nothing is shown %d tools: %v", len(got), got)
	}
	path, _ := json.Marshal(filepath.Join(data, "note.txt"))
	if got := text(t, s, "filesystem", "read_text_file", fmt.Sprintf(`{"path":%s}`, path)); got != "hello from a file" {
		t.Errorf("read_text_file: %q", got)
	}
	if got := text(t, s, "memory", "read_graph", `{}`); !strings.Contains(got, "entities") {
		t.Errorf("read_graph: %q", got)
	}
	if got := text(t, s, "thinking", "sequentialthinking", `{"thought":"x","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`); got == "" {
		t.Error("sequentialthinking said nothing")
	}
}

// TestEightUnderLoad starts eight npx servers at once while all processors are busy.
func TestEightUnderLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long: left out of short runs")
	}
	dir := npmFolder(t)
	stop := make(chan struct{})
	var busy sync.WaitGroup
	for range 2 * runtime.NumCPU() {
		busy.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	defer busy.Wait()
	defer close(stop)
	programs := []string{"mcp-server-everything", "mcp-server-memory", "mcp-server-sequential-thinking", "mcp-server-filesystem"}
	var servers []Server
	for i := range 8 {
		servers = append(servers, npx(dir, fmt.Sprint("s", i), programs[i%4], slices.Repeat([]string{t.TempDir()}, i%4/3)...))
	}
	s := open(t, Options{Servers: servers, tuning: tuning{grace: 2 * time.Second}})
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	s.Settle(ctx, toolcrib.Scope{})
	for _, st := range s.Status() {
		if st.State != toolcrib.StateReady || st.Restarts > 0 {
			t.Errorf("%s is %s after %d restarts: %s", st.Name, st.State, st.Restarts, st.Reason)
		}
	}
}
