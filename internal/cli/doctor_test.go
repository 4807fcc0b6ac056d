package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/gateway"
	"github.com/toolcrib/toolcrib/internal/config"
)

// run runs a command in a home of its own and returns what it writes and its code.
func run(t *testing.T, home string, environ []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	env := append([]string{"HOME=" + home, "XDG_STATE_HOME=" + filepath.Join(home, "s"), "XDG_CACHE_HOME=" + filepath.Join(home, "k"), "PATH=" + os.Getenv("PATH")}, environ...)
	code = Main(Process{
		Program: "toolcrib", Args: args, Environ: env, Home: home, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Version: "1.0",
		Exit: func(int) {},
	})
	return out.String(), errs.String(), code
}

// shortHome is a home with a short name, since a socket's path may not be long.
func shortHome(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "crib")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// configured writes a configuration file into a home and returns its path.
func configured(t *testing.T, home, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(home, "c.json5")
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// A configuration with a free port, so that a gateway of this machine is not met.
const quiet = `gateway: {listen: "127.0.0.1:1"}`

func TestDoctorOfConfigurations(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		mode  os.FileMode
		code  int
		words []string
		lacks string
	}{
		"well":      {`{` + quiet + `, mcp: {servers: {a: {command: "sh"}}}}`, 0o600, 0, []string{"is valid", "were not started", "2 notes"}, "error"},
		"broken":    {"{\n  tools: {alow: []}}\n}", 0o600, codeProblems, []string{"c.json5:3:1", "1 error"}, "is valid"},
		"all":       {"{tools: {alow: []},\n gateway: {listen: 'x'}}", 0o600, codeProblems, []string{"c.json5:1:10", "c.json5:2:", "did you mean", "2 errors"}, "is valid"},
		"warnings":  {`{` + quiet + `, tools: {maxResultBytes: 1}}`, 0o600, 0, []string{"warning  ", "tools.maxResultBytes: 1 is outside", "1 warning"}, "error"},
		"open":      {`{` + quiet + `, mcp: {servers: {a: {command: "sh", env: {API_TOKEN: "tok-12345678"}}}}}`, 0o644, 0, []string{"holds secrets, and others than you can read it", "chmod 600 "}, "tok-12345678"},
		"closed":    {`{` + quiet + `, mcp: {servers: {a: {command: "sh", env: {API_TOKEN: "tok-12345678"}}}}}`, 0o600, 0, []string{"is valid"}, "holds secrets"},
		"not in it": {`{` + quiet + `, mcp: {servers: {a: {command: "sh", env: {API_TOKEN: "${FROM_OUTSIDE}"}}}}}`, 0o644, 0, []string{"is valid"}, "holds secrets"},
		"missing":   {`{` + quiet + `, mcp: {servers: {a: {command: "no-such-program"}}}}`, 0o600, codeProblems, []string{`command "no-such-program" isn't there`, "1 error"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if c.mode == 0o644 && runtime.GOOS == "windows" {
				t.Skip("files have no mode there")
			}
			home := shortHome(t)
			out, errs, code := run(t, home, []string{"FROM_OUTSIDE=tok-87654321"}, "doctor", "--offline", "--config", configured(t, home, c.text, c.mode))
			if code != c.code || errs != "" {
				t.Errorf("ended with %d, want %d; stderr %q", code, c.code, errs)
			}
			for _, word := range c.words {
				if !strings.Contains(out, word) {
					t.Errorf("%q is not in:\n%s", word, out)
				}
			}
			if c.lacks != "" && strings.Contains(out, c.lacks) {
				t.Errorf("%q is in:\n%s", c.lacks, out)
			}
		})
	}
}

func TestDoctorJSON(t *testing.T) {
	home := shortHome(t)
	path := configured(t, home, `{`+quiet+`, mcp: {servers: {a: {command: "no-such-program"}}}}`, 0o600)
	out, _, code := run(t, home, nil, "doctor", "--json", "--config", path)
	var d struct {
		OK       bool
		Counts   map[string]int
		Findings []struct{ Level, Area, What, Where, Do string }
		Servers  []struct{ Server, Fault string }
		Runtimes []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatal(err)
	}
	if code != codeProblems || d.OK || d.Counts["error"] != 1 || len(d.Servers) != 1 || d.Servers[0].Fault != "command" || len(d.Runtimes) != 2 {
		t.Errorf("ended with %d: %+v", code, d)
	}
	if _, there := d.Counts["note"]; !there {
		t.Error("a level without findings has no count")
	}
}

// listenAt answers the control API's status at a socket.
func listenAt(t *testing.T, socket string, s client.Status) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(socket), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(s) })}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
}

