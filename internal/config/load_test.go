package config

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
)

// write puts text into a configuration file of its own and returns Options that read it.
func write(t *testing.T, text string, environ ...string) Options {
	t.Helper()
	return writeFile(t, text, environ...)
}

func writeFile(t testing.TB, text string, environ ...string) Options {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.json5")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Options{Path: path, Environ: environ, Home: "/home/me", GOOS: "linux"}
}

// load wants a Config.
func load(t *testing.T, o Options) (*Config, []string) {
	t.Helper()
	c, warnings, err := Load(o)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return c, said(o, warnings)
}

// said is the warnings as text, with the folder of the file left out.
func said(o Options, warnings []Warning) []string {
	var out []string
	for _, w := range warnings {
		out = append(out, short(o, w.String()))
	}
	return out
}

func short(o Options, text string) string {
	return strings.ReplaceAll(text, filepath.Dir(o.Path)+"/", "")
}

// refuse wants errors, each of KindConfig, and returns them one a line.
func refuse(t *testing.T, o Options) []string {
	t.Helper()
	c, _, err := Load(o)
	if err == nil {
		t.Fatalf("Load accepted it: %v", c)
	}
	if toolcrib.KindOf(err) != toolcrib.KindConfig || c != nil {
		t.Errorf("want kind config and no Config, got %q and %v", toolcrib.KindOf(err), c)
	}
	return strings.Split(short(o, err.Error()), "\n")
}

func TestLoadWithNothing(t *testing.T) {
	for name, o := range map[string]Options{
		"no file": {Home: t.TempDir()},
		"no home": {},
	} {
		c, warnings, err := Load(o)
		if err != nil || len(warnings) > 0 || c.Found {
			t.Fatalf("%s: %v %v", name, warnings, err)
		}
		want := ToolSearch{
			Mode: "auto", CodeTimeoutMs: 10000, SearchDefaultLimit: 8, MaxSearchLimit: 20, CodeRuntime: "auto",
			CodeIsolation: "kernel", Directory: Directory{Untrusted: "names"},
		}
		if diff := cmp.Diff(want, c.Tools.ToolSearch); diff != "" {
			t.Errorf("%s: toolSearch (-want +got):\n%s", name, diff)
		}
		if c.Tools.MaxResultBytes != DefaultMaxResultBytes || c.Gateway.Listen != DefaultListen || c.Log.Level != "info" || len(c.MCP.Servers) != 0 {
			t.Errorf("%s: %v", name, c)
		}
	}
}

