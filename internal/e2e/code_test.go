package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// runtimes are what can run code. A test of one that this machine lacks is skipped.
var runtimes = []string{"embedded", "node"}

// codeReply is what tool_search_code answers.
type codeReply struct {
	OK    bool
	Value json.RawMessage
	Error *struct {
		Kind, Message, Hint, Tool, Excerpt string
		Line                               int
	}
	Truncated      bool
	ResultID, Hint string
	Logs           []struct{ Level, Text string }
	Calls          []struct {
		ID    string
		N     int
		OK    bool
		Error string
	}
	Telemetry struct {
		CatalogSize, Searches, Describes, Calls int
		Sources                                 map[string]int
	}
}

// codeHome is a home with a real server whose models get code, in a runtime.
func codeHome(t *testing.T, npmDir, runtime string, more object) *home {
	t.Helper()
	search := object{"codeRuntime": runtime, "codeTimeoutMs": 60000}
	maps.Copy(search, more)
	return newHome(t, object{
		"mcp":   object{"servers": object{"everything": npm(npmDir, "mcp-server-everything", "stdio")}},
		"tools": object{"toolSearch": search},
	})
}

// able skips a test of a runtime that this machine lacks. The embedded one must be there.
func (h *home) able(t *testing.T, runtime string) {
	t.Helper()
	if o := h.run("code", "run", h.script("return 1")); o.code == 6 && runtime != "embedded" {
		absent(t, o.stderr)
	}
}

// script writes a file of code.
func (h *home) script(code string) string {
	h.t.Helper()
	file := filepath.Join(h.dir, "body.js")
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return file
}

// coder is a client that speaks to the program over stdio, with the demo catalog.
func (h *home) coder() *mcp.ClientSession {
	h.t.Helper()
	cmd := h.command("mcp", "--demo")
	cmd.Stderr = h.t.Output()
	return sdkClient(h.t, &mcp.CommandTransport{Command: cmd, TerminateDuration: time.Minute}, eras["legacy"], nil)
}

// runCode runs a body as a model does.
func runCode(t testing.TB, c *mcp.ClientSession, code string) codeReply {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "tool_search_code", Arguments: object{"code": code}})
	if err != nil {
		t.Fatal(err)
	}
	text, ok := r.Content[0].(*mcp.TextContent)
	if !ok || len(r.Content) != 1 {
		t.Fatalf("%d blocks, the first is %T; want one text", len(r.Content), r.Content[0])
	}
	var reply codeReply
	decode(t, text.Text, &reply)
	if reply.OK == r.IsError || (reply.Error == nil) != reply.OK {
		t.Fatalf("isError is %t beside %s", r.IsError, text.Text)
	}
	return reply
}

func visible(t testing.TB, c *mcp.ClientSession) []string {
	t.Helper()
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// example searches, describes and calls, as the first thing that anybody does with it.
const example = `const hits = await openclaw.tools.search("create an issue");
const tool = await openclaw.tools.describe(hits[0].id);
return await openclaw.tools.call(tool.id, {title: "It stops at once", body: "Start it twice."});`

// TestCodeReachesTools: a real client is shown the one control, and runs bodies
// over the demo catalog and a real server, in both runtimes.
func TestCodeReachesTools(t *testing.T) {
	t.Parallel()
	npmDir := npmFolder(t)
	for _, runtime := range runtimes {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			h := codeHome(t, npmDir, runtime, nil)
			h.able(t, runtime)
			c := h.coder()
			if got, want := visible(t, c), []string{"tool_search_code", "cluster_status"}; !cmp.Equal(got, want) {
				t.Fatalf("visible are %v, want %v", got, want)
			}

			r := runCode(t, c, example)
			var envelope struct {
				Tool   struct{ ID, Name, Source string }
				Result struct {
					Content []struct{ Type, Text string }
					Details struct{ ID, Title, Body string }
				}
			}
			decode(t, string(r.Value), &envelope)
			if envelope.Tool.ID != "plugin:tracker:create_issue" || envelope.Result.Details.Title != "It stops at once" || len(envelope.Result.Content) == 0 {
				t.Errorf("the example answered %s", r.Value)
			}
			if n := r.Telemetry; n.Searches != 1 || n.Describes != 1 || n.Calls != 1 || n.Sources["mcp"] < 5 || n.Sources["plugin"] < 100 || n.CatalogSize != n.Sources["mcp"]+n.Sources["plugin"]+n.Sources["core"] {
				t.Errorf("telemetry %+v", n)
			}

			r = runCode(t, c, `
				const [hit] = await openclaw.tools.search("echo a message", {limit: 1});
				const words = ["one", "two", "three"];
				const all = await Promise.all(words.map(message => openclaw.tools.call(hit.id, {message})));
				const sum = await openclaw.tools.call("mcp:everything:get-sum", {a: 19, b: 23});
				const image = await openclaw.tools.call("mcp:everything:get-tiny-image");
				console.warn("did", all.length);
				return {
					input: hit.input, echoes: all.map(r => r.result.content[0].text), sum: sum.result.content[0].text,
					blocks: image.result.content.map(b => b.type), bytes: image.result.content.find(b => b.type === "image").data.length > 100,
				};`)
			var value struct {
				Input, Sum     string
				Echoes, Blocks []string
				Bytes          bool
			}
			decode(t, string(r.Value), &value)
			if value.Input != "unknown" || !slices.Equal(value.Echoes, []string{"Echo: one", "Echo: two", "Echo: three"}) ||
				!strings.Contains(value.Sum, "42") || !slices.Contains(value.Blocks, "image") || !value.Bytes {
				t.Errorf("answered %s", r.Value)
			}
			if len(r.Logs) != 1 || r.Logs[0].Level != "warn" || r.Logs[0].Text != "did 3" {
				t.Errorf("logs %+v", r.Logs)
			}
		})
	}
}

