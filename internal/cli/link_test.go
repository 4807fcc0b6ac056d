package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// secretText stands where a client's file may hold a secret.
const secretText = "hidden-1c9e"

// cursorFile is a file of Cursor's with two servers.
const cursorFile = `{
  // servers
  "mcpServers": {
    "files": {"command": "files-server", "env": {"KEY": "` + secretText + `"}},
    "web": {"url": "https://mcp.example.com/` + secretText + `", "headers": {"X-Key": "` + secretText + `"}},
  },
}
`

// table is a person's desk: a home with Cursor's file in it.
type table struct {
	t       *testing.T
	home    string
	file    string
	process Process
}

func newTableOf(t *testing.T, text string) *table {
	home := t.TempDir()
	d := &table{t: t, home: home, file: put(t, filepath.Join(home, ".cursor", "mcp.json"), text, 0o600)}
	program := put(t, filepath.Join(home, "bin", "toolcrib"), "x", 0o700)
	d.process = Process{Program: program, Executable: program, Home: home, Dir: filepath.Join(home, "work"), Environ: []string{"PATH=/nowhere"}, Stdin: strings.NewReader("")}
	return d
}

// run runs a command and returns its exit code and what it wrote.
func (d *table) run(args ...string) (code int, stdout, stderr string) {
	d.t.Helper()
	var out, errs bytes.Buffer
	p := d.process
	p.Args, p.Stdout, p.Stderr = args, &out, &errs
	code = Main(p)
	if strings.Contains(out.String()+errs.String(), secretText) {
		d.t.Errorf("%v shows a secret:\n%s%s", args, out.String(), errs.String())
	}
	return code, out.String(), errs.String()
}

// ok runs a command that must succeed, and says each of the words.
func (d *table) ok(words []string, args ...string) {
	d.t.Helper()
	code, stdout, stderr := d.run(args...)
	d.says(0, words, code, stdout, stderr, args)
}

// fails runs a command that must end with a code, and says each of the words.
func (d *table) fails(code int, words []string, args ...string) {
	d.t.Helper()
	got, stdout, stderr := d.run(args...)
	d.says(code, words, got, stdout, stderr, args)
}

func (d *table) says(want int, words []string, code int, stdout, stderr string, args []string) {
	d.t.Helper()
	for _, word := range words {
		if !strings.Contains(stdout+stderr, word) {
			d.t.Errorf("%v doesn't say %q:\n%s%s", args, word, stdout, stderr)
		}
	}
	if code != want {
		d.t.Fatalf("%v ended with %d, want %d:\n%s%s", args, code, want, stdout, stderr)
	}
}

// config writes toolcrib's own configuration.
func (d *table) config(text string) {
	d.t.Helper()
	put(d.t, filepath.Join(d.home, ".config", "toolcrib", "config.json5"), text, 0o600)
}

func TestImportSaysWhatItDoes(t *testing.T) {
	for name, tt := range map[string]struct {
		config string
		args   []string
		code   int
		words  []string
	}{
		"new":                 {"", nil, 0, []string{"files", "added", "env KEY", "https://mcp.example.com", "headers X-Key", "2 servers added to", "toolcrib connect cursor"}},
		"dry run":             {"", []string{"--dry-run"}, 0, []string{"nothing was written", "2 servers would be added"}},
		"there already":       {`{mcp: {servers: {mine: {command: "files-server", env: {KEY: "` + secretText + `"}, timeoutMs: 5000}}}}`, nil, 0, []string{"already there as mine", "1 server added"}},
		"another":             {`{mcp: {servers: {files: {command: "x"}}}}`, nil, 0, []string{"skipped", `another server "files"`, `--rename takes this one over as "files-2"`}},
		"another, renamed":    {`{mcp: {servers: {files: {command: "x"}}}}`, []string{"--rename"}, 0, []string{"added as files-2", "2 servers added"}},
		"broken own":          {`{mcp: `, nil, 3, []string{"config.json5:1:"}},
		"no such scope":       {"", []string{"--scope", "team"}, 2, []string{`no scope "team"`, "user, project or local"}},
		"nothing in scope":    {"", []string{"--scope", "project"}, 4, []string{"Cursor has no configuration file here", "mcp.json", "--file"}},
		"no such file":        {"", []string{"--file", "absent.json"}, 4, []string{"absent.json does not exist"}},
		"a file by itself":    {"", []string{"--file", "../.cursor/mcp.json"}, 0, []string{"2 servers added"}},
		"a config of its own": {"", []string{"--config", "CONFIG"}, 0, []string{"2 servers added", "toolcrib connect cursor --config"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTableOf(t, cursorFile)
			if tt.config != "" {
				d.config(tt.config)
			}
			args := append([]string{"import", "cursor"}, tt.args...)
			if i := slices.Index(args, "CONFIG"); i > 0 {
				args[i] = put(t, filepath.Join(d.home, "own.json5"), "{}", 0o600)
			}
			d.fails(tt.code, tt.words, args...)
			holds(t, d.file, cursorFile)
		})
	}
}