func TestLoadReadsEveryKey(t *testing.T) {
	o := write(t, `// a file
{
  $schema: 'https://example.com/schema.json',
  tools: {
    toolSearch: {mode: 'tools', codeTimeoutMs: 2000, searchDefaultLimit: 5, maxSearchLimit: 30, codeRuntime: "node",
      codeIsolation: 'process', splitCalls: true, directory: {untrusted: 'none'}},
    allow: ['*'], deny: ['shell__*', 'mcp:x:*'], maxResultBytes: 0x2000,
    byProvider: {openai: {profile: 'coding', alsoAllow: ['group:plugins']}, 'a.b/c': {deny: ['z']}},
    byChannel: {mcp: {deny: ['d']}, chat: {allow: ['c']}, responses: {}, messages: {}, cli: {}, agent: {profile: 'minimal'}},
    byHarness: {codex: {deny: ['h']}}, sandbox: {tools: {allow: ['s'], deny: ['t']}}, subagents: {tools: {deny: ['u']}},
  },
  agents: {list: [{id: 'research', sandbox: true, model: 'openai/gpt-5', harness: 'codex', tools: {allow: ['group:mcp'], deny: ['y'], toolSearch: {maxSearchLimit: 40},
    byProvider: {openai: {deny: ['v']}}}}, {id: 'plain', tools: {profile: 'messaging', alsoAllow: ['w']}}]},
  mcp: {pinning: 'review', servers: {
    github: {command: 'npx', args: ['-y', 'server-github'], env: {GITHUB_TOKEN: '${GH}', PORT: 8080, DEBUG: true}, cwd: 'sub',
      enabled: true, trusted: true, scope: 'session', timeoutMs: 5000, allow: ['a*'], deny: ['b'], prefix: 'gh', pinning: 'first-use'},
    web: {url: 'https://example.com/mcp', sse: true, trustHints: true, callsSequential: true, headers: {'X-Api-Key': 'k'}, prefix: false},
    off: {url: 'http://localhost:1', enabled: false, prefix: ''},
  }},
  gateway: {listen: '0.0.0.0:80', token: 'tok-1234', allowedHosts: ['a.example:1'], allowedOrigins: ['https://a.example']},
  store: {url: 'sqlite:crib.db'}, sessions: {audit: 'best-effort', args: false, keepDays: 7, redact: ['acct*', '/x+/']},
  log: {level: 'debug'},
}`, "GH=ghp_secret")
	c, warnings := load(t, o)
	if len(warnings) > 0 {
		t.Errorf("warnings: %q", warnings)
	}
	on := true
	ts := ToolSearch{
		Enabled: &on, Mode: "tools", CodeTimeoutMs: 2000, SearchDefaultLimit: 5, MaxSearchLimit: 30, CodeRuntime: "node",
		CodeIsolation: "process", SplitCalls: true, Directory: Directory{Untrusted: "none"},
	}
	agent := ts
	agent.MaxSearchLimit = 40
	gh, none := "gh", ""
	policy := ToolPolicy{
		Profile: "full",
		ByProvider: map[string]ToolRules{
			"openai": {Profile: "coding", AlsoAllow: []string{"group:plugins"}}, "a.b/c": {Deny: []string{"z"}},
		},
		ByChannel: map[string]ToolRules{
			"mcp": {Deny: []string{"d"}}, "chat": {Allow: []string{"c"}}, "responses": {}, "messages": {}, "cli": {}, "agent": {Profile: "minimal"},
		},
		ByHarness: map[string]ToolRules{"codex": {Deny: []string{"h"}}},
		Sandbox:   ToolRules{Allow: []string{"s"}, Deny: []string{"t"}}, Subagents: ToolRules{Deny: []string{"u"}},
	}
	want := Config{
		Tools: Tools{ToolSearch: ts, Allow: []string{"*"}, Deny: []string{"shell__*", "mcp:x:*"}, MaxResultBytes: 8192, ToolPolicy: policy},
		Agents: Agents{List: []Agent{
			{
				ID: "research", Sandbox: true, Model: "openai/gpt-5", Harness: "codex",
				Tools: AgentTools{
					Allow: []string{"group:mcp"}, Deny: []string{"y"}, ToolSearch: &agent,
					ToolPolicy: ToolPolicy{ByProvider: map[string]ToolRules{"openai": {Deny: []string{"v"}}}},
				},
			},
			{ID: "plain", Tools: AgentTools{ToolPolicy: ToolPolicy{Profile: "messaging", AlsoAllow: []string{"w"}}}},
		}},
		MCP: MCP{Pinning: PinReview, Servers: map[string]Server{
			"github": {
				Command: "npx", Args: []string{"-y", "server-github"}, Cwd: filepath.Join(filepath.Dir(o.Path), "sub"),
				Env:     map[string]string{"GITHUB_TOKEN": "ghp_secret", "PORT": "8080", "DEBUG": "true"},
				Enabled: true, Trusted: true, TrustHints: true, Scope: "session", TimeoutMs: 5000, Allow: []string{"a*"}, Deny: []string{"b"}, Prefix: &gh, Pinning: PinFirstUse,
			},
			"web": {URL: "https://example.com/mcp", SSE: true, TrustHints: true, CallsSequential: true, Headers: map[string]string{"X-Api-Key": "k"}, Enabled: true, Scope: "shared", TimeoutMs: 60000, Prefix: &none, Pinning: PinReview},
			"off": {URL: "http://localhost:1", Scope: "shared", TimeoutMs: 60000, Prefix: &none, Pinning: PinReview},
		}},
		Gateway: Gateway{Listen: "0.0.0.0:80", Token: "tok-1234", AllowedHosts: []string{"a.example:1"}, AllowedOrigins: []string{"https://a.example"}},
		Store:   Store{URL: "sqlite:crib.db"}, Sessions: Sessions{Audit: "best-effort", KeepDays: 7, Redact: []string{"acct*", "/x+/"}},
		Log: Log{Level: "debug"}, Path: o.Path, Found: true,
	}
	want.Plugins.Paths = []string{filepath.Join(filepath.Dir(o.Path), "plugins")}
	want.Models = Models{Providers: map[string]Provider{}, MaxSteps: 40, TimeoutMs: 1_800_000}
	want.Tools.Exec = Exec{Ask: "on-miss", Sandbox: "auto", TimeoutMs: 300_000, MaxOutputBytes: 64 << 10}
	want.Tools.Web = Web{TimeoutMs: 20_000, MaxBytes: 2 << 20}
	if diff := cmp.Diff(want, *c, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".state" }, cmp.Ignore())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestToolSearchForms(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                                      "auto",
		`{tools: {}}`:                             "auto",
		`{tools: {toolSearch: "auto"}}`:           "auto",
		`{tools: {toolSearch: true}}`:             "code",
		`{tools: {toolSearch: false}}`:            "direct",
		`{tools: {toolSearch: {}}}`:               "code",
		`{tools: {toolSearch: {enabled: false}}}`: "direct",
		`{tools: {toolSearch: {enabled: true}}}`:  "code",
		`{tools: {toolSearch: {mode: "auto"}}}`:   "auto",
		`{tools: {toolSearch: {mode: "native"}}}`: "native",

		`{tools: {toolSearch: {splitCalls: true}}}`:                    "tools",
		`{tools: {toolSearch: {splitCalls: false}}}`:                   "code",
		`{tools: {toolSearch: {splitCalls: true, mode: "auto"}}}`:      "auto",
		`{tools: {toolSearch: {splitCalls: true, mode: "code"}}}`:      "code",
		`{tools: {toolSearch: {splitCalls: true, mode: "directory"}}}`: "directory",
		`{tools: {toolSearch: {splitCalls: true, enabled: false}}}`:    "direct",
	} {
		c, first := load(t, write(t, text))
		if got := c.Tools.ToolSearch.Effective(); got != want {
			t.Errorf("%s: mode %q, want %q", text, got, want)
		}
		again, warnings := load(t, write(t, string(c.Dump())))
		if got := again.Tools.ToolSearch.Effective(); got != want || len(warnings) != len(first) {
			t.Errorf("%s: its dump gives %q, want %q %q", text, got, want, warnings)
		}
	}
}

