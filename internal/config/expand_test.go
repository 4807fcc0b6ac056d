package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// withFile puts another file beside the configuration file.
func withFile(t *testing.T, o Options, name, text string) Options {
	t.Helper()
	if err := os.WriteFile(filepath.Join(filepath.Dir(o.Path), name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestExpand(t *testing.T) {
	environ := []string{"A=one", "B=two", "EMPTY=", "odd.name=three", "REF=${A}"}
	for text, want := range map[string]string{
		`plain`: "plain", `$`: "$", `$A`: "$A", `a$b{c}`: "a$b{c}",
		`${A}`: "one", `x${A}y${env:B}z`: "xoneytwoz", `${A}${A}`: "oneone",
		`${NO:-d}`: "d", `${EMPTY:-d}`: "d", `${EMPTY}`: "", `${A:-d}`: "one", `${env:NO:-d}`: "d", `${NO:-}`: "",
		`${env:odd.name}`: "three", `${NO:-a:-b}`: "a:-b",
		`$${A}`: "${A}", `$$${A}`: "$${A}", `$${A}${A}`: "${A}one", `$$`: "$$", `$${`: "${", `}`: "}",
		`${REF}`: "${A}", `${userHome}/x`: "/home/me/x",
		`${file:secret.txt}`: "from file\n", `${file:./secret.txt}`: "from file\n",
	} {
		o := withFile(t, write(t, `{mcp: {servers: {a: {command: "`+text+`"}}}}`, environ...), "secret.txt", "from file\n\r\n")
		if strings.TrimSpace(want) == "" {
			continue // an empty command is refused; args below can be empty
		}
		c, _ := load(t, o)
		if got := c.MCP.Servers["a"].Command; got != want {
			t.Errorf("%s gives %q, want %q", text, got, want)
		}
	}
	c, _ := load(t, write(t, `{mcp: {servers: {a: {command: "x", args: ["${EMPTY}", "${NO:-}"]}}}}`, environ...))
	if diff := cmp.Diff([]string{"", ""}, c.MCP.Servers["a"].Args); diff != "" {
		t.Error(diff)
	}
}

func TestExpandIntoOtherTypes(t *testing.T) {
	c, _ := load(t, write(t, `{
  tools: {toolSearch: "${TS}", allow: "${ALLOW}", maxResultBytes: "${MAX:-2048}", deny: ["${A}"]},
  mcp: {servers: {a: {command: "x", enabled: "${ON}", scope: "${SCOPE:-session}", env: "${ENV}"}}},
}`, "TS={mode:'tools'}", "ALLOW=a*,b", "ON=true", "A=one", "ENV={K: 'deep-secret'}"))
	s := c.MCP.Servers["a"]
	if c.Tools.ToolSearch.Mode != "tools" || c.Tools.MaxResultBytes != 2048 || !s.Enabled || s.Scope != "session" || s.Env["K"] != "deep-secret" {
		t.Errorf("%+v %+v %+v", c.Tools, s, s.Env)
	}
	if diff := cmp.Diff([]string{"a*", "b"}, c.Tools.Allow); diff != "" {
		t.Error(diff)
	}
	if got := c.Redact("deep-secret"); got != redacted {
		t.Errorf("a secret inside of an expanded object shows: %q", got)
	}
}

func TestExpandRefuses(t *testing.T) {
	const where = "config.json5:1:31: mcp.servers.a.command: "
	for text, want := range map[string]string{
		`${NO}`:              "the environment variable NO is not set (set it, or write ${NO:-default}, or switch the server off with enabled: false)",
		`${env:no.such}`:     "the environment variable no.such is not set (set it, or write ${no.such:-default}, or switch the server off with enabled: false)",
		`x${`:                `a "${" has no "}" (write "$${" for a plain "${")`,
		`${}`:                `a "${…}" holds no name of a variable (a name is letters, digits and _; write ${env:NAME} for any other, and "$${" for a plain "${")`,
		`${a b}`:             `a "${…}" holds no name of a variable (a name is letters, digits and _; write ${env:NAME} for any other, and "$${" for a plain "${")`,
		`${input:key}`:       `${input:…} is not known (known are ${NAME}, ${NAME:-default}, ${env:NAME} and ${file:PATH}; write "$${" for a plain "${")`,
		`${workspaceFolder}`: "the environment variable workspaceFolder is not set (an editor fills it in, and toolcrib has no workspace: write the path, or switch the server off with enabled: false)",
		`${file:}`:           "${file:} names no file (write ${file:PATH})",
		`${file:gone}`:       "${file:gone}: gone does not exist (check the path) (a relative path starts at DIR)",
	} {
		o := write(t, `{mcp: {servers: {a: {command: "`+text+`"}}}}`)
		got := strings.ReplaceAll(strings.Join(refuse(t, o), "\n"), filepath.Dir(o.Path), "DIR")
		if got != where+want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, where+want)
		}
	}
}

func TestAServerThatIsOffNeedsNoVariables(t *testing.T) {
	text := `{mcp: {servers: {a: {command: "${NO}", args: ["${NO}", "${"], env: {T: "${NO}"}, timeoutMs: "${NO}", scope: "${NO}", enabled: %}}}}`
	c, _ := load(t, write(t, strings.Replace(text, "%", "false", 1)))
	if s := c.MCP.Servers["a"]; s.Enabled || s.Command != "${NO}" || s.TimeoutMs != DefaultTimeoutMs || s.Scope != "shared" {
		t.Errorf("%+v", c)
	}
	c, _ = load(t, write(t, strings.Replace(text, "%", `"${OFF}"`, 1), "OFF=false"))
	if c.MCP.Servers["a"].Enabled {
		t.Error("enabled by reference is not off")
	}
	load(t, write(t, strings.Replace(text, "%", "true", 1), "TOOLCRIB_MCP__SERVERS__A__ENABLED=false"))
	if got := refuse(t, write(t, strings.Replace(text, "%", "true", 1))); len(got) != 6 {
		t.Errorf("switched on, want six errors: %q", got)
	}
}