// A whole line in the place of a command comes in switched off; its words aren't shown.
func TestImportDoesNotShowLines(t *testing.T) {
	d := newTableOf(t, `{"mcpServers": {"line": {"command": "npx -y srv --token /`+secretText+`"}}}`)
	d.process.Environ = append(d.process.Environ, "HOME="+d.home)
	d.ok([]string{"added, switched off", "npx\n", "its command is a whole line (npx …)", "mcp.servers.line.enabled true"}, "import", "cursor")
	d.ok([]string{"line stays on in Cursor: toolcrib's line is switched off"}, "connect", "cursor", "--disable-others", "--dry-run")
	d.ok([]string{"line", "off"}, "servers", "list")
	d.ok(nil, "config", "set", "mcp.servers.line.enabled", "true")
	d.fails(10, []string{`command "npx …" isn't there`, "mcp.servers.line.args"}, "doctor")
	d.ok([]string{`command "npx …" not found`}, "servers", "list")
}

func TestImportSkipsToolcrib(t *testing.T) {
	d := newTableOf(t, `{"mcpServers": {"crib": {"command": "/usr/local/bin/toolcrib", "args": ["mcp"]}}}`)
	d.ok([]string{"skipped: toolcrib itself", "nothing is new"}, "import", "cursor")
	d.ok([]string{"toolcrib"}, "import")
}

func TestConnectRefusesWhatIsNotMeant(t *testing.T) {
	d := newTableOf(t, cursorFile)
	d.config(`{agents: {list: [{id: "research"}]}}`)
	d.fails(2, []string{"CLIENT is missing"}, "connect")
	d.fails(4, []string{`no client "curser"`, "did you mean cursor?"}, "connect", "curser")
	d.fails(2, []string{"--keep-others"}, "connect", "cursor", "--keep-others", "--disable-others")
	d.fails(2, []string{`no mode "fast"`}, "connect", "cursor", "--mode", "fast")
	d.fails(4, []string{`no agent "reserch"`, "did you mean research?"}, "connect", "cursor", "--agent", "reserch")
	d.fails(2, []string{"no file of scope local"}, "connect", "cursor", "--scope", "local")
	d.fails(2, []string{`no scope "team"`}, "connect", "cursor", "--scope", "team")
	holds(t, d.file, cursorFile)
}

// Without an answer servers stay, and it is said what that costs.
func TestConnectSaysWhatIsNext(t *testing.T) {
	d := newTableOf(t, cursorFile)
	d.ok([]string{"toolcrib has none of the 2 servers", "toolcrib import cursor", "connect cursor --import"}, "connect", "cursor", "--dry-run")
	holds(t, d.file, cursorFile)
	d.ok([]string{"2 servers would be added", "nothing is saved", "nothing was written"}, "connect", "cursor", "--import", "--dry-run")
	holds(t, d.file, cursorFile)
	d.ok([]string{"2 servers added", "both show files, web", "nothing is saved", "--disable-others", "backup", "Cursor", "toolcrib disconnect cursor"}, "connect", "cursor", "--import")
	d.ok([]string{"connected already"}, "connect", "cursor")
	d.ok([]string{"switched off files, web"}, "connect", "cursor", "--yes")
	d.ok([]string{"connected already"}, "connect", "cursor", "--disable-others")
	d.ok([]string{"is as it was before", "on again: files, web", "restart Cursor"}, "disconnect", "cursor")
	holds(t, d.file, cursorFile)
	d.ok([]string{"in no configuration of Cursor"}, "disconnect", "cursor")
}