func TestAgentsTakeOverWhatTheyLeaveOut(t *testing.T) {
	for _, c := range []struct{ tools, agent, want string }{
		{`{mode: "tools"}`, `{maxSearchLimit: 3}`, "tools"},
		{`{mode: "tools"}`, `true`, "tools"},
		{`true`, `false`, "direct"},
		{`true`, `{splitCalls: true}`, "tools"},
		{`{splitCalls: true}`, `{splitCalls: false}`, "code"},
		{`{splitCalls: true}`, `{maxSearchLimit: 3}`, "tools"},
		{`{mode: "directory"}`, `{splitCalls: true}`, "directory"},
		{`false`, `true`, "code"},
		{`false`, `{mode: "tools"}`, "tools"},
		{`"auto"`, `true`, "code"},
		{`{mode: "tools", enabled: false}`, `true`, "tools"},
		{`"auto"`, `{mode: "directory"}`, "directory"},
		{`"auto"`, `"auto"`, "auto"},
	} {
		cfg, _ := load(t, write(t, `{tools: {toolSearch: `+c.tools+`}, agents: {list: [{id: "a", tools: {toolSearch: `+c.agent+`}}]}}`))
		if got := cfg.Agents.List[0].Tools.ToolSearch.Effective(); got != c.want {
			t.Errorf("tools %s, agent %s: mode %q, want %q", c.tools, c.agent, got, c.want)
		}
	}
	cfg, _ := load(t, write(t, `{agents: {list: [{id: "a", tools: {toolSearch: {maxSearchLimit: 3}}}]}}`))
	ts := cfg.Agents.List[0].Tools.ToolSearch
	if ts.Effective() != "code" || ts.SearchDefaultLimit != 3 || cfg.Tools.ToolSearch.Effective() != "auto" {
		t.Errorf("an object without a mode: %+v", ts)
	}
}

