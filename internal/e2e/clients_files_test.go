package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// hidden stands in every place of a client's file that may hold a secret.
const hidden = "hidden-9f3a77c1"

// aClient is a client with a file as people have it: comments and odd
// indentation where the client allows them.
type aClient struct {
	name string
	// path starts at the home folder; "CONFIG" stands for the folder of configurations.
	path string
	text string
	// theme is a text in the file that has nothing to do with servers.
	theme string
	// servers are those that import takes over, off the one that comes in switched off.
	servers []string
	off     string
}

func clientsWithFiles() []aClient {
	return []aClient{
		{
			name: "claude-desktop", path: "CONFIG/Claude/claude_desktop_config.json", theme: `"dark"`, servers: []string{"files", "notes"},
			text: "{\n    \"globalShortcut\": \"Ctrl+Space\",\n  \"mcpServers\": {\n    \"files\": {\"command\": \"npx\", \"args\": [\"-y\", \"files-server\", \"" + hidden + "\"]},\n" +
				"      \"notes\": {\n         \"command\": \"notes-server\",\n         \"env\": {\n            \"NOTES_TOKEN\": \"" + hidden + "\"\n         }\n      }\n  },\n  \"theme\" : \"dark\"\n}\n",
		},
		{
			name: "claude-code", path: ".claude.json", theme: `"dark"`, servers: []string{"files", "web"},
			text: "{\n  \"numStartups\": 12,\n  \"theme\": \"dark\",\n  \"mcpServers\": {\n    \"files\": {\"type\": \"stdio\", \"command\": \"files-server\", \"args\": [], \"env\": {\"FILES_KEY\": \"" + hidden + "\"}},\n" +
				"    \"web\": {\"type\": \"http\", \"url\": \"https://mcp.example.com/mcp?key=" + hidden + "\", \"headers\": {\"Authorization\": \"Bearer " + hidden + "\"}}\n  },\n" +
				"  \"projects\": {\"/home/me/work\": {\"allowedTools\": [], \"history\": [{\"display\": \"hello \\u00e9\"}]}}\n}",
		},
		{
			name: "cursor", path: ".cursor/mcp.json", theme: "// the theme is dark", servers: []string{"files", "web"},
			text: "{\r\n\t// my servers\r\n\t\"mcpServers\": {\r\n\t\t\"files\": { \"command\": \"files-server\", \"env\": { \"FILES_KEY\": \"" + hidden + "\" } }, // for files\r\n" +
				"\t\t\"web\": { \"url\": \"https://mcp.example.com/" + hidden + "\", \"headers\": { \"X-Key\": \"" + hidden + "\" } },\r\n\t},\r\n\t// the theme is dark\r\n}\r\n",
		},
		{
			name: "vscode", path: "CONFIG/Code/User/mcp.json", theme: "// dark", servers: []string{"files", "web"},
			text: "// Servers of VS Code\n{\n   \"servers\": {\n      \"files\": {\n         \"type\": \"stdio\",\n         \"command\": \"files-server\",\n         \"args\": [\"--root\", \"/srv\"], /* all of it */\n" +
				"         \"env\": {\"FILES_KEY\": \"" + hidden + "\"},\n      },\n      \"web\": {\"type\": \"http\", \"url\": \"https://mcp.example.com/\", \"headers\": {\"X-Key\": \"" + hidden + "\"}},\n   },\n   // dark\n   \"inputs\": [],\n}\n",
		},
		{
			name: "codex", path: ".codex/config.toml", theme: `theme = "dark"`, servers: []string{"files", "web", "spare"}, off: "spare",
			text: "# Codex\nmodel = \"gpt-5\"   # the model\ntheme = \"dark\"\n\n[mcp_servers.files]\ncommand = 'files-server'\n  args = [\"-v\", \"" + hidden + "\"]\nenv = { FILES_KEY = \"" + hidden + "\" }  # keep\n\n" +
				"[mcp_servers.web]\nurl = \"https://mcp.example.com/mcp\"\nhttp_headers = { \"X-Key\" = \"" + hidden + "\" }\n\n[mcp_servers.spare]\ncommand = \"spare-server\"\nenabled = false\n\n[profiles.fast]\nmodel = \"gpt-5-mini\"\n",
		},
		{
			name: "windsurf", path: ".codeium/windsurf/mcp_config.json", theme: `"dark"`, servers: []string{"files", "web", "spare"}, off: "spare",
			text: "{\"mcpServers\":{\"files\":{\"command\":\"files-server\",\"env\":{\"FILES_KEY\":\"" + hidden + "\"}},\"web\":{\"serverUrl\":\"https://mcp.example.com/mcp\",\"headers\":{\"X-Key\":\"" + hidden + "\"}},\"spare\":{\"command\":\"spare-server\",\"disabled\":true}},\"theme\":\"dark\"}",
		},
		{
			name: "gemini", path: ".gemini/settings.json", theme: `"Dark"`, servers: []string{"files", "web"},
			text: "{\n  \"ui\": {\"theme\": \"Dark\"}, // as at night\n  \"mcpServers\": {\n    \"files\": {\n      \"command\": \"files-server\",\n      \"env\": {\"FILES_KEY\": \"" + hidden + "\"},\n      \"trust\": false\n    },\n" +
				"    \"web\": {\"httpUrl\": \"https://mcp.example.com/mcp\", \"headers\": {\"X-Key\": \"" + hidden + "\"}}\n  }\n}\n",
		},
		{
			name: "opencode", path: "CONFIG/opencode/opencode.json", theme: `"dark"`, servers: []string{"files", "web", "spare"}, off: "spare",
			text: "{\n\t\"$schema\": \"https://opencode.ai/config.json\",\n\t\"theme\": \"dark\", // nights\n\t\"mcp\": {\n\t\t\"files\": {\"type\": \"local\", \"command\": [\"files-server\", \"" + hidden + "\"], \"environment\": {\"FILES_KEY\": \"" + hidden + "\"}},\n" +
				"\t\t\"web\": {\"type\": \"remote\", \"url\": \"https://mcp.example.com/mcp\", \"headers\": {\"X-Key\": \"" + hidden + "\"}},\n\t\t\"spare\": {\"type\": \"local\", \"command\": [\"spare-server\"], \"enabled\": false}\n\t}\n}\n",
		},
	}
}

