package clientconfig

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	for _, s := range samples() {
		t.Run(s.title(), func(t *testing.T) {
			servers, err := client(t, s.client).Read(s.file, s.text(t))
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(servers, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, s.title()+".read", append(got, '\n'))
		})
	}
}

func TestIsToolcrib(t *testing.T) {
	for _, s := range []Server{
		{Name: "Toolcrib"},
		{Command: "toolcrib"},
		{Command: "/usr/bin/toolcrib"},
		{Command: `C:\x\ToolCrib.EXE`},
		{URL: "http://127.0.0.1:7433/mcp"},
		{URL: "http://box.local:7433/mcp/"},
	} {
		if !IsToolcrib(s) {
			t.Errorf("%+v is toolcrib", s)
		}
	}
	for _, s := range []Server{{}, {Command: "toolcribber"}, {URL: "http://127.0.0.1:7434/mcp"}, {URL: "http://127.0.0.1:7433/sse"}, {URL: "::"}} {
		if IsToolcrib(s) {
			t.Errorf("%+v is not toolcrib", s)
		}
	}
}

// Texts of every syntax, and what toolcrib has to write for the same.
func TestTranslate(t *testing.T) {
	cursorFile := File{Scope: "project", Path: `D:\p\.cursor\mcp.json`}
	hidden := File{Scope: "project", Path: "/home/ana/.dot/.mcp.json"}
	for _, c := range []struct {
		refs       syntax
		file       File
		text, want string
		unresolved bool
	}{
		{syntax{}, File{}, "a ${B} $C $${D}", "a $${B} $C $$${D}", false},
		{dollars, File{}, "Bearer ${A}-${B:-x y}", "Bearer ${A}-${B:-x y}", false},
		{dollars, File{}, "${a.b} $A ${A:-${B}}", "${env:a.b} $A ${A:-${B}}", false},
		{dollars, hidden, "${CLAUDE_PROJECT_DIR}/x", "/home/ana/.dot/x", false},
		{dollars, File{}, "${CLAUDE_PROJECT_DIR}/x", "${CLAUDE_PROJECT_DIR}/x", true},
		{dollars, File{}, "$${A}", "$${A}", true},
		{loose, File{}, "$A ${A} ${A:-b} $1 $ab ${ab}", "${A} ${A} ${A:-b} $1 ${ab:-$ab} ${ab}", false},
		{prefixed, File{}, "${env:A} ${file:/k} ${A}", "${A} ${file:/k} $${A}", false},
		{prefixed, File{Path: "/home/ana/c.json"}, "${file:k}", "${file:/home/ana/k}", false},
		{braces, File{Path: "/home/ana/c.json"}, "{env:A}{file:~/k} ${A} {a}", "${A}${file:~/k} $${A} {a}", false},
		{editor, File{}, "${env:A}${userHome}${/}${pathSeparator}", "${A}${userHome}//", false},
		{editor, cursorFile, "${workspaceFolder} ${workspaceFolderBasename}", `D:\p p`, false},
		{editor, File{}, "${workspaceFolder}", "${workspaceFolder}", true},
		{editor, File{}, "${config:a.b} ${input:my key}", "${CONFIG_A_B} ${MY_KEY}", true},
	} {
		got, notes, unresolved := c.refs.translate(c.text, setting{file: c.file, key: "args[0]"})
		if got != c.want || unresolved != c.unresolved || unresolved && len(notes) == 0 {
			t.Errorf("%q becomes %q (%v, notes %q), want %q (%v)", c.text, got, unresolved, notes, c.want, c.unresolved)
		}
	}
}

func TestReadSwitchedOffForAProject(t *testing.T) {
	text := `{"projects":{"C:/p":{"mcpServers":{"a":{"command":"a"},"b":{"command":"b"}},"disabledMcpServers":["b"]}}}`
	got, err := client(t, "claude-code").Read(File{Scope: "local", Path: "f", Project: `C:\p`}, []byte(text))
	if err != nil || len(got) != 2 || got[0].Disabled || !got[1].Disabled {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Whatever is odd about a server, its values stay out of what people are shown.
func TestNotesHoldNoValues(t *testing.T) {
	odd := `{"K":{"command":"hunter2","url":"https://hunter2","args":"hunter2","env":["hunter2"],"headers":{"A":{"x":"hunter2"}},"timeout":"hunter2",
		"type":"hunter2","oauth":{"s":"hunter2"},"envFile":"hunter2","unheard":"hunter2","cwd":["hunter2"]}, "L":"hunter2", "M":{"command":["hunter2",{}]}}`
	for name, text := range map[string]string{
		"cursor": `{"mcpServers":` + odd + `}`, "vscode": `{"servers":` + odd + `}`, "opencode": `{"mcp":` + odd + `}`,
		"codex": "[mcp_servers]\nL = \"hunter2\"\n[mcp_servers.K]\ncommand=[\"hunter2\"]\nargs=\"hunter2\"\nenv=\"hunter2\"\nbearer_token=\"hunter2\"\ntool_timeout_sec=\"hunter2\"\nunheard=\"hunter2\"\n",
	} {
		servers, err := client(t, name).Read(File{Path: "f"}, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range servers {
			if len(s.Notes) == 0 {
				t.Errorf("%s: %s has no notes", name, s.Name)
			}
			for _, note := range s.Notes {
				if strings.Contains(note, "hunter2") {
					t.Errorf("%s: %s", name, note)
				}
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range samples() {
		f.Add(s.text(f))
	}
	f.Add([]byte("[mcp_servers]\na={command=''}"))
	f.Add([]byte(`{"servers":{"a":{"command":["x",1,{}],"env":[],"args":{}}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, c := range Clients() {
			file := File{Client: c.Name, Scope: "user", Path: "/f"}
			servers, err := c.Read(file, text)
			if err != nil {
				continue
			}
			var names []string
			for _, s := range servers {
				names = append(names, s.Name)
			}
			after, u, err := c.Connect(file, text, entry, names)
			if err != nil {
				continue // such as a key that stands twice
			}
			back, err := c.Disconnect(file, after, u)
			if err != nil {
				t.Fatalf("%s: %q connects to %q and won't disconnect: %v", c.Name, text, after, err)
			}
			if !u.Empty() && string(back) != string(text) {
				t.Fatalf("%s: %q connects to %q and comes back as %q", c.Name, text, after, back)
			}
			if _, err := c.Disconnect(file, append(after, '\n'), u); err != nil {
				t.Fatalf("%s: %q connects to %q and won't disconnect with one more line: %v", c.Name, text, after, err)
			}
		}
	})
}