func TestNumbersAreClampedWithAWarning(t *testing.T) {
	o := write(t, "{tools: {maxResultBytes: 1, toolSearch: {\n codeTimeoutMs: 999, searchDefaultLimit: 60, maxSearchLimit: 30}},\n mcp: {servers: {a: {command: 'x', timeoutMs: 9e9}}}}")
	c, warnings := load(t, o)
	want := []string{
		"config.json5:1:26: tools.maxResultBytes: 1 is outside 1024 to 16777216; 1024 is used",
		"config.json5:2:17: tools.toolSearch.codeTimeoutMs: 999 is outside 1000 to 60000; 1000 is used",
		"config.json5:2:42: tools.toolSearch.searchDefaultLimit: 60 is outside 1 to 50; 50 is used",
		"config.json5:2:42: tools.toolSearch.searchDefaultLimit: 50 is above maxSearchLimit; 30 is used",
		"config.json5:3:47: mcp.servers.a.timeoutMs: 9e9 is outside 1000 to 3600000; 3600000 is used",
	}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Error(diff)
	}
	if ts := c.Tools.ToolSearch; ts.CodeTimeoutMs != 1000 || ts.SearchDefaultLimit != 30 || c.MCP.Servers["a"].TimeoutMs != 3600000 {
		t.Errorf("%+v", ts)
	}
}

func TestLoadSaysAllThatIsWrongAtOnce(t *testing.T) {
	o := write(t, `{
  tool: {},
  tools: {toolSearch: {mod: 'tools', mode: 'tool', codeTimeoutMs: '5', searchDefaultLimit: 1.5}, alow: [], deny: 'x', allow: [1, '']},
  agents: {list: [{}, {id: 'a'}, {id: 'a'}, {id: 'no spaces'}, 5]},
  mcp: {servers: {
    a: {},
    b: {command: 'x', url: 'https://x'},
    c: {comand: 'x', disabled: true, timeout: 5, transport: 'sse'},
    d: {url: 'ftp://x', prefix: true, headers: {'a b': '1', c: 'x\r\ny'}},
    e: {command: ' ', prefix: 'a.b', env: {'A=B': '1', C: null, D: '\0'}, scope: 'all', trusted: 'yes'},
    'my server': {command: 'x'},
    f: 'x',
  }},
  gateway: {listen: '80', allowedHosts: ['*'], allowedOrigins: ['example.com'], token: '', port: 1},
  log: {level: 'trace', level: 'x'},
  toolSearch: true,
  servers: {},
}`)
	got := strings.Join(refuse(t, o), "\n") + "\n"
	golden(t, "testdata/all-wrong.txt", []byte(got))
}