// A person at a terminal is asked; anything but yes leaves the servers on.
func TestConnectAsks(t *testing.T) {
	for answer, off := range map[string]bool{"y\n": true, "YES\n": true, "n\n": false, "\n": false, "": false, "maybe\n": false} {
		t.Run(answer, func(t *testing.T) {
			d := newTableOf(t, cursorFile)
			d.ok(nil, "import", "cursor")
			d.process.StdinTerminal, d.process.StderrTerminal, d.process.Stdin = true, true, strings.NewReader(answer)
			d.ok([]string{"Switch them off there", "files, web"}, "connect", "cursor")
			if _, stdout, _ := d.run("import", "--json"); strings.Contains(stdout, `"servers": 2`) == off {
				t.Errorf("after %q Cursor has:\n%s", answer, stdout)
			}
			d.ok(nil, "disconnect", "cursor")
			holds(t, d.file, cursorFile)
		})
	}
}

// rewriting changes a file when somebody starts to read an answer.
type rewriting struct {
	path, text string
	io.Reader
}

func (r rewriting) Read(p []byte) (int, error) {
	if err := os.WriteFile(r.path, []byte(r.text), 0o600); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// A file that changes between reading and writing keeps what the other wrote.
func TestConnectLosesNoRace(t *testing.T) {
	d := newTableOf(t, cursorFile)
	d.ok(nil, "import", "cursor")
	other := strings.Replace(cursorFile, "// servers", "// my servers", 1)
	d.process.StdinTerminal, d.process.StderrTerminal = true, true
	d.process.Stdin = rewriting{d.file, other, strings.NewReader("y\n")}
	d.fails(3, []string{"nothing was written"}, "connect", "cursor")
	holds(t, d.file, other)
	d.ok([]string{"in no configuration of Cursor"}, "disconnect", "cursor")
	holds(t, d.file, other)
}

// Only what toolcrib runs just as the client does is switched off there; of each
// other it is said why it stays on.
func TestConnectSwitchesOffOnlyTheSame(t *testing.T) {
	const web = `web: {url: "https://mcp.example.com/` + secretText + `", headers: {"X-Key": "` + secretText + `"}`
	const files = `files: {command: "files-server", env: {KEY: "` + secretText + `"}`
	for name, tt := range map[string]struct {
		config   string
		disabled []string
		notes    []string
	}{
		"both the same":          {files + `}, ` + web + `}`, []string{"files", "web"}, nil},
		"the same by a name":     {`mine: {command: "files-server", timeoutMs: 9000, allow: ["a"], env: {KEY: "` + secretText + `"}}, ` + web + `}`, []string{"files", "web"}, nil},
		"another command":        {`files: {command: "other-server"}, ` + web + `}`, []string{"web"}, []string{"files stays on in Cursor: toolcrib's files is another one (command, env differ)"}},
		"other variables":        {`files: {command: "files-server", env: {KEY: "x"}}, ` + web + `}`, []string{"web"}, []string{"files stays on in Cursor: toolcrib's files is another one (env differ)"}},
		"no variables, a name":   {`mine: {command: "files-server"}, ` + web + `}`, []string{"web"}, []string{"files stays on in Cursor: toolcrib's mine is another one (env differ)"}},
		"another folder":         {files + `, cwd: "/srv"}, ` + web + `}`, []string{"web"}, []string{"files stays on in Cursor: toolcrib's files is another one (cwd differ)"}},
		"other headers":          {files + `}, web: {url: "https://mcp.example.com/` + secretText + `"}`, []string{"files"}, []string{"web stays on in Cursor: toolcrib's web is another one (headers differ)"}},
		"off":                    {files + `}, ` + web + `, enabled: false}`, []string{"files"}, []string{"web stays on in Cursor: toolcrib's web is switched off"}},
		"off, and on as another": {files + `, enabled: false}, mine: {command: "files-server", env: {KEY: "` + secretText + `"}}`, []string{"files"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTableOf(t, cursorFile)
			d.ok(nil, "import", "cursor") // so that names are remembered
			d.config(`{mcp: {servers: {` + tt.config + `}}}`)
			var report linkReport
			_, stdout, _ := d.run("connect", "cursor", "--disable-others", "--json")
			if err := json.Unmarshal([]byte(stdout), &report); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(report.Disabled, tt.disabled) || !slices.Equal(report.Notes, tt.notes) {
				t.Errorf("disabled %q, notes %q; want %q and %q", report.Disabled, report.Notes, tt.disabled, tt.notes)
			}
			if len(report.Kept) > 0 {
				t.Errorf("kept %v", report.Kept)
			}
		})
	}
}

// With --import, what import leaves out, or takes over switched off, stays on.
func TestConnectLeavesOnWhatImportDidNotTake(t *testing.T) {
	d := newTableOf(t, `{"mcpServers": {"same": {"command": "a"}, "other": {"command": "b"}, "needy": {"command": "c", "env": {"K": "${env:NOT_SET_HERE}"}}}}`)
	d.config(`{mcp: {servers: {other: {command: "x"}}}}`)
	var report linkReport
	_, stdout, _ := d.run("connect", "cursor", "--import", "--disable-others", "--json")
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatal(err)
	}
	want := []string{"other stays on in Cursor: toolcrib's other is another one (command differ)", "needy stays on in Cursor: toolcrib's needy is switched off"}
	for _, note := range want {
		if !slices.Contains(report.Notes, note) {
			t.Errorf("the notes are %q, want %q", report.Notes, note)
		}
	}
	if !slices.Equal(report.Disabled, []string{"same"}) {
		t.Errorf("disabled %v", report.Disabled)
	}
}

