package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const layered = `{
  tools: {toolSearch: true, deny: ['file']},
  agents: {list: [{id: 'main', tools: {}}]},
  mcp: {servers: {'my-server': {command: 'x', env: {Api_Key: 'k-9876'}}, 'a.b': {url: 'http://x'}}},
  log: {level: 'warn'},
}`

func TestLayers(t *testing.T) {
	for _, c := range []struct {
		environ, flags []string
		path, want     string
		origin         string
	}{
		{nil, nil, "log.level", `"warn"`, "config.json5:5:16"},
		{nil, nil, "gateway.listen", `"127.0.0.1:7433"`, "default"},
		{[]string{"TOOLCRIB_LOG__LEVEL=debug"}, nil, "log.level", `"debug"`, "environment variable TOOLCRIB_LOG__LEVEL"},
		{[]string{"TOOLCRIB_LOG__LEVEL=debug"}, []string{"log.level=error"}, "log.level", `"error"`, "flag log.level"},
		{[]string{"TOOLCRIB_LOG__LEVEL='debug'"}, nil, "log.level", `"debug"`, "environment variable TOOLCRIB_LOG__LEVEL"},
		{[]string{"TOOLCRIB_LOG__LEVEL="}, nil, "log.level", `"warn"`, "config.json5:5:16"},
		{[]string{"TOOLCRIB_LOG_LEVEL=debug"}, nil, "log.level", `"debug"`, "environment variable TOOLCRIB_LOG_LEVEL"},
		{[]string{"TOOLCRIB_LOG_LEVEL=debug", "TOOLCRIB_LOG__LEVEL=error"}, nil, "log.level", `"error"`, "environment variable TOOLCRIB_LOG__LEVEL"},
		{[]string{"TOOLCRIB_TOOLS__TOOLSEARCH__MODE=tools"}, nil, "tools.toolSearch.mode", `"tools"`, "environment variable TOOLCRIB_TOOLS__TOOLSEARCH__MODE"},
		{[]string{"TOOLCRIB_TOOLS__TOOLSEARCH__MODE=tools"}, nil, "tools.toolSearch.enabled", `true`, "config.json5:2:23"},
		{[]string{"TOOLCRIB_TOOLS__toolSearch__maxSearchLimit=5"}, nil, "tools.toolSearch.searchDefaultLimit", `5`, "default"},
		{[]string{"TOOLCRIB_TOOLS__TOOLSEARCH=false"}, nil, "tools.toolSearch.enabled", `false`, "environment variable TOOLCRIB_TOOLS__TOOLSEARCH"},
		{[]string{"TOOLCRIB_TOOLS__TOOLSEARCH=auto"}, nil, "tools.toolSearch.mode", `"auto"`, "environment variable TOOLCRIB_TOOLS__TOOLSEARCH"},
		{[]string{"TOOLCRIB_TOOLS__TOOLSEARCH={mode:'tools'}", "TOOLCRIB_TOOLS__TOOLSEARCH__SPLITCALLS=true"}, nil, "tools.toolSearch.splitCalls", `true`, "environment variable TOOLCRIB_TOOLS__TOOLSEARCH__SPLITCALLS"},
		{[]string{"TOOLCRIB_TOOLS__DENY=a*, b"}, nil, "tools.deny", `["a*","b"]`, "environment variable TOOLCRIB_TOOLS__DENY"},
		{[]string{`TOOLCRIB_TOOLS__DENY=["a,b"]`}, nil, "tools.deny[0]", `"a,b"`, "environment variable TOOLCRIB_TOOLS__DENY"},
		{[]string{"TOOLCRIB_MCP__SERVERS__MY_SERVER__TIMEOUTMS=2000"}, nil, "mcp.servers.my-server.timeoutMs", `2000`, "environment variable TOOLCRIB_MCP__SERVERS__MY_SERVER__TIMEOUTMS"},
		{[]string{"TOOLCRIB_MCP__SERVERS__A_B__TRUSTED=true"}, nil, `mcp.servers["a.b"].trusted`, `true`, "environment variable TOOLCRIB_MCP__SERVERS__A_B__TRUSTED"},
		{[]string{"TOOLCRIB_MCP__SERVERS__NEW__COMMAND=npx"}, nil, "mcp.servers.new.command", `"npx"`, "environment variable TOOLCRIB_MCP__SERVERS__NEW__COMMAND"},
		{[]string{"TOOLCRIB_MCP__SERVERS__MY_SERVER__ENV__PORT=080"}, nil, "mcp.servers.my-server.env.PORT", `"080"`, "environment variable TOOLCRIB_MCP__SERVERS__MY_SERVER__ENV__PORT"},
		{[]string{"TOOLCRIB_MCP__SERVERS__MY_SERVER__PREFIX=false"}, nil, "mcp.servers.my-server.prefix", `false`, "environment variable TOOLCRIB_MCP__SERVERS__MY_SERVER__PREFIX"},
		{[]string{`TOOLCRIB_MCP={servers:{one:{command:"x"}}}`}, nil, "mcp.servers.one.command", `"x"`, "environment variable TOOLCRIB_MCP"},
		{[]string{"TOOLCRIB_AGENTS__LIST__0__TOOLS__DENY=x"}, nil, "agents.list.main.tools.deny", `["x"]`, "environment variable TOOLCRIB_AGENTS__LIST__0__TOOLS__DENY"},
		{[]string{"TOOLCRIB_AGENTS__LIST__MAIN__TOOLS__TOOLSEARCH__MODE=tools"}, nil, "agents.list[0].tools.toolSearch.mode", `"tools"`, "environment variable TOOLCRIB_AGENTS__LIST__MAIN__TOOLS__TOOLSEARCH__MODE"},
		{nil, []string{`mcp.servers["a.b"].headers["x=y"]=1`, `mcp.servers["a.b"].headers={}`}, `mcp.servers["a.b"].headers`, `{}`, `flag mcp.servers["a.b"].headers`},
		{nil, []string{"TOOLS.maxresultbytes=0x1000"}, "tools.maxResultBytes", `4096`, "flag TOOLS.maxresultbytes"},
		{nil, []string{"mcp.servers.New_One.url=https://a/?b=c"}, "mcp.servers.New_One.url", `"https://a/?b=c"`, "flag mcp.servers.New_One.url"},
		{[]string{"L=debug", "TOOLCRIB_LOG__LEVEL=${L}"}, nil, "log.level", `"debug"`, "environment variable TOOLCRIB_LOG__LEVEL"},
	} {
		o := write(t, layered, c.environ...)
		o.Flags = c.flags
		cfg, warnings := load(t, o)
		got, err := cfg.Get(c.path)
		if err != nil || flat(string(got)) != c.want || len(warnings) > 0 {
			t.Errorf("%v %v: %s is %s, want %s (%v, %q)", c.environ, c.flags, c.path, got, c.want, err, warnings)
		}
		origin, err := cfg.Origin(c.path)
		if err != nil || short(o, origin.String()) != c.origin {
			t.Errorf("%v %v: %s comes from %s, want %s (%v)", c.environ, c.flags, c.path, short(o, origin.String()), c.origin, err)
		}
	}
}

