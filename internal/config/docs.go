package config

import (
	"fmt"
	"strings"
)

// section is one part of docs/config.md: the rows of the table whose path
// begins with prefix and that no later section takes.
type section struct{ title, prefix, intro, example string }

var sections = []section{
	{
		"Tools", "tools",
		toolsIntro,
		`{
  tools: {
    allow: ["github__*", "mcp:filesystem:read_*"],
    deny: ["*delete*"], // wins over allow
    byProvider: { "openai/gpt-5": { deny: ["group:runtime"] } },
    byChannel: { chat: { profile: "messaging", alsoAllow: ["calendar"] } },
    sandbox: { tools: { deny: ["mcp:mail:*"] } },
    maxResultBytes: 32768,
  },
}`,
	},
	{
		"Tool Search", "tools.toolSearch",
		"A number outside its range is moved to the nearest end, with a warning.",
		`{
  tools: {
    toolSearch: {
      mode: "tools",
      searchDefaultLimit: 5,
      directory: { untrusted: "none" },
    },
  },
}`,
	},
	{
		"Agents", "agents",
		"An agent's `tools` takes the keys of `tools` but `maxResultBytes`, and can only narrow. Its `toolSearch` takes the same keys as `tools.toolSearch`, and what it leaves out is as there. Writing it switches Tool Search on for the agent, unless it is `false` or says `enabled: false`.",
		`{
  agents: {
    list: [
      { id: "research", tools: { allow: ["web__*"], toolSearch: false } },
    ],
  },
}`,
	},
	{
		"Plugins", "plugins",
		"[Plugins](plugins.md) says how to write one.",
		`{
  plugins: {
    load: { paths: ["~/tools/toolcrib-plugins"] },
    allow: ["notes", "deploy"],
    entries: { deploy: { env: { DEPLOY_TOKEN: "${env:DEPLOY_TOKEN:-}" }, timeoutMs: 300000 } },
  },
}`,
	},
	{
		"Models", "models",
		"[Models](models.md) says how programs reach them through toolcrib.",
		`{
  models: {
    default: "local/qwen3",
    providers: {
      openai: { baseUrl: "https://api.openai.com/v1", apiKey: "${env:OPENAI_API_KEY:-}", models: ["gpt-5", "gpt-5-mini"] },
      local: { baseUrl: "http://127.0.0.1:11434/v1" },
    },
  },
}`,
	},
	{
		"Hooks", "hooks",
		"A hook has an `event` and either `command` or `url`. [Hooks](hooks.md) has the protocol.",
		`{
  hooks: {
    guard: {
      event: "before_tool_call",
      match: ["mcp:github:*"],
      command: "./guard.sh", // in cwd, which is beside this file
      cwd: ".",
      priority: 10,
    },
    "no-cards": {
      event: "after_tool_call",
      url: "https://hooks.example.com/toolcrib",
      secret: "${env:HOOK_SECRET:-none}",
      timeoutMs: 2000,
    },
  },
}`,
	},
	{
		"MCP servers", "mcp",
		"A server has either `command` or `url`.",
		`{
  mcp: {
    servers: {
      github: {
        command: "npx",
        args: ["-y", "@modelcontextprotocol/server-github"],
        env: { GITHUB_TOKEN: "${GITHUB_TOKEN}" },
        deny: ["delete_*"],
        enabled: false, // not in use: GITHUB_TOKEN need not be set
      },
      tracker: {
        url: "https://tracker.example.com/mcp",
        headers: { Authorization: "Bearer ${TRACKER_TOKEN:-none}" },
        timeoutMs: 120000,
      },
    },
  },
}`,
	},
	{
		"Gateway", "gateway", "How clients reach `toolcrib serve`.",
		`{
  gateway: {
    listen: "0.0.0.0:7433",
    token: "${GATEWAY_TOKEN:-only-an-example}",
    allowedHosts: ["tools.example.com"],
  },
}`,
	},
	{
		"Store", "store", "Where that is kept which outlives a restart.",
		`{ store: { url: "sqlite:/var/lib/toolcrib/toolcrib.db" } }`,
	},
	{
		"Sessions", "sessions", "What is recorded of sessions. Secrets are taken out before anything is written: those of this file, tokens of known forms, and what stands under names such as `password`.",
		`{
  sessions: {
    keepDays: 90,
    redact: ["account_number", "/acct-[0-9]+/"],
  },
}`,
	},
	{
		"Log", "log", "What is written to the log.",
		`{ log: { level: "debug" } }`,
	},
}