// The servers in the client's other files are named, since connect leaves them on.
func TestConnectNamesWhatStaysOnElsewhere(t *testing.T) {
	d := newTableOf(t, cursorFile)
	project := put(t, filepath.Join(d.process.Dir, ".cursor", "mcp.json"), `{"mcpServers": {"docs": {"command": "docs-server"}, "toolcrib": {"command": "toolcrib"}}}`, 0o600)
	d.ok([]string{"on in " + d.file + " too (scope user)", "files, web"}, "connect", "cursor", "--scope", "project", "--dry-run")
	d.ok([]string{"on in " + project + " too (scope project), which connect leaves alone: docs\n"}, "connect", "cursor", "--import", "--disable-others")
}

// The client may not have the variables that this shell has.
func TestConnectNamesVariables(t *testing.T) {
	d := newTableOf(t, `{}`)
	d.process.Environ = append(d.process.Environ, "TRACKER_TOKEN="+secretText)
	d.config(`{mcp: {servers: {a: {command: "x", env: {T: "${TRACKER_TOKEN}", H: "${HOME}"}}, b: {command: "x", enabled: false, env: {T: "${OTHER}"}}}}}`)
	d.ok([]string{"takes TRACKER_TOKEN from the environment: Cursor must be started with that set"}, "connect", "cursor", "--dry-run")
	d.ok([]string{`env_vars = ["TRACKER_TOKEN"]`}, "connect", "codex", "--dry-run")
	d.ok([]string{`"env": {"TRACKER_TOKEN": "$TRACKER_TOKEN"}`}, "connect", "gemini", "--dry-run")
}