// flat takes the layout out of indented JSON without strings that hold any.
func flat(s string) string { return strings.NewReplacer("\n", "", "  ", "").Replace(s) }

func TestBadOverrides(t *testing.T) {
	for _, c := range []struct {
		environ, flags []string
		want           string
	}{
		{[]string{"TOOLCRIB_TOOLS__TOOLSERCH__MODE=tools"}, nil, `environment variable TOOLCRIB_TOOLS__TOOLSERCH__MODE: tools.TOOLSERCH: unknown key (did you mean "toolSearch"?)`},
		{[]string{"TOOLCRIB_TOOL__DENY=x"}, nil, "environment variable TOOLCRIB_TOOL__DENY: names no key (did you mean TOOLCRIB_TOOLS__DENY?)"},
		{[]string{"TOOLCRIB_TOOLS_DENY=x"}, nil, "environment variable TOOLCRIB_TOOLS_DENY: names no key (did you mean TOOLCRIB_TOOLS__DENY?)"},
		{[]string{"TOOLCRIB_TOOLS__DENY={"}, nil, `environment variable TOOLCRIB_TOOLS__DENY: tools.deny: line 1, column 2: found the end of the file, expected "}", to close what was opened in line 1, column 1 (write it as JSON5)`},
		{[]string{"TOOLCRIB_TOOLS=hunter2"}, nil, "environment variable TOOLCRIB_TOOLS: tools: found a string, expected an object"},
		{[]string{"TOOLCRIB_TOOLS__MAXRESULTBYTES=many"}, nil, "environment variable TOOLCRIB_TOOLS__MAXRESULTBYTES: tools.maxResultBytes: found a string, expected a whole number (write it without quotes)"},
		{[]string{"TOOLCRIB_AGENTS__LIST__7__ID=x"}, nil, `environment variable TOOLCRIB_AGENTS__LIST__7__ID: agents.list: has no item "7" (name an item by its number from 0 or by its id; whole lists are written ["a", "b"])`},
		{[]string{"TOOLCRIB_LOG__LEVEL__X=1"}, nil, `environment variable TOOLCRIB_LOG__LEVEL__X: log.level.X: unknown key (log.level holds no keys)`},
		{nil, []string{"hunter2"}, "flag: has no = (write it as PATH=VALUE, such as gateway.listen=127.0.0.1:7433)"},
		{nil, []string{"log..level=1"}, "flag log..level: is not a path of keys: two dots stand together (write it as in mcp.servers.github.timeoutMs)"},
		{nil, []string{"=1"}, "flag: is not a path of keys: it is empty (write it as in mcp.servers.github.timeoutMs)"},
		{nil, []string{"log.levle=debug"}, `flag log.levle: log.levle: unknown key (did you mean "level"?)`},
		{nil, []string{"log.level=debgu"}, `flag log.level: log.level: found another word, expected "debug", "info", "warn" or "error" (did you mean "debug"?)`},
	} {
		o := write(t, layered, c.environ...)
		o.Flags = c.flags
		if diff := cmp.Diff([]string{c.want}, refuse(t, o)); diff != "" {
			t.Errorf("%v %v (-want +got):\n%s", c.environ, c.flags, diff)
		}
	}
}