func TestDoctorOfGateways(t *testing.T) {
	home := shortHome(t)
	path := configured(t, home, `{`+quiet+`}`, 0o600)
	paths, err := config.Locate(config.Options{Path: path, Home: home, Environ: []string{"HOME=" + home, "XDG_STATE_HOME=" + filepath.Join(home, "s")}})
	if err != nil {
		t.Fatal(err)
	}
	says := func(environ []string, words ...string) {
		t.Helper()
		out, _, code := run(t, home, environ, "doctor", "--offline", "--config", path)
		for _, word := range words {
			if !strings.Contains(out, word) {
				t.Errorf("%q is not in:\n%s", word, out)
			}
		}
		if code != 0 {
			t.Errorf("ended with %d", code)
		}
	}
	says([]string{"TOOLCRIB_STARTED_AS=fs"}, "no gateway of this configuration runs", "started by toolcrib, as its server fs")
	if err := os.MkdirAll(filepath.Dir(paths.Socket), 0o700); err != nil {
		t.Fatal(err)
	}
	left, err := net.Listen("unix", paths.Socket)
	if err != nil {
		t.Fatal(err)
	}
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	left.Close()
	says(nil, "its control socket is a leftover")
	if err := os.Remove(paths.Socket); err != nil {
		t.Fatal(err)
	}
	listenAt(t, paths.Socket, client.Status{PID: 77, Version: "0.9", ConfigHash: "older", SettingsHash: "others", Tools: 3, Mode: "tools"})
	listenAt(t, filepath.Join(filepath.Dir(paths.Socket), "gateway-00000000.sock"), client.Status{PID: 78, ConfigPath: "/other.json5", Listen: "http://127.0.0.1:1/mcp"})
	says(nil, "process 77, mode tools", "(process 77) has an older configuration in force", "started with other TOOLCRIB_ variables", "is version 0.9, and this program is 1.0",
		"another gateway runs: process 78, of the configuration /other.json5", "it has the address of this configuration")
}

func TestDoctorSeesATakenAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	home := shortHome(t)
	out, _, _ := run(t, home, nil, "doctor", "--offline", "--config", configured(t, home, fmt.Sprintf(`{gateway: {listen: %q}}`, l.Addr()), 0o600))
	if !strings.Contains(out, "another program listens at "+l.Addr().String()) {
		t.Errorf("it isn't in:\n%s", out)
	}
}

func TestDiagnosisIsInOrder(t *testing.T) {
	d := diagnosis{Findings: []gateway.Finding{
		{Level: gateway.LevelOK, Area: gateway.AreaServers, What: "1"},
		{Level: gateway.LevelNote, Area: gateway.AreaTools, What: "2"},
		{Level: gateway.LevelError, Area: gateway.AreaServers, What: "3"},
		{Level: gateway.LevelWarning, Area: gateway.AreaConfig, What: "4"},
		{Level: gateway.LevelError, Area: gateway.AreaServers, What: "5"},
	}, Counts: map[gateway.Level]int{}}
	d.sum()
	var order strings.Builder
	for _, f := range d.Findings {
		order.WriteString(f.What)
	}
	if order.String() != "43512" || d.OK || summary(d.Counts) != "2 errors, 1 warning, 1 note" {
		t.Errorf("order %s, ok %t, %s", order.String(), d.OK, summary(d.Counts))
	}
	if got := summary(map[gateway.Level]int{gateway.LevelOK: 3}); got != "all is well" {
		t.Errorf("nothing found: %q", got)
	}
}

// A command that is pasted must change the configuration that was looked at.
func TestFindingsNameTheConfiguration(t *testing.T) {
	all := []gateway.Finding{{Do: "switch it off: toolcrib config set a.b false; see: toolcrib servers test x"}, {Do: "install toolcrib anew"}}
	(&app{}).address(all)
	if all[0].Do != "switch it off: toolcrib config set a.b false; see: toolcrib servers test x" {
		t.Errorf("without --config: %q", all[0].Do)
	}
	(&app{configPath: "/my c.json5"}).address(all)
	if all[0].Do != "switch it off: toolcrib --config '/my c.json5' config set a.b false; see: toolcrib --config '/my c.json5' servers test x" || all[1].Do != "install toolcrib anew" {
		t.Errorf("%q", all)
	}
}

func TestIsolationFindings(t *testing.T) {
	none := gateway.Isolation{Runtimes: []gateway.CodeRuntime{{Name: "embedded", Reason: "no fence"}}}
	code := &config.Config{}
	code.Tools.ToolSearch = config.ToolSearch{Mode: "code", Enabled: new(true)}
	for want, f := range map[gateway.Level]gateway.Finding{
		gateway.LevelNote:    isolationFindings(none, nil)[0],
		gateway.LevelWarning: isolationFindings(none, code)[0],
		gateway.LevelOK:      isolationFindings(gateway.Isolation{Runtimes: []gateway.CodeRuntime{{Name: "node", OK: true}}}, code)[0],
	} {
		if f.Level != want {
			t.Errorf("%+v, want level %s", f, want)
		}
	}
}

