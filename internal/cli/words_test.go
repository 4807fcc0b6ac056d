package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// What a person likely meant is said.
func TestErrorsSayWhatWasMeant(t *testing.T) {
	const two = `{mcp: {servers: {files: {command: "sh"}, notes: {command: "sh"}}}}`
	for name, tt := range map[string]struct {
		config string
		args   []string
		code   int
		words  []string
	}{
		"a server that is misspelt":  {two, []string{"config", "set", "mcp.servers.filse.timeoutMs", "30000"}, 4, []string{`there is no server "filse"`, "did you mean files?"}},
		"a server that isn't there":  {two, []string{"config", "set", "mcp.servers.zzz.env.KEY", "x"}, 4, []string{`there is no server "zzz"`, "there are: files, notes", `config set mcp.servers.zzz '{command: "PROGRAM"}'`}},
		"no servers":                 {`{}`, []string{"config", "set", "mcp.servers.zzz.timeoutMs", "1"}, 4, []string{`there is no server "zzz"`, "add it first"}},
		"a new server":               {two, []string{"config", "set", "mcp.servers.zzz.command", "sh"}, 0, []string{"not set → \"sh\""}},
		"a server of the old block":  {`{mcpServers: {files: {command: "sh"}}}`, []string{"config", "set", "mcp.servers.files.timeoutMs", "5000"}, 0, []string{"5000"}},
		"a time with its unit":       {two, []string{"config", "set", "mcp.servers.files.timeoutMs", "30s"}, 3, []string{"write milliseconds", "30000 for 30 seconds"}},
		"code in place of a file":    {two, []string{"code", "run", "return 1"}, 2, []string{"give - in place of a file", "echo 'return 1' | toolcrib code run -"}},
		"a file that is not there":   {two, []string{"code", "run", "body.js"}, 2, []string{"cannot read the code"}},
		"a flag that is misspelt":    {two, []string{"doctor", "--ofline"}, 2, []string{"did you mean --offline?"}},
		"a flag like none":           {two, []string{"doctor", "--xyzzyx"}, 2, []string{"see: toolcrib doctor --help"}},
		"a server, then a tool":      {two, []string{"tools", "call", "files", "read_file"}, 2, []string{"files is a server", "toolcrib tools call mcp:files:read_file", "tools list --owner files"}},
		"a tool, then no argument":   {two, []string{"tools", "call", "fils", "read_file"}, 2, []string{`"read_file" is not KEY=VALUE`}},
		"one warning":                {`{tools: {maxResultBytes: 1}}`, []string{"config", "get", "gateway.listen"}, 0, []string{"tools.maxResultBytes: 1 is outside"}},
		"two warnings":               {`{tools: {maxResultBytes: 1}, mcp: {servers: {a: {command: "sh", timeoutMs: 1}}}}`, []string{"config", "get", "gateway.listen"}, 0, []string{"2 warnings about the configuration: toolcrib config validate"}},
		"a client that isn't here":   {two, []string{"connect", "windsurf", "--dry-run"}, 0, []string{"Windsurf has no configuration here yet"}},
		"no servers to offer":        {`{}`, []string{"connect", "cursor", "--dry-run"}, 0, []string{"toolcrib has no servers that are on"}},
		"import of what is new only": {`{}`, []string{"connect", "cursor", "--import", "--dry-run"}, 0, []string{"2 servers would be added"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTableOf(t, cursorFile)
			d.config(tt.config)
			d.fails(tt.code, tt.words, tt.args...)
		})
	}
}

// What isn't worth saying is left out.
func TestWordsThatAreLeftOut(t *testing.T) {
	d := newTableOf(t, cursorFile)
	d.process.Dir = d.home // the project's file is the user's
	if _, stdout, _ := d.run("import"); strings.Count(stdout, filepath.Join(".cursor", "mcp.json")) != 1 {
		t.Errorf("one file is listed more than once:\n%s", stdout)
	}
	if _, _, stderr := d.run("connect", "cursor", "--import", "--dry-run"); strings.Contains(stderr, "already there") {
		t.Errorf("none are there already:\n%s", stderr)
	}
}

// A name of any length leaves the table in its columns.
func TestLongNamesAreCut(t *testing.T) {
	d := newTableOf(t, `{"mcpServers": {"`+strings.Repeat("n", 5000)+`": {"command": "x", "env": {"`+strings.Repeat("E", 5000)+`": ""}}}}`)
	_, stdout, _ := d.run("import", "cursor", "--dry-run")
	for line := range strings.Lines(stdout) {
		if len([]rune(line)) > 5*maxCell {
			t.Errorf("a line has %d characters", len([]rune(line)))
		}
	}
}

// Without a home folder it is said why nothing is found.
func TestWithoutHome(t *testing.T) {
	d := newTableOf(t, cursorFile)
	d.process.Home = ""
	d.ok([]string{"HOME is not set"}, "import")
	d.fails(3, []string{"HOME is not set", "set HOME or"}, "config", "path")
	d.fails(10, []string{"HOME is not set"}, "doctor", "--offline")
}