func TestVariablesOfOthers(t *testing.T) {
	o := write(t, "{}", "TOOLCRIB_GATEWAY_TOKENS=x", "TOOLCRIB_COLOUR=1", "TOOLCRIB_NPM=/y", "TOOLCRIB_CONFIG=/nowhere",
		"TOOLCRIB_LOGS_LEVEL=/x", "TOOLCRIB_EMPTY=", "OTHER=1", "odd")
	o.Reserved = []string{"TOOLCRIB_LOGS_LEVEL"}
	_, warnings := load(t, o)
	want := []string{"environment variable TOOLCRIB_GATEWAY_TOKENS: names no key and is ignored; did you mean TOOLCRIB_GATEWAY__TOKEN?"}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Error(diff)
	}
}

func TestAModeThatHasNoEffectIsWarnedOf(t *testing.T) {
	o := write(t, "{tools: {toolSearch: false}}", "TOOLCRIB_TOOLS__TOOLSEARCH__MODE=tools")
	c, warnings := load(t, o)
	want := []string{"environment variable TOOLCRIB_TOOLS__TOOLSEARCH__MODE: tools.toolSearch.mode: has no effect, because Tool Search is off (config.json5:1:22)"}
	if diff := cmp.Diff(want, warnings); diff != "" || c.Tools.ToolSearch.Effective() != "direct" {
		t.Errorf("%s %+v", diff, c.Tools.ToolSearch)
	}
}

func TestGet(t *testing.T) {
	c, _ := load(t, write(t, layered))
	for path, want := range map[string]string{
		"mcp.servers.my-server.cwd": "null",
		"mcp.servers.my-server.env": `{"Api_Key": "[redacted]"}`,
		"MCP.Servers.my-server.url": "null",
		"gateway.token":             "null",
		"tools.allow":               "null",
	} {
		if got, err := c.Get(path); err != nil || flat(string(got)) != want {
			t.Errorf("%s: %s %v", path, got, err)
		}
	}
	for path, want := range map[string]string{
		"tools.toolserch":      `there is no key tools.toolserch (did you mean "toolSearch"?)`,
		"log.level.x":          "there is no key log.level.x (log.level holds no keys)",
		"mcp.servers.x":        `there is no server "x" (configured are: a.b, my-server)`,
		"agents.list.x":        `agents.list has no item "x" (name it by its number from 0 or by its id)`,
		"agents.list[1]":       `agents.list has no item "1" (name it by its number from 0 or by its id)`,
		"mcp..x":               `"mcp..x" is not a path of keys: two dots stand together (write it as in mcp.servers.github.timeoutMs)`,
		`mcp.servers["my`:      `"mcp.servers[\"my" is not a path of keys: a "[" is not closed (write it as in mcp.servers.github.timeoutMs)`,
		"tools.":               `"tools." is not a path of keys: it ends with a dot (write it as in mcp.servers.github.timeoutMs)`,
		"gateway.allowedHosts": "",
	} {
		_, err := c.Get(path)
		if got := errText(err); got != want {
			t.Errorf("%s:\n got %s\nwant %s", path, got, want)
		}
		if _, err := c.Origin(path); errText(err) != want {
			t.Errorf("origin of %s: %v", path, err)
		}
	}
	all, err := c.Get("")
	if err != nil || string(all) != string(c.Dump()) {
		t.Errorf("the empty path is not the dump: %v", err)
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