// seat is a home with one client in it.
type seat struct {
	*home
	client aClient
	// file is the client's.
	file string
}

// seatOf makes a home with the client's file and an empty configuration that
// has a comment in it.
func seatOf(t *testing.T, c aClient) *seat {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the clients' files lie elsewhere on this system")
	}
	h := newHome(t, "// mine\n{}\n")
	d := &seat{h, c, filepath.Join(h.dir, strings.Replace(c.path, "CONFIG", "c", 1))}
	if err := os.MkdirAll(filepath.Dir(d.file), 0o755); err != nil {
		t.Fatal(err)
	}
	d.put(c.text)
	return d
}

func (d *seat) put(text string) {
	d.t.Helper()
	if err := os.WriteFile(d.file, []byte(text), 0o640); err != nil {
		d.t.Fatal(err)
	}
}

// has checks the bytes of the client's file.
func (d *seat) has(want, when string) {
	d.t.Helper()
	got, err := os.ReadFile(d.file)
	if err != nil || string(got) != want {
		d.t.Fatalf("%s: %v; the file is\n%s\nwant\n%s", when, err, got, want)
	}
}

// now is what the client's file holds.
func (d *seat) now() string {
	d.t.Helper()
	text, err := os.ReadFile(d.file)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

// does runs a command that must succeed and may show no secret.
func (d *seat) does(verb string, args ...string) outcome {
	d.t.Helper()
	o := d.run(append([]string{verb, d.client.name}, args...)...)
	if o.code != 0 {
		d.t.Fatalf("%s %s %v ended with %d:\n%s%s", verb, d.client.name, args, o.code, o.stdout, o.stderr)
	}
	d.silent(o)
	return o
}

func (d *seat) silent(o outcome) {
	d.t.Helper()
	if strings.Contains(o.stdout+o.stderr, hidden) {
		d.t.Errorf("a secret is shown:\n%s%s", o.stdout, o.stderr)
	}
}

// importedServer is what `import --json` tells of one server.
type importedServer struct {
	Name, As, Action string
	Enabled          bool
	Env, Headers     []string
}

func (d *seat) imports(args ...string) []importedServer {
	d.t.Helper()
	var report struct{ Servers []importedServer }
	decode(d.t, d.does("import", append(args, "--json")...).stdout, &report)
	return report.Servers
}

func actions(list []importedServer) string {
	var words []string
	for _, s := range list {
		words = append(words, s.Name+" "+s.Action)
	}
	return strings.Join(words, ", ")
}

// each runs a test for every client.
func each(t *testing.T, f func(t *testing.T, d *seat)) {
	for _, c := range clientsWithFiles() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f(t, seatOf(t, c))
		})
	}
}