const toolsIntro = "`allow`, `alsoAllow` and `deny` hold patterns, in any case: names, ids, `*` for any text, `SERVER__*` or `mcp:SERVER:*` for all tools of a server, " +
	"the id of a plugin, and groups: `group:mcp`, `group:plugins`, `group:core`, and the core's own `group:fs`, `group:runtime`, `group:web`, `group:sessions`, `group:memory`, " +
	"`group:messaging`, `group:automation` and `group:media`.\n\n" +
	"What a caller may use is what every scope leaves that holds for it. Each can only narrow, and `deny` always wins: `tools`, then in it `byProvider.NAME`, " +
	"`byChannel.DOOR` (`mcp`, `chat`, `responses`, `messages`, `cli`, `agent`) and `byHarness.NAME`; the same of the caller's agent; the lists of its token and session; " +
	"`sandbox.tools` and `subagents.tools`; and those of one run, of which an empty list allows nothing. The rules by provider, door and harness take `profile`, `allow`, `alsoAllow` and `deny`, " +
	"those of `sandbox.tools` and `subagents.tools` take `allow` and `deny`.\n\n" +
	"| profile | has |\n|---|---|\n" +
	"| `minimal` | `core:sessions:session_status` |\n" +
	"| `coding` | `group:fs`, `group:runtime`, `group:web`, `group:sessions`, `group:memory`, `group:automation`, `group:media`, `group:mcp` |\n" +
	"| `messaging` | `group:messaging`, `group:mcp`, and of the sessions' tools `session_status`, `sessions_list`, `sessions_history` and `sessions_send` |\n" +
	"| `full` | everything |\n\n" +
	"Every profile has the tools that a caller sends along. `group:fs`, `group:runtime` and `group:web` are kept from callers at the doors `mcp`, `chat`, `responses` and `messages` " +
	"unless the agent's own rules name them, as in `agents.list[].tools.alsoAllow: [\"group:fs\"]`. `toolcrib policy explain TOOL` says which rule decides, and on which line it stands."

// Docs returns docs/config.md.
func Docs() string {
	var b strings.Builder
	b.WriteString(docsHead)
	for _, s := range sections {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n```json5\n%s\n```\n\n", s.title, s.intro, s.example)
		b.WriteString("| key | takes | default | what it does |\n|---|---|---|---|\n")
		for _, k := range Keys() {
			if s.owns(k) {
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", docsPath(k.Path), takes(k), docsDefault(k), strings.ReplaceAll(k.Doc, "|", `\|`))
			}
		}
	}
	b.WriteString(docsTail)
	return b.String()
}

// owns reports whether the row of k stands in this section.
func (s section) owns(k Key) bool {
	within := func(path, prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+".") }
	if !within(k.Path, s.prefix) || k.Path == s.prefix && k.Type == Object {
		return false
	}
	if strings.HasSuffix(k.Path, ".[]") && k.Type != Object || saidBefore(k) {
		return false // said by the row of the list, or by the words in front of the table
	}
	return s.prefix != "tools" || !within(k.Path, "tools.toolSearch")
}

// saidBefore reports whether the words in front of a table say what a key does: an
// agent's keys are those of tools, and the rules of one scope those of another.
func saidBefore(k Key) bool {
	for _, holder := range []string{"agents.list.[].tools.", "tools.byProvider.", "tools.byChannel.", "tools.byHarness.", "tools.sandbox.", "tools.subagents."} {
		if strings.HasPrefix(k.Path, holder) {
			return true
		}
	}
	return false
}

func docsPath(path string) string {
	return strings.ReplaceAll(strings.ReplaceAll(path, ".[]", "[]"), "*", "NAME")
}

func takes(k Key) string {
	s := spec{Key: k}
	words := strings.ReplaceAll(s.expects(), `"`, "`")
	if k.Min != 0 || k.Max != 0 {
		words += fmt.Sprintf(", %d to %d", k.Min, k.Max)
	}
	return words
}

func docsDefault(k Key) string {
	if k.Default == "" {
		return ""
	}
	return "`" + k.Default + "`"
}