// Without its record disconnect can't switch servers on again, and says where they are.
func TestDisconnectSaysWhatIsLost(t *testing.T) {
	const lost = "there is no record of connect"
	d := newTableOf(t, cursorFile)
	d.ok(nil, "connect", "cursor", "--import", "--disable-others")
	if err := os.RemoveAll(filepath.Join(d.home, ".local", "state", "toolcrib")); err != nil {
		t.Fatal(err)
	}
	d.ok([]string{"has toolcrib no more", lost, "config.json5 still has files, web"}, "disconnect", "cursor")

	d = newTableOf(t, cursorFile)
	d.ok(nil, "connect", "cursor", "--import", "--keep-others")
	if err := os.RemoveAll(filepath.Join(d.home, ".local", "state", "toolcrib")); err != nil {
		t.Fatal(err)
	}
	if _, stdout, stderr := d.run("disconnect", "cursor"); strings.Contains(stdout+stderr, lost) {
		t.Errorf("nothing was switched off, yet it says:\n%s%s", stdout, stderr)
	}
}

// An entry that somebody wrote by hand is used, and comes back.
func TestConnectUsesTheEntryThatIsThere(t *testing.T) {
	byHand := `{"mcpServers": {"crib": {"command": "toolcrib", "args": ["mcp", "--mode", "code"]}}}`
	d := newTableOf(t, byHand)
	d.ok([]string{`stands there as "crib" already`, "mcp --mode tools"}, "connect", "cursor", "--mode", "tools")
	d.ok([]string{"is as it was before"}, "disconnect", "cursor")
	holds(t, d.file, byHand)
}

// A second file of the same client has a record of its own.
func TestDisconnectUndoesEveryFile(t *testing.T) {
	d := newTableOf(t, cursorFile)
	project := put(t, filepath.Join(d.home, "work", "mcp.json"), `{"mcpServers": {}}`, 0o600)
	d.ok(nil, "connect", "cursor")
	d.ok(nil, "connect", "cursor", "--file", project, "--scope", "project", "--name", "crib")
	if text, _ := os.ReadFile(project); !strings.Contains(string(text), `"crib"`) {
		t.Errorf("the file is %s", text)
	}
	d.ok([]string{d.file, project}, "disconnect", "cursor")
	holds(t, d.file, cursorFile)
	holds(t, project, `{"mcpServers": {}}`)
}

// An edit among the very lines that connect wrote stays, and the servers come back.
func TestDisconnectKeepsWhatWasWrittenBeside(t *testing.T) {
	d := newTableOf(t, cursorFile)
	d.ok(nil, "connect", "cursor", "--import", "--disable-others")
	text, err := os.ReadFile(d.file)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(text), `"toolcrib":`, `"extra": {"command": "extra-server"}, "toolcrib":`, 1)
	put(t, d.file, edited, 0o600)
	d.ok([]string{"has toolcrib no more", "on again: files, web"}, "disconnect", "cursor")
	var report importReport
	_, stdout, _ := d.run("import", "cursor", "--json")
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range report.Servers {
		got = append(got, s.Name+" "+s.Action)
	}
	slices.Sort(got)
	if want := []string{"extra added", "files present", "web present"}; !slices.Equal(got, want) {
		t.Errorf("Cursor has %v, want %v", got, want)
	}
	now, _ := os.ReadFile(d.file)
	if !strings.Contains(string(now), "// servers") || strings.Contains(string(now), "toolcrib") {
		t.Errorf("the file is\n%s", now)
	}
}

// A broken file of a scope that isn't needed keeps nobody from the others.
func TestOneBrokenFileIsOnlyOne(t *testing.T) {
	d := newTableOf(t, cursorFile)
	broken := put(t, filepath.Join(d.process.Dir, ".cursor", "mcp.json"), `{"mcpServers": {"x": {"command": "`+secretText, 0o600)
	d.ok([]string{"2 servers added", "warning: the file of Cursor can't be read: " + broken}, "import", "cursor")
	d.ok([]string{"?", "the file of Cursor can't be read"}, "import")
	d.ok(nil, "connect", "cursor")
	d.ok([]string{"is as it was before"}, "disconnect", "cursor")
	d.fails(3, []string{broken}, "connect", "cursor", "--scope", "project")
	d.fails(3, []string{broken}, "disconnect", "cursor", "--file", broken)
}