// Import, connect and disconnect leave the client's file byte for byte as it was.
func TestClientFilesComeBack(t *testing.T) {
	each(t, func(t *testing.T, d *seat) {
		d.does("import", "--dry-run")
		var want, again []string
		for _, name := range d.client.servers {
			want, again = append(want, name+" added"), append(again, name+" present")
		}
		if got := actions(d.imports("--dry-run")); got != strings.Join(want, ", ") {
			t.Fatalf("a dry run says %s, want %s", got, want)
		}
		if config, err := os.ReadFile(d.config); err != nil || string(config) != "// mine\n{}\n" {
			t.Fatalf("a dry run wrote %s (%v)", config, err)
		}
		list := d.imports()
		if got := actions(list); got != strings.Join(want, ", ") {
			t.Fatalf("import says %s, want %s", got, want)
		}
		for _, s := range list {
			if s.Enabled != (s.Name != d.client.off) {
				t.Errorf("%s is on: %t", s.Name, s.Enabled)
			}
		}
		if got := actions(d.imports()); got != strings.Join(again, ", ") {
			t.Errorf("a second import says %s, want %s", got, again)
		}
		d.has(d.client.text, "import only reads")
		config, err := os.ReadFile(d.config)
		if err != nil || !strings.HasPrefix(string(config), "// mine\n") || !strings.Contains(string(config), hidden) {
			t.Errorf("the configuration is %s (%v): want the comment and the servers", config, err)
		}
		d.ok("config", "validate")
		last := -1
		for _, name := range d.client.servers {
			at := strings.Index(string(config), name+`"`)
			if at < last {
				t.Errorf("the order is not the client's:\n%s", config)
			}
			last = at
		}

		d.does("connect", "--dry-run", "--disable-others")
		d.has(d.client.text, "a dry run")
		o := d.does("connect", "--disable-others")
		connected := d.now()
		if !strings.Contains(connected, "toolcrib") || connected == d.client.text {
			t.Fatalf("connect said %s and left\n%s", o.stdout, connected)
		}
		if info, err := os.Stat(d.file); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("the file's mode is %v now", info.Mode())
		}
		d.does("connect")
		d.has(connected, "a second connect has nothing to do")
		d.does("connect", "--mode", "tools", "--keep-others")
		d.does("disconnect", "--dry-run")
		d.does("disconnect")
		d.has(d.client.text, "disconnect")
		mentions(t, d.does("disconnect").stderr, "toolcrib is in no configuration of")
		d.has(d.client.text, "a second disconnect")
	})
}