const docsHead = `# Configuration

<!-- Written by internal/config from its table of keys. Change that, and run its tests with -update. -->

toolcrib reads one [JSON5](https://spec.json5.org) file: JSON with comments, trailing commas, single quotes and keys
without quotes. Nothing has to be configured; a file that is not there counts as an empty one.

## Where it comes from

The file is the one that ` + "`--config`" + ` names, else the one that ` + "`$TOOLCRIB_CONFIG`" + ` names, else ` + "`toolcrib/config.json5`" + ` in
` + "`$XDG_CONFIG_HOME`" + ` (when unset: ` + "`~/.config`" + `, on Windows ` + "`%APPDATA%`" + `). A file that somebody named has to be there.

Each value comes from the strongest layer that sets it: flag, then environment, then file, then default.

- A variable of the environment is ` + "`TOOLCRIB_`" + ` and the path in capitals, with ` + "`__`" + ` between the keys:
  ` + "`TOOLCRIB_TOOLS__TOOLSEARCH__MODE=tools`" + `, ` + "`TOOLCRIB_MCP__SERVERS__GITHUB__TIMEOUTMS=5000`" + `. Case does not matter, and ` + "`_`" + `
  stands for any character of a server's name that a variable can't hold. Values are JSON5 or plain text, and a list may be
  written with commas: ` + "`TOOLCRIB_TOOLS__DENY='shell__*,*delete*'`" + `. An empty variable counts as unset.
- ` + "`TOOLCRIB_CONFIG`" + ` is no key, and ` + "`TOOLCRIB_LOG_LEVEL`" + ` is short for ` + "`TOOLCRIB_LOG__LEVEL`" + `.
- In a path, a key with other characters is written ` + "`[\"key\"]`" + `, and an agent is named by its number from 0 or by its id:
  ` + "`agents.list.research.tools.deny`" + `.

A misspelt key or a value of the wrong type is an error that says where it stands and what was likely meant; all errors of
a file are reported at once. ` + "`toolcrib config validate`" + ` looks for them, ` + "`toolcrib config get PATH`" + ` shows what holds,
` + "`toolcrib config path`" + ` names the file, and ` + "`toolcrib config schema`" + ` prints a JSON Schema for an editor.

## Values from outside

In any string, ` + "`${NAME}`" + ` and ` + "`${env:NAME}`" + ` stand for a variable of the environment, ` + "`${NAME:-default}`" + ` for one that may be unset or
empty, and ` + "`${file:PATH}`" + ` for the text of a file without the newline at its end. A relative path starts at the configuration
file. ` + "`$${`" + ` is a plain ` + "`${`" + `. An unset variable is an error, except in a server with ` + "`enabled: false`" + `.

What comes from outside this way counts as a secret, and so do ` + "`gateway.token`" + `, the variables and headers of servers whose names
look like a secret's (` + "`…TOKEN`" + `, ` + "`…KEY`" + `, ` + "`Authorization`" + ` and the like), and passwords in addresses and arguments. Secrets
are never printed: not by ` + "`config get`" + `, not in an error, not in the log.
`

const docsTail = `
## Another program's file

A file with ` + "`mcpServers`" + `, as Claude, Cursor, Windsurf, Cline, Gemini and others write it, works as it is. It can't stand beside
` + "`mcp.servers`" + ` in one file. What such a file holds besides is passed over with a warning, and so is what a server has that
toolcrib doesn't know. Names that are not clean are made clean: ` + "`My Server`" + ` becomes ` + "`My-Server`" + `.

| there | here |
|---|---|
| ` + "`type`, `transport`" + ` | decided by ` + "`command` or `url`" + `; ` + "`sse`" + ` becomes ` + "`sse: true`" + ` |
| ` + "`serverUrl`, `httpUrl`" + ` | ` + "`url`" + ` |
| ` + "`disabled: true`" + ` | ` + "`enabled: false`" + ` |
| ` + "`disabledTools`, `excludeTools`" + ` | ` + "`deny`" + ` |
| ` + "`enabledTools`, `includeTools`, `tools`" + ` | ` + "`allow`" + ` |
| ` + "`environment`" + ` | ` + "`env`" + ` |
| ` + "`envFile`" + ` | read into ` + "`env`" + `, where it doesn't replace what stands there |
| ` + "`timeout`" + ` | ` + "`timeoutMs`" + `: seconds below 1000 and at 1800 and 3600, as Cline writes them, else milliseconds |
| ` + "`autoApprove`, `alwaysAllow`, `trust`" + ` | ignored: toolcrib has its own policy |
`