// What servers say of themselves reaches a screen without control characters.
func TestReportIsClean(t *testing.T) {
	var out, errs bytes.Buffer
	a := newApp(Process{Stdout: &out, Stderr: &errs, StdoutTerminal: true, Environ: []string{"COLUMNS=80", "NO_COLOR=1"}})
	a.printReport(gateway.ServerReport{
		Server: "a", OK: true, Transport: "stdio", ServerName: "evil\x1b[2J", ServerVersion: "1", Protocol: "2025-11-25", Capabilities: json.RawMessage(`{"tools":{},"logging":{}}`),
		Instructions: "one\x07\n\n" + strings.Repeat("long ", 100) + "\n3\n4\n5\n6\n7", Steps: []gateway.ProbeStep{{Name: "start", TookMs: 3}, {Name: "handshake", TookMs: 4, Failed: true}}, TookMs: 7,
		Tools: gateway.ProbedTools{Count: 2, Listed: 3, Bytes: 400, Tokens: 100, Largest: []client.ToolStats{{ID: "mcp:a:x", Bytes: 300, Tokens: 75, Share: 75}}}, Warnings: []string{"odd"},
	})
	if err := a.out.flush(); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{"evil[2J 1", "logging, tools", "2, 400 bytes, about 100 tokens in direct mode (3 are listed", "instructions one\n", "5 …", "handshake  4 ms  failed", "total      7 ms", "mcp:a:x"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	if strings.ContainsAny(text, "\x1b\x07") || strings.Contains(text, "\n6") || !strings.Contains(errs.String(), "odd") {
		t.Errorf("%q and %q", text, errs.String())
	}
	for line := range strings.Lines(text) {
		if len([]rune(line)) > 81 {
			t.Errorf("a long line: %q", line)
		}
	}
}

func TestFailedServerHasItsKind(t *testing.T) {
	for want, r := range map[toolcrib.Kind]gateway.ServerReport{
		toolcrib.KindUnavailable:  {Server: "a", Fault: "exit", Reason: "it ended", Hint: "look"},
		toolcrib.KindUnauthorized: {Server: "a", Fault: "login", Login: true, LoginAt: "https://h/x"},
		toolcrib.KindConfig:       {Server: "a", Fault: "config"},
	} {
		var e *toolcrib.Error
		if err := failed(r); !errors.As(err, &e) || e.Kind != want || !strings.Contains(e.Hint, strings.Join([]string{r.Hint, r.LoginAt}, "")) {
			t.Errorf("%+v is %v, want kind %s", r, err, want)
		}
	}
}

func TestStatsNameWhatToSwitchOff(t *testing.T) {
	var out bytes.Buffer
	a := newApp(Process{Stdout: &out})
	a.configPath = "/my config.json5"
	a.printStats(client.Stats{
		Tokenizer: "an estimate", Modes: []client.ModeStats{{Mode: "direct", Visible: 3, Bytes: 400, Tokens: 100}, {Mode: "tools", Visible: 3, Bytes: 80, Tokens: 20}}, Owners: []client.OwnerStats{{Owner: "a", Tools: 3, Bytes: 398, Tokens: 99}},
		Largest: []client.ToolStats{{ID: "mcp:a:x", Bytes: 300, Tokens: 75, Share: 75.2}},
		Savings: []client.Saving{{Command: "toolcrib config set mcp.servers.a.enabled false", Owner: "a", Reason: "it is large", Bytes: 398, Tokens: 99}, {Command: "c", Owner: "a", Tool: "mcp:a:x", Bytes: 300, Tokens: 75}},
	})
	if err := a.out.flush(); err != nil {
		t.Fatal(err)
	}
	want := `MODE    TOOLS SHOWN  BYTES  TOKENS
direct  3            400    100
tools   3            80     20
tokens are an estimate

OWNER  TOOLS  BYTES  TOKENS
a      3      398    99

LARGEST TOOL  BYTES  TOKENS  SHARE
mcp:a:x       300    75      75.2 %

A model that searches sees about 20 tokens in mode tools, whatever is switched off:
what follows helps mode direct only.

To make the direct list smaller, switch off first:
1. server a: saves 398 bytes, about 99 tokens; it is large
   toolcrib config set mcp.servers.a.enabled false --config '/my config.json5'
2. tool mcp:a:x: saves 300 bytes, about 75 tokens; 
   c --config '/my config.json5'
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