// What toolcrib takes over is off in the client, and the entry starts this program.
func TestClientFilesShowToolcribAlone(t *testing.T) {
	each(t, func(t *testing.T, d *seat) {
		var report struct {
			Changed bool
			Backup  string
			Entry   struct {
				Name, Command string
				Args          []string
			}
			Disabled, Kept, Notes []string
		}
		decode(t, d.does("connect", "--import", "--json").stdout, &report)
		on := slices.DeleteFunc(slices.Clone(d.client.servers), func(s string) bool { return s == d.client.off })
		if !slices.Equal(report.Kept, on) || len(report.Disabled) > 0 {
			t.Errorf("without a flag and a terminal: kept %v, disabled %v, want %v kept", report.Kept, report.Disabled, on)
		}
		decode(t, d.does("connect", "--disable-others", "--json").stdout, &report)
		if !slices.Equal(report.Disabled, on) || len(report.Kept) > 0 || !report.Changed {
			t.Errorf("changed %t, disabled %v, kept %v, want %v disabled", report.Changed, report.Disabled, report.Kept, on)
		}
		wantArgs := []string{"mcp", "--config", d.config}
		if d.client.name == "codex" {
			wantArgs = slices.Insert(wantArgs, 1, "--mode", "direct")
		}
		if report.Entry.Command != binary || !slices.Equal(report.Entry.Args, wantArgs) {
			t.Errorf("the entry is %+v", report.Entry)
		}
		if backup, err := os.ReadFile(report.Backup); err != nil || string(backup) != d.client.text {
			t.Errorf("the backup %s: %v", report.Backup, err)
		}
		if info, err := os.Stat(report.Backup); err == nil && info.Mode() != 0o600 {
			t.Errorf("the backup's mode is %v", info.Mode())
		}
		for _, s := range d.imports("--dry-run") { // the client's servers, as toolcrib reads them now
			if s.Action == "toolcrib" {
				continue
			}
			if slices.Contains(on, s.Name) && s.Action != "present" {
				t.Errorf("%s is %s", s.Name, s.Action)
			}
		}
		d.does("disconnect")
		d.has(d.client.text, "disconnect")
	})
}

// What was edited since connect stays, and nothing else is changed.
func TestClientFilesKeepEdits(t *testing.T) {
	each(t, func(t *testing.T, d *seat) {
		edit := func(text string) string {
			changed := strings.Replace(text, d.client.theme, strings.NewReplacer("dark", "light", "Dark", "Light").Replace(d.client.theme), 1)
			if changed == text {
				t.Fatalf("%q is not in\n%s", d.client.theme, text)
			}
			return changed
		}
		d.does("import")
		d.does("connect", "--disable-others")
		d.put(edit(d.now()))
		d.does("connect", "--mode", "tools")
		d.does("disconnect")
		d.has(edit(d.client.text), "disconnect after an edit")

		// Without its record, connect's entry alone is taken out.
		d.does("connect")
		d.forget()
		d.does("disconnect")
		d.has(edit(d.client.text), "disconnect without a record")
	})
}

// forget takes connect's records away.
func (d *seat) forget() {
	d.t.Helper()
	if err := os.RemoveAll(filepath.Join(d.dir, "s", "toolcrib", "clients")); err != nil {
		d.t.Fatal(err)
	}
}

// An end between the record and the file leaves nothing that disconnect can't tell.
func TestClientFilesSurviveAnEndBeforeTheWrite(t *testing.T) {
	each(t, func(t *testing.T, d *seat) {
		d.does("import")
		d.does("connect", "--disable-others")
		d.put(d.client.text) // as if the last step had never been
		mentions(t, d.does("disconnect").stderr, "toolcrib is in no configuration of")
		d.has(d.client.text, "disconnect of what was never written")

		d.does("connect")
		d.put(d.client.text)
		d.does("connect", "--disable-others")
		d.does("disconnect")
		d.has(d.client.text, "connect over a record of what was never written")
	})
}

// kill -9 at any time leaves the old file or the new one.
func TestClientFilesSurviveKill(t *testing.T) {
	d := seatOf(t, clientsWithFiles()[2])
	d.does("import")
	d.does("connect", "--disable-others")
	connected := d.now()
	d.does("disconnect")
	seen := map[bool]int{}
	for i := range 24 {
		cmd := d.command("connect", d.client.name, "--disable-others")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		pause := time.NewTimer(time.Duration(i) * 2 * time.Millisecond)
		<-pause.C
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		now := d.now()
		if now != d.client.text && now != connected {
			t.Fatalf("after kill -9 the file is\n%s", now)
		}
		seen[now == connected]++
		d.does("disconnect")
		d.has(d.client.text, "disconnect after kill -9")
	}
	t.Logf("killed before the write %d times, after it %d times", seen[false], seen[true])
}