func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	locked := filepath.Join(dir, "locked.json5")
	if err := os.WriteFile(locked, []byte("{}"), 0o000); err != nil {
		t.Fatal(err)
	}
	denied := func(path string) (fs.File, error) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
	}
	for name, c := range map[string]struct {
		o    Options
		want string
	}{
		"missing":     {Options{Path: dir + "/no.json5"}, "no.json5 does not exist (check the path)"},
		"missing env": {Options{Environ: []string{"TOOLCRIB_CONFIG=" + dir + "/no.json5"}}, dir + "/no.json5 does not exist (check the path)"},
		"folder":      {Options{Path: dir}, filepath.Base(dir) + " is a folder, not a file (name a file, such as " + filepath.Base(dir) + "/config.json5)"},
		"unreadable":  {Options{Path: locked, Open: denied}, "locked.json5 may not be read by this user (change its owner or its permissions)"},
		"huge":        {write(t, "{}"+strings.Repeat(" ", MaxFileBytes)), "config.json5 is larger than 8 MiB (is it the right file?)"},
		"utf16":       {write(t, "\xff\xfe{\x00}\x00"), "config.json5:1:1: the file is UTF-16 (save it as UTF-8)"},
		"latin1":      {write(t, "{log: {level: 'd\xe9bug'}}"), "config.json5:1:17: found the byte 0xE9, which is not UTF-8, expected UTF-8 text (save the file as UTF-8)"},
		"garbage":     {write(t, "\x7fELF\x01\x02"), "config.json5:1:1: found the character U+007F, expected a value"},
		"yaml":        {write(t, "tools:\n  allow: []\n"), "config.json5:1:1: found a bare word, expected a value (text needs quotes)"},
		"list":        {write(t, "\n[]"), "config.json5:2:1: found a list, expected an object"},
		"cut short":   {write(t, "{tools: {deny: ['x'"), `config.json5:1:20: found the end of the file, expected "]", to close what was opened in line 1, column 16`},
		"deep":        {write(t, strings.Repeat("{a:", 1000)), "config.json5:1:385: found more than 128 levels of nesting, expected a flatter file"},
		"twice":       {write(t, "{log: {},\r\n log: {}}"), `config.json5:2:2: the key "log" stands twice, first in line 1 and again in line 2; keep one`},
	} {
		if got := refuse(t, c.o); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
	if os.Getuid() != 0 {
		if got := refuse(t, Options{Path: locked}); !strings.Contains(got[0], "may not be read") {
			t.Errorf("unreadable: %q", got)
		}
	}
	_, _, err := Load(Options{Path: dir + "/no"})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the cause is lost: %v", err)
	}
}

func TestOddFilesThatAreFine(t *testing.T) {
	for name, text := range map[string]string{
		"bom":    "\ufeff{log: {level: 'warn'}}",
		"crlf":   "{\r\n// c\r\nlog: {\r\nlevel: 'warn',\r\n},\r\n}\r\n",
		"cr":     "{\r// c\rlog: {level: 'warn'}}",
		"nbsp":   "{\u00a0log: {level: 'warn'}}",
		"strict": `{"log": {"level": "warn"}}`,
	} {
		c, warnings := load(t, write(t, text))
		if c.Log.Level != "warn" || len(warnings) > 0 {
			t.Errorf("%s: %q %q", name, c.Log.Level, warnings)
		}
	}
	for _, text := range []string{"", " \n", "// nothing yet\n", "\ufeff"} {
		_, warnings := load(t, write(t, text))
		if len(warnings) != 1 || !strings.Contains(warnings[0], "the file is empty") {
			t.Errorf("%q: %q", text, warnings)
		}
	}
}

func TestManyErrorsAreBounded(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("{")
	for i := range 1000 {
		b.WriteString("k" + strings.Repeat("x", i%50) + string(rune('a'+i/50)) + ":1,")
	}
	b.WriteString("}")
	got := refuse(t, write(t, b.String()))
	if len(got) != maxProblems+1 || got[maxProblems] != "and 900 errors more" {
		t.Errorf("%d errors, the last %q", len(got), got[len(got)-1])
	}
}
