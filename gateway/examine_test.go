package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
)

// examined is an examiner over servers that answered, and their configuration.
func examined(listings ...toolcrib.Listing) *examiner {
	x := &examiner{config: &config.Config{
		MCP: config.MCP{Servers: map[string]config.Server{}}, Gateway: config.Gateway{Listen: "127.0.0.1:7433"}, Path: "/c/config.json5",
	}}
	x.config.Tools.ToolSearch.Mode = "auto"
	for _, l := range listings {
		s := config.Server{Command: "x", Enabled: true}
		x.config.MCP.Servers[l.Owner] = s
		x.tried = append(x.tried, &trial{name: l.Owner, config: s, program: "/bin/x", probed: true, listing: l, shown: ServerReport{Server: l.Owner, OK: true, Tools: ProbedTools{Count: len(l.Tools)}}})
	}
	return x
}

// said is one line a finding: "LEVEL AREA WHAT @ WHERE > DO"; the notes on what
// is usually mended are left out, and what is well.
func said(list []Finding) []string {
	lines := []string{}
	for _, f := range list {
		if f.Level == LevelOK || strings.Contains(f.What, "commonly mend") {
			continue
		}
		line := fmt.Sprintf("%s %s %s", f.Level, f.Area, f.What)
		if f.Where != "" {
			line += " @ " + f.Where
		}
		if f.Do != "" {
			line += " > " + f.Do
		}
		lines = append(lines, line)
	}
	return lines
}

// has checks that one of the lines has all of the words.
func has(t *testing.T, lines []string, words ...string) {
	t.Helper()
	for _, line := range lines {
		all := true
		for _, word := range words {
			all = all && strings.Contains(line, word)
		}
		if all {
			return
		}
	}
	t.Errorf("no finding says %q:\n%s", words, strings.Join(lines, "\n"))
}

func (x *examiner) toolFindings(t *testing.T) []string {
	t.Helper()
	list, err := x.catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return said(list)
}