// A file that can't be used is left alone, and the error says why and where.
func TestClientFilesThatCannotBeUsed(t *testing.T) {
	each(t, func(t *testing.T, d *seat) {
		broken := d.client.text[:strings.LastIndex(d.client.text, hidden)+4]
		d.put(broken)
		for _, verb := range []string{"import", "connect", "disconnect"} {
			o := d.fails(3, []string{"the file of"}, verb, d.client.name)
			d.silent(o)
			d.has(broken, verb)
		}
		mentions(t, d.run("import").stderr, "the file of")

		d.put(d.client.text)
		if err := os.Chmod(d.file, 0o444); err != nil {
			t.Fatal(err)
		}
		d.fails(3, []string{"write-protected", "chmod u+w"}, "connect", d.client.name)
		d.has(d.client.text, "a read-only file")
	})
}

// A client that has no file yet gets one, and disconnect takes it away again.
func TestClientFilesAreMade(t *testing.T) {
	each(t, func(t *testing.T, d *seat) {
		gone := filepath.Dir(d.file)
		if gone == d.dir {
			gone = d.file
		}
		if err := os.RemoveAll(gone); err != nil {
			t.Fatal(err)
		}
		d.fails(4, []string{"has no configuration file here", "--file"}, "import", d.client.name)
		var report struct{ File, Backup string }
		decode(t, d.does("connect", "--json").stdout, &report)
		if d.file = report.File; report.Backup != "" {
			t.Errorf("there is a backup of nothing: %s", report.Backup)
		}
		if text := d.now(); !strings.Contains(text, "toolcrib") {
			t.Errorf("the file is %s", text)
		}
		if info, err := os.Stat(d.file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the new file's mode: %v, %v", info, err)
		}
		d.does("disconnect")
		if _, err := os.Stat(d.file); !os.IsNotExist(err) {
			t.Errorf("disconnect leaves the file that connect made: %v", err)
		}
	})
}

// What came in from a client runs, in the gateway that is there.
func TestImportedServersRun(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := aClient{
		name: "cursor", path: ".cursor/mcp.json",
		text: fmt.Sprintf("{\"mcpServers\": {\"my echo\": {\"command\": %q, \"env\": {%q: \"good\"}}, \"needy\": {\"command\": \"x\", \"env\": {\"K\": \"${env:NOT_SET_HERE}\"}}}}", self, fakeEnv),
	}
	d := seatOf(t, c)
	gateway := d.serve()
	o := d.does("import")
	mentions(t, o.stdout, "added as my-echo", "switched off")
	mentions(t, o.stderr, "NOT_SET_HERE", "mcp.servers.needy.enabled true", "toolcrib connect cursor")
	mentions(t, o.stderr, "the running gateway (process ", "takes them over by itself")
	gateway.ready("my-echo")
}

// The clients of a machine are listed with their files.
func TestClientsAreListed(t *testing.T) {
	all := clientsWithFiles()
	d := seatOf(t, all[0])
	want := map[string]int{}
	for _, c := range all {
		path := filepath.Join(d.dir, strings.Replace(c.path, "CONFIG", "c", 1))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		want[c.name] = len(c.servers)
	}
	var list struct {
		Clients []struct {
			Client string
			Files  []struct {
				Path     string
				Servers  int
				Toolcrib bool
			}
		}
	}
	decode(t, d.ok("import", "--json"), &list)
	got := map[string]int{}
	for _, c := range list.Clients {
		for _, f := range c.Files {
			got[c.Client] += f.Servers
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	o := d.run("import")
	mentions(t, o.stdout, "CLIENT", "cursor", ".cursor/mcp.json")
	d.silent(o)
	d.fails(4, []string{`there is no client "cursr"`, "did you mean cursor?"}, "connect", "cursr")
}