// TestCodeFailsWithReasons: what a model needs to go on: kind, place, what already ran.
func TestCodeFailsWithReasons(t *testing.T) {
	t.Parallel()
	npmDir := npmFolder(t)
	for _, runtime := range runtimes {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			h := codeHome(t, npmDir, runtime, object{"codeTimeoutMs": 4000})
			h.able(t, runtime)
			c := h.coder()
			r := runCode(t, c, "const a = 1;\nlet let = 2;")
			if r.Error == nil || r.Error.Kind != "syntax" || r.Error.Line != 2 || r.Error.Excerpt != "let let = 2;" {
				t.Errorf("syntax: %+v", r.Error)
			}
			r = runCode(t, c, "await openclaw.tools.call('create_issue', {title: 'x'});\nconst none = undefined;\nreturn none.field;")
			if r.Error == nil || r.Error.Kind != "runtime" || r.Error.Line != 3 || len(r.Calls) != 1 || r.Calls[0].ID != "plugin:tracker:create_issue" || !r.Calls[0].OK {
				t.Errorf("runtime: %+v, calls %+v", r.Error, r.Calls)
			}
			r = runCode(t, c, "return await openclaw.tools.call('mcp:everything:ecko', {});")
			if r.Error == nil || r.Error.Kind != "tool" || !strings.Contains(r.Error.Message, "mcp:everything:echo") || !strings.Contains(r.Error.Message, "openclaw.tools.search") {
				t.Errorf("tool: %+v", r.Error)
			}
			r = runCode(t, c, "try { await openclaw.tools.call('mcp:everything:ecko', {}) } catch (e) { return [e.kind, e instanceof Error] }")
			if string(r.Value) != `["not_found",true]` {
				t.Errorf("caught: %s, %+v", r.Value, r.Error)
			}
			r = runCode(t, c, "await openclaw.tools.call('mcp:everything:trigger-long-running-operation', {duration: 300, steps: 3}); return 1")
			if r.Error == nil || r.Error.Kind != "timeout" || len(r.Calls) != 1 || r.Calls[0].OK || !strings.Contains(r.Calls[0].Error, "effect") {
				t.Errorf("timeout: %+v, calls %+v", r.Error, r.Calls)
			}
			r = runCode(t, c, "return 'still ' + 'here'")
			if string(r.Value) != `"still here"` {
				t.Errorf("after all that: %s, %+v", r.Value, r.Error)
			}
		})
	}
}

