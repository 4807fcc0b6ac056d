package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
)

func TestFilesOfOtherPrograms(t *testing.T) {
	off := func(s Server) Server { s.Enabled = false; return s }
	on := func(s Server) Server {
		s.Enabled, s.Scope, s.Pinning = true, "shared", PinFirstUse
		if s.TimeoutMs == 0 {
			s.TimeoutMs = 60000
		}
		return s
	}
	for name, c := range map[string]struct {
		text     string
		servers  map[string]Server
		warnings []string
	}{
		"claude desktop": {
			`{"globalShortcut": "", "mcpServers": {"filesystem": {"command": "npx", "args": ["-y", "fs", "/tmp"]}, "My Notes!": {"command": "uvx"}}}`,
			map[string]Server{"filesystem": on(Server{Command: "npx", Args: []string{"-y", "fs", "/tmp"}}), "My-Notes": on(Server{Command: "uvx"})},
			[]string{
				"1:2: globalShortcut: is not a key of toolcrib and is ignored",
				`1:103: mcpServers["My Notes!"]: the name is not clean; the server is called "My-Notes"`,
			},
		},
		"claude code": {
			`{"mcpServers": {"api": {"type": "http", "url": "https://x.example/mcp", "headers": {"Authorization": "Bearer ${KEY:-k}"}, "timeout": 600000},
"old": {"type": "sse", "url": "https://x.example/sse"}, "std": {"type": "stdio", "command": "x", "args": [], "env": {}}}, "projects": {}, "numStartups": 3}`,
			map[string]Server{
				"api": on(Server{URL: "https://x.example/mcp", Headers: map[string]string{"Authorization": "Bearer k"}, TimeoutMs: 600000}),
				"old": on(Server{URL: "https://x.example/sse", SSE: true}), "std": on(Server{Command: "x", Env: map[string]string{}}),
			},
			[]string{
				"1:123: mcpServers.api.timeout: 600000 is read as milliseconds; write timeoutMs: 600000 to be sure",
				"2:123: projects: is not a key of toolcrib and is ignored", "2:139: numStartups: is not a key of toolcrib and is ignored",
			},
		},
		"cline": {
			`{"mcpServers": {"a": {"command": "x", "disabled": true, "autoApprove": ["b"], "timeout": 60, "type": "stdio"},
"b": {"url": "http://x", "type": "streamableHttp", "disabled": false, "alwaysAllow": [], "timeout": 3600}}}`,
			map[string]Server{"a": off(on(Server{Command: "x"})), "b": on(Server{URL: "http://x", TimeoutMs: 3600000})},
			[]string{
				"1:57: mcpServers.a.autoApprove: toolcrib runs no approvals of another program; the list is ignored",
				"1:79: mcpServers.a.timeout: 60 is read as seconds; write timeoutMs: 60000 to be sure",
				"2:71: mcpServers.b.alwaysAllow: toolcrib runs no approvals of another program; the list is ignored",
				"2:90: mcpServers.b.timeout: 3600 is read as seconds; write timeoutMs: 3600000 to be sure",
			},
		},
		"windsurf": {
			`{"mcpServers": {"w": {"serverUrl": "https://w.example/mcp", "disabledTools": ["x"], "headers": {"A": "1"}}}}`,
			map[string]Server{"w": on(Server{URL: "https://w.example/mcp", Deny: []string{"x"}, Headers: map[string]string{"A": "1"}})},
			nil,
		},
		"gemini": {
			`{"mcp": {"allowed": ["g"]}, "tools": {"core": ["x"]}, "theme": "x", "mcpServers": {"g": {"httpUrl": "https://g.example/mcp", "url": "https://g.example/sse",
"includeTools": ["a"], "excludeTools": ["b"], "trust": true, "timeout": 5000, "description": "d", "cwd": "/x"}}}`,
			map[string]Server{"g": on(Server{URL: "https://g.example/mcp", Allow: []string{"a"}, Deny: []string{"b"}, TimeoutMs: 5000, Cwd: "/x"})},
			[]string{
				"1:10: mcp.allowed: is not a key of toolcrib and is ignored", "1:39: tools.core: is not a key of toolcrib and is ignored", "1:55: theme: is not a key of toolcrib and is ignored",
				"1:90: mcpServers.g.httpUrl: is used in place of url",
				"2:47: mcpServers.g.trust: it switches another program's questions off and says nothing of toolcrib's trusted; ignored",
				"2:62: mcpServers.g.timeout: 5000 is read as milliseconds; write timeoutMs: 5000 to be sure",
				"2:79: mcpServers.g.description: a text for people; ignored",
				"2:106: mcp.servers.g.cwd: has no effect on a server with url",
			},
		},
		"unknown keys": {
			`{"mcpServers": {"a": {"command": ["npx", "-y", "x"], "environment": {"A": "1"}, "comment": "hunter2", "argz": [], "cwd": null, "transport": "pigeon"}}}`,
			map[string]Server{"a": on(Server{Command: "npx", Args: []string{"-y", "x"}, Env: map[string]string{"A": "1"}})},
			[]string{
				`1:81: mcpServers.a.comment: is not a key that toolcrib knows and is ignored (did you mean "command"?)`,
				`1:103: mcpServers.a.argz: is not a key that toolcrib knows and is ignored (did you mean "args"?)`,
				"1:115: mcpServers.a.cwd: is null and counts as absent",
				"1:128: mcpServers.a.transport: is not a transport that toolcrib knows and is ignored",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, warnings := load(t, write(t, c.text))
			if diff := cmp.Diff(c.servers, cfg.MCP.Servers); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for i := range warnings {
				warnings[i] = strings.TrimPrefix(warnings[i], "config.json5:")
			}
			if diff := cmp.Diff(c.warnings, warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNamesAreSluggedOnce(t *testing.T) {
	c, warnings := load(t, write(t, `{mcpServers: {"a b": {command: "1"}, "a-b": {command: "2"}, "a!b": {command: "3"}, "日本": {command: "4"}, "": {command: "5"}}}`))
	got := map[string]string{}
	for name, s := range c.MCP.Servers {
		got[name] = s.Command
	}
	want := map[string]string{"a-b": "2", "a-b-2": "1", "a-b-3": "3", "server": "4", "server-2": "5"}
	if diff := cmp.Diff(want, got); diff != "" || len(warnings) != 4 {
		t.Errorf("%s %q", diff, warnings)
	}
}

func TestManyNamesThatSlugAlike(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "'%s %d': {command: 'x'},", strings.Repeat("long", 20), i)
	}
	c, warnings := load(t, write(t, "{mcpServers: {"+b.String()+"}}"))
	if len(c.MCP.Servers) != 3000 || len(warnings) != maxProblems+1 {
		t.Errorf("%d servers, %d warnings", len(c.MCP.Servers), len(warnings))
	}
	for name := range c.MCP.Servers {
		if !toolcrib.ValidOwner(name) {
			t.Errorf("%q is not clean", name)
		}
	}
}

func TestBadForeignFiles(t *testing.T) {
	for text, want := range map[string]string{
		`{mcpServers: {}, mcp: {servers: {}}}`:                  "1:2: mcpServers: stands beside mcp.servers (config.json5:1:24) (keep one of the two blocks)",
		`{mcpServers: []}`:                                      "1:14: mcpServers: found a list, expected an object",
		`{mcpServers: {a: 5}}`:                                  "1:18: mcp.servers.a: found a number, expected an object",
		`{mcpServers: {a: {command: "x", disabled: "yes"}}}`:    "1:43: mcpServers.a.disabled: found a string, expected true or false",
		`{mcpServers: {a: {command: "x", timeout: "yes"}}}`:     "1:42: mcpServers.a.timeout: found a string, expected a whole number",
		`{mcpServers: {a: {command: [], url: "http://x"}}}`:     "1:28: mcpServers.a.command: is an empty list (name the program to start)",
		`{mcpServers: {a: {type: "http"}}}`:                     "1:15: mcp.servers.a: has neither command nor url (name the program to start, or the address of the server)",
		`{mcpServers: {a: {command: "x"}}, tools: {dney: []}}`:  `1:43: tools.dney: unknown key (did you mean "deny"?)`,
		`{mcpServers: {a: {command: "x", envFile: "no.env"}}}`:  "1:42: mcpServers.a.envFile: no.env does not exist (check the path)",
		`{mcpServers: {a: {command: "x", envFile: "bad.env"}}}`: "1:42: mcpServers.a.envFile: line 2 of the file is not NAME=VALUE (write NAME=VALUE)",
	} {
		o := write(t, text)
		if err := os.WriteFile(filepath.Join(filepath.Dir(o.Path), "bad.env"), []byte("A=1\nhunter2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"config.json5:" + want}, refuse(t, o)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestEnvFile(t *testing.T) {
	o := write(t, `{mcpServers: {a: {command: "x", env: {A: "mine"}, envFile: "${NAME}.env"}, off: {command: "x", disabled: true, envFile: "gone"}}}`, "NAME=vars")
	text := "\n# c\nA=theirs\nexport B = 'b # b' # c\r\nC=\"x\\ny\"\nD=plain # c\nE=\nF=a${NOT}$b\nG=top-secret-g\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(o.Path), "vars.env"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, warnings := load(t, o)
	want := map[string]string{"A": "mine", "B": "b # b", "C": "x\ny", "D": "plain", "E": "", "F": "a${NOT}$b", "G": "top-secret-g"}
	if diff := cmp.Diff(want, c.MCP.Servers["a"].Env); diff != "" || len(warnings) > 0 {
		t.Errorf("%s %q", diff, warnings)
	}
	if got := c.Redact("G is top-secret-g"); got != "G is [redacted]" {
		t.Error(got)
	}
}
