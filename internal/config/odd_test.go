package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOddThingsAreWarnedOf(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "my tool"), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	open := "other machines may reach this address and gateway.token is not set, so toolcrib serve refuses it unless there is a token of toolcrib token create"
	for name, c := range map[string]struct{ text, want string }{
		"every address":       {`{gateway: {listen: "0.0.0.0:80"}}`, "config.json5:1:20: gateway.listen: " + open},
		"no host":             {`{gateway: {listen: ":80"}}`, "config.json5:1:20: gateway.listen: " + open},
		"with a token":        {`{gateway: {listen: "0.0.0.0:80", token: "tok-12345678"}}`, ""},
		"this machine":        {`{gateway: {listen: "localhost:80"}}`, ""},
		"this machine, IPv6":  {`{gateway: {listen: "[::1]:80"}}`, ""},
		"a shell's line":      {`{mcp: {servers: {a: {command: "npx -y x"}}}}`, "config.json5:1:31: mcp.servers.a.command: holds spaces and no file is called that: put the words after npx into args"},
		"a shell's line of a": {`{mcp: {servers: {a: {command: "${LINE}"}}}}`, "config.json5:1:31: mcp.servers.a.command: holds spaces and no file is called that: put the words after the program into args"},
		"a path with a space": {`{mcp: {servers: {a: {command: "DIR/my tool"}}}}`, ""},
		"a name with a space": {`{mcp: {servers: {a: {command: "my tool"}}}}`, ""},
		"a server that's off": {`{mcp: {servers: {a: {command: "npx -y x", enabled: false}}}}`, ""},
		"mode directory":      {`{tools: {toolSearch: {mode: "directory"}}}`, ""},
		"an agent's mode":     {`{agents: {list: [{id: "a", tools: {toolSearch: {mode: "native"}}}]}}`, `config.json5:1:55: agents.list[0].tools.toolSearch.mode: "native" is not offered yet: mode tools is used`},
		"mode tools":          {`{tools: {toolSearch: {mode: "tools"}}}`, ""},
	} {
		o := write(t, strings.ReplaceAll(c.text, "DIR", filepath.ToSlash(dir)), "PATH="+dir, "LINE=secret words")
		_, warnings := load(t, o)
		if diff := cmp.Diff(c.want, strings.Join(warnings, "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestHintsForOtherWords(t *testing.T) {
	for text, want := range map[string]string{
		`{mcpServer: {}}`:                          "did you mean mcpServers?",
		`{mcpservers: {}}`:                         "did you mean mcpServers?",
		`{MCPServers: {}}`:                         "did you mean mcpServers?",
		`{mcp_servers: {}}`:                        "did you mean mcpServers?",
		`{servers: {a: {command: "x"}}}`:           "rename servers to mcpServers",
		`{inputs: []}`:                             "leave inputs out",
		`{tools: {toolSearch: {mode: "direct"}}}`:  "set tools.toolSearch to false to show every tool directly",
		`{tools: {toolSearch: "tools"}}`:           `write it as {mode: "tools"}`,
		`{tools: {toolSearch: {mode: "Tools"}}}`:   `did you mean "tools"?`,
		`{log: {}, log: {}}`:                       `the key "log" stands twice, both times in line 1; keep one`,
		`{log: {}, mcpServers: {}, mcpServers: 1}`: `both times in line 1`,
	} {
		if got := strings.Join(refuse(t, write(t, text)), "\n"); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestFlagsAreCalledAsOnTheCommandLine(t *testing.T) {
	o := write(t, "{}")
	o.Flags, o.FlagNames = []string{"gateway.listen=x"}, map[string]string{"gateway.listen": "--listen"}
	if got := refuse(t, o); got[0] != "flag --listen: gateway.listen: is not HOST:PORT (for example 127.0.0.1:7433)" {
		t.Errorf("got %q", got)
	}
}