// TestCodeResultIsReadOn: a value that is too long for the model is cut, and code reads the rest.
func TestCodeResultIsReadOn(t *testing.T) {
	t.Parallel()
	c := newHome(t, object{"tools": object{"toolSearch": true, "maxResultBytes": 4096}}).coder()
	r := runCode(t, c, `return Array.from({length: 2000}, (_, i) => "line " + i).join("\n")`)
	var shown string
	decode(t, string(r.Value), &shown)
	if !r.Truncated || r.ResultID == "" || !strings.HasPrefix(shown, "line 0\nline 1\n") || !strings.Contains(r.Hint, "core:results:read") {
		t.Fatalf("truncated %t, id %q, hint %q, shown %.40q", r.Truncated, r.ResultID, r.Hint, shown)
	}
	r = runCode(t, c, fmt.Sprintf(`return (await openclaw.tools.call("core:results:read", {id: %q, offset: %d, length: 20})).result.details`, r.ResultID, len(shown)))
	var piece struct {
		Text   string
		Offset int
	}
	decode(t, string(r.Value), &piece)
	var whole strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&whole, "line %d\n", i)
	}
	if piece.Offset != len(shown) || !strings.HasPrefix(whole.String()[len(shown):], piece.Text) || piece.Text == "" {
		t.Errorf("read on at %d: %+v", len(shown), piece)
	}
}

// TestCodeIsTheDefault: toolSearch true means code, and it costs no child where it is off.
func TestCodeIsTheDefault(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		search   any
		want     string
		children bool
	}{
		"true":      {true, "tool_search_code", true},
		"an object": {object{}, "tool_search_code", true},
		"automatic": {"auto", "tool_search_code", true},
		"tools":     {object{"mode": "tools"}, "tool_search", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t, object{"tools": object{"toolSearch": tt.search}})
			g := h.serve("--demo")
			c := sdkClient(t, &mcp.StreamableClientTransport{Endpoint: g.url, HTTPClient: &http.Client{}, MaxRetries: -1}, eras["modern"], nil)
			if got := visible(t, c); got[0] != tt.want {
				t.Errorf("visible are %v, want %s first", got, tt.want)
			}
			if n := len(sandboxes(t, g.cmd.Process.Pid)); (n > 0) != tt.children {
				t.Errorf("%d children for code", n)
			}
		})
	}
}

// TestCodeWithoutIsolation: the runtime that is asked for can't be had, so there
// are the three controls, never another runtime, and one line of the log says why.
func TestCodeWithoutIsolation(t *testing.T) {
	t.Parallel()
	h := newHome(t, object{"tools": object{"toolSearch": object{"mode": "code", "codeRuntime": "node"}}})
	h.env = []string{"PATH=" + h.dir} // no Node there
	g := h.serve("--demo")
	c := sdkClient(t, &mcp.StreamableClientTransport{Endpoint: g.url, HTTPClient: &http.Client{}, MaxRetries: -1}, eras["modern"], nil)
	if got := visible(t, c); !slices.Equal(got, append(slices.Clone(controls), "cluster_status")) {
		t.Errorf("visible are %v, want the three controls", got)
	}
	if n := strings.Count(g.log.String(), "code mode is not to be had"); n != 1 || !strings.Contains(g.log.String(), "runtime=node") {
		t.Errorf("%d lines of the log say why:\n%s", n, g.log)
	}
	if n := sandboxes(t, g.cmd.Process.Pid); len(n) > 0 {
		t.Errorf("there are children for code: %v", n)
	}
	h.fails(6, []string{"code can't be run"}, "code", "run", h.script("return 1"))
}

// TestCodeEndsWithTheGateway: a gateway that is killed leaves no busy child behind.
func TestCodeEndsWithTheGateway(t *testing.T) {
	t.Parallel()
	h := newHome(t, object{"tools": object{"toolSearch": object{"codeTimeoutMs": 60000}}})
	g := h.serveUnwatched("--demo")
	busy := h.command("code", "run", h.script(`await openclaw.tools.search("x"); for (;;);`))
	if err := busy.Start(); err != nil {
		t.Fatal(err)
	}
	pid := g.cmd.Process.Pid
	eventually(t, "a child runs the code", func() bool { return len(sandboxes(t, pid)) > 0 })
	if err := g.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if busy.Wait() == nil {
		t.Error("the command ended well")
	}
	eventually(t, "all children for code end", func() bool { return len(sandboxes(t, pid)) == 0 })
}

// sandboxes returns the children for code of a process. They have no
// environment by which to know them, but are told who their parent is.
func sandboxes(t testing.TB, parent int) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Skip("it reads the table of processes in /proc")
	}
	var found []string
	for _, e := range entries {
		line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if err != nil {
			continue
		}
		words := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		if len(words) > 1 && strings.HasPrefix(words[1], "--toolcrib-sandbox-child=") && slices.Contains(words, fmt.Sprintf("parent=%d", parent)) {
			found = append(found, strings.Join(words, " "))
		}
	}
	return found
}