func TestCollisions(t *testing.T) {
	x := examined(offered("a", "search", "getUser"), offered("b", "search", "getuser"), offered("c", "Open", "open"), offered("d", "only"))
	got := x.toolFindings(t)
	want := []string{
		`warning tools tools of c have names that differ in case only @ mcp:c:Open, mcp:c:open > patterns of allow and deny can't tell them apart; direct mode names them c__Open, c__open; elsewhere call them by their ids`,
		`note tools tools of a, b have names that differ in case only @ mcp:a:getUser, mcp:b:getuser > direct mode names them a__getUser, b__getuser; elsewhere call them by their ids`,
		`note tools 1 tool of the same name in servers a, b: search > direct mode tells them apart, as a__search, b__search; elsewhere call them by their ids`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestManyCollisionsAreToldTogether(t *testing.T) {
	var names []string
	for i := range 30 {
		names = append(names, fmt.Sprintf("t%02d", i))
	}
	got := examined(offered("a", names...), offered("b", names...), offered("c", "t00")).toolFindings(t)
	has(t, got, "29 tools of the same name in servers a, b: t01, t02, t03 and 26 more", "a__t01, b__t01")
	has(t, got, "1 tool of the same name in servers a, b, c: t00")
	has(t, got, "servers b and a have the same tools", "toolcrib config set mcp.servers.b.enabled false")
	if len(got) != 3 {
		t.Errorf("%d lines:\n%s", len(got), strings.Join(got, "\n"))
	}
}

func TestTooManyTools(t *testing.T) {
	var names []string
	for i := range 150 {
		names = append(names, fmt.Sprintf("t%d:400", i))
	}
	x := examined(offered("a", append(names, "huge:30000")...))
	if got := x.toolFindings(t); len(got) != 1 {
		t.Errorf("with search there is the one large tool alone:\n%s", strings.Join(got, "\n"))
	}
	x.config.Tools.ToolSearch.Mode, x.config.Tools.ToolSearch.Enabled = "direct", new(false)
	got := x.toolFindings(t)
	has(t, got, "warning tools a model gets 152 tools, and OpenAI takes at most 128", "toolcrib config set tools.toolSearch auto", "mcp.servers.a.enabled false")
	has(t, got, "note tools a tool is about 75", "@ mcp:a:huge", `toolcrib config set mcp.servers.a.deny '["huge"]'`)
}

func TestSchemasAreJudgedAsTheyAreSent(t *testing.T) {
	odd := offered("a", "list", "list2", "union", "fine", "array")
	for i, text := range []string{
		`{"type":"object","properties":{"a":{"type":"array"}}}`,
		`{"type":"object","properties":{"b":{"type":"array"}}}`,
		`{"anyOf":[{"type":"object","properties":{"x":{"type":"string"}}},{"type":"object","properties":{"y":{"type":"string"}}}]}`, // direct mode mends it
		`{"type":"object","properties":{"a":{"type":"string"}}}`,
		`{"type":"array","items":{"type":"string"}}`, // direct mode can't show it
	} {
		odd.Tools[i].Parameters = []byte(text)
	}
	x := examined(odd)
	x.config.Tools.ToolSearch.Mode, x.config.Tools.ToolSearch.Enabled = "direct", new(false)
	got := x.toolFindings(t)
	has(t, got, "warning schemas 2 tools of a would be refused by gemini, openai: a list doesn't say what its items are @ mcp:a:list /properties/a")
	has(t, got, "warning tools a tool can't be shown in direct mode", "@ mcp:a:array")
	if len(got) != 2 {
		t.Errorf("%d lines:\n%s", len(got), strings.Join(got, "\n"))
	}
	x.config.Tools.ToolSearch.Mode, x.config.Tools.ToolSearch.Enabled = "tools", nil
	has(t, x.toolFindings(t), "note schemas in direct mode some schemas would be refused: gemini 2 tools, openai 2 tools")
}

func TestPatternsThatMatchNothing(t *testing.T) {
	x := examined(offered("a", "search", "open"))
	x.config.Tools.Deny = []string{"nosuch__*", "a__open"}
	x.tried[0].idle = idle("a", config.Server{Allow: []string{"S*", "zzz"}, Deny: []string{"OPEN", "q?"}}, x.tried[0].listing.Tools)
	got := x.toolFindings(t)
	has(t, got, `warning policy tools.deny "nosuch__*" matches no tool`)
	has(t, got, `mcp.servers.a.allow "zzz" matches no tool of the server`)
	has(t, got, `mcp.servers.a.deny "q?" matches no tool of the server`)
	if len(got) != 3 {
		t.Errorf("%d lines:\n%s", len(got), strings.Join(got, "\n"))
	}
	x.tried[0].listing.Known, x.tried[0].listing.Tools, x.tried[0].idle = false, nil, nil
	if got := x.toolFindings(t); len(got) != 0 {
		t.Errorf("patterns are accused though a server hasn't told its tools:\n%s", strings.Join(got, "\n"))
	}
}

func TestServersFindings(t *testing.T) {
	x := examined(offered("ok", "t"), offered("slow", "t"), offered("login"), offered("none"), offered("odd", "t"))
	x.tried[1].config.Command, x.tried[1].config.Args, x.tried[1].shown.TookMs = "npx", []string{"-y", "@x/server"}, 9000
	x.tried[2].shown = ServerReport{Reason: "HTTP 401", Hint: "set a token", Login: true, LoginAt: "https://h/.well-known/x"}
	x.tried[3].shown.Tools.Listed = 4
	x.tried[4].shown.Warnings = []string{"w1", "w2", "w3", "w4", "w5", "w6", "w7"}
	x.tried = append(x.tried, &trial{name: "gone", config: config.Server{Command: "uvx"}}, &trial{name: "me", config: config.Server{Command: "/usr/bin/toolcrib"}, program: "/usr/bin/toolcrib"})
	x.options.GOOS = "linux"
	got := said(x.servers())
	has(t, got, "warning servers server slow takes 9.0 s to start", "pin it (@x/server@VERSION)", "npm install -g @x/server")
	has(t, got, "error servers server login: HTTP 401", "set a token; it describes its login at https://h/.well-known/x; see more: toolcrib servers test login")
	has(t, got, "warning servers server none has no tools to use, and lists 4", "correct its allow and deny")
	has(t, got, "warning servers server odd: w5")
	has(t, got, "and 2 more of this kind")
	has(t, got, `error servers server gone: command "uvx" isn't there`, "astral.sh")
	has(t, got, "error servers server me is toolcrib itself")
	if len(got) != 11 {
		t.Errorf("%d lines:\n%s", len(got), strings.Join(got, "\n"))
	}
	x.options.Offline = true
	has(t, said(x.servers()), "note servers the servers were not started")
	has(t, said((&examiner{config: x.config}).servers()), "note servers no server is switched on")
}

func TestItself(t *testing.T) {
	x := examined()
	for _, c := range []struct {
		server config.Server
		itself bool
	}{
		{config.Server{Command: "toolcrib", Args: []string{"mcp"}}, true},
		{config.Server{Command: `C:\bin\Toolcrib.exe`}, true},
		{config.Server{Command: "toolcrib", Args: []string{"mcp", "--config", "/c/config.json5"}}, true},
		{config.Server{Command: "toolcrib", Args: []string{"mcp", "--config=/c/other.json5"}}, false},
		{config.Server{Command: "npx", Args: []string{"-y", "toolcrib@1"}}, true},
		{config.Server{Command: "npx", Args: []string{"-y", "mcp-remote", "http://localhost:7433/mcp"}}, true},
		{config.Server{Command: "npx", Args: []string{"-y", "mcp-remote", "http://localhost:7434/mcp"}}, false},
		{config.Server{Command: "node", Args: []string{"toolcribber.js"}}, false},
		{config.Server{URL: "http://[::1]:7433/mcp"}, true},
		{config.Server{URL: "https://example.com:7433/mcp"}, false},
		{config.Server{URL: "http://127.0.0.1/mcp"}, false},
	} {
		if why := x.itself(&trial{config: c.server}); (why != "") != c.itself {
			t.Errorf("%+v: %q", c.server, why)
		}
	}
}

func TestFaster(t *testing.T) {
	for text, want := range map[string]string{
		"npx -y pkg":                    "pin it (pkg@VERSION)",
		"npx -y @a/b@latest":            "asks for the newest version",
		"npx -y @a/b@1.2.3":             "install it once (npm install -g @a/b@1.2.3)",
		"npx --package=@a/b -- x":       "pin it (@a/b@VERSION)",
		"npx -p @a/b x":                 "pin it (@a/b@VERSION)",
		"npx":                           "pin it (PACKAGE@VERSION)",
		"uvx mcp-server-time":           "pin it (mcp-server-time==VERSION)",
		"uvx --from x==1 y":             "install it once (uv tool install x==1)",
		"bunx pkg":                      "bunx asks for",
		"docker run -i img":             "docker pull",
		"/opt/server --port=1":          "toolcrib servers test s",
		`C:\Program/npx.cmd -y pkg@1.0`: "install it once",
	} {
		words := strings.Fields(text)
		if got := faster("s", words[0], words[1:]); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q in it", text, got, want)
		}
	}
	if got := faster("s", "", nil); !strings.Contains(got, "host") {
		t.Errorf("a remote one: %q", got)
	}
}

func TestHowToGetACommand(t *testing.T) {
	home := t.TempDir()
	o := ExamineOptions{Home: home, GOOS: "linux"}
	for _, c := range []struct{ goos, command, want string }{
		{"linux", "npx", "nodejs"},
		{"darwin", "npx", "brew install node"},
		{"windows", "npx", "winget install OpenJS"},
		{"linux", "uvx", "astral"},
		{"linux", "python3", "python3"},
		{"linux", "docker", "docker.io"},
		{"linux", "bunx", "bun.com"},
		{"darwin", "deno", "brew install deno"},
		{"linux", "strange", "give its full path"},
		{"linux", "/opt/x/server", "correct the path"},
	} {
		o.GOOS = c.goos
		if got := o.get("s", c.command); !strings.Contains(got, c.want) {
			t.Errorf("%s on %s: %q, want %q in it", c.command, c.goos, got, c.want)
		}
	}
	o.GOOS = "linux"
	bin := filepath.Join(home, ".nvm", "versions", "node", "v22.1.0", "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "npx"), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	want := "toolcrib config set mcp.servers.s.env.PATH '" + bin + ":${PATH}'"
	if got := o.get("s", "npx"); !strings.Contains(got, want) || !strings.Contains(got, "desktop") {
		t.Errorf("a command of nvm: %q, want %q in it", got, want)
	}
	x := examiner{options: o, tried: []*trial{
		{name: "s", config: config.Server{Command: "npx"}, program: filepath.Join(bin, "npx")},
		{name: "again", config: config.Server{Command: "npx"}, program: filepath.Join(bin, "npx")},
		{name: "told", config: config.Server{Command: "node", Env: map[string]string{"PATH": bin}}, program: filepath.Join(bin, "node")},
		{name: "system", config: config.Server{Command: "sh"}, program: "/bin/sh"},
	}}
	f := &findings{area: AreaServers}
	x.desktop(f)
	got := said(f.list)
	has(t, got, "note servers command \"npx\" is in "+bin+", a folder of nvm", "mcp.servers.s.command")
	if len(got) != 1 {
		t.Errorf("%q", got)
	}
}

// Servers are tried some at once, neither one after another nor all together.
func TestServersAreTriedSomeAtOnce(t *testing.T) {
	var mu sync.Mutex
	now, most, met := map[string]int{}, 0, make(chan struct{})
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		now[r.URL.Path]++
		if most = max(most, len(now)); most == probesAtOnce {
			select {
			case <-met:
			default:
				close(met)
			}
		}
		mu.Unlock()
		select {
		case <-met: // the first ones wait for each other
		case <-r.Context().Done():
		}
		mu.Lock()
		if now[r.URL.Path]--; now[r.URL.Path] == 0 {
			delete(now, r.URL.Path)
		}
		mu.Unlock()
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer host.Close()
	c := examined().config
	for i := range 3 * probesAtOnce {
		c.MCP.Servers[fmt.Sprintf("s%02d", i)] = config.Server{URL: fmt.Sprintf("%s/%d", host.URL, i), Enabled: true}
	}
	c.MCP.Servers["off"] = config.Server{URL: host.URL + "/off"}
	var told []int
	e, err := Examine(t.Context(), c, ExamineOptions{Progress: func(done, all int, trying []string) {
		if told = append(told, done*100+all); len(trying) > probesAtOnce {
			t.Errorf("%d are tried: %q", len(trying), trying)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if all := 3 * probesAtOnce; most != probesAtOnce || len(e.Servers) != all || len(told) != 2*all || told[2*all-1] != 101*all {
		t.Errorf("at most %d at once, %d servers, progress %v", most, len(e.Servers), told)
	}
	for _, s := range e.Servers {
		if s.OK || !s.Login || s.Reason == "" {
			t.Errorf("%+v", s)
		}
	}
}

// Only commands that may have to fetch something get minutes.
func TestPatienceWithServers(t *testing.T) {
	for command, want := range map[string]time.Duration{"npx": fetchTime, "/usr/bin/docker": fetchTime, "uvx.exe": fetchTime, "node": probeTime, "": probeTime} {
		one := trial{config: config.Server{Command: command}}
		if command == "" {
			one.config.URL = "https://example.com/mcp"
		}
		if got := one.patience(); got != want {
			t.Errorf("%q gets %v, want %v", command, got, want)
		}
	}
}

func TestExamineEndsWithItsContext(t *testing.T) {
	x := examined(offered("a", "t"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Examine(ctx, x.config, ExamineOptions{}); toolcrib.KindOf(err) != toolcrib.KindCanceled {
		t.Errorf("err = %v", err)
	}
}

func TestProbeOfAnUnknownServer(t *testing.T) {
	x := examined(offered("github", "t"))
	for name, hint := range map[string]string{"githab": "did you mean github?", "zzz": "there are: github"} {
		_, err := Probe(t.Context(), x.config, name, ProbeOptions{})
		var e *toolcrib.Error
		if !errors.As(err, &e) || e.Kind != toolcrib.KindNotFound || e.Hint != hint {
			t.Errorf("%s: %v", name, err)
		}
	}
}
