package config

import "slices"

// Type says which kinds of values a key takes; kinds can be joined.
type Type uint8

// The types.
const (
	Bool Type = 1 << iota
	// Whole is a number without a fraction.
	Whole
	String
	List
	// Object has keys of the table.
	Object
	// Map has keys of the operator's choosing.
	Map
)

// Key describes one key. Everything that toolcrib says or checks of a key comes from here.
type Key struct {
	// Path joins the keys with dots; "*" stands for a name of the operator's choosing, "[]" for an item of a list.
	Path string
	Type Type
	// Default is JSON; empty when there is none.
	Default string
	// Min and Max bound a Whole; a number outside is clamped with a warning. No bounds when both are 0.
	Min, Max int64
	// Enum lists the words that a String takes; nil takes any.
	Enum []string
	// Secret marks a value that is never shown. SecretNames marks one that isn't
	// when its own name looks like a secret's.
	Secret, SecretNames bool
	// Doc says what the key does, in one or two sentences.
	Doc string
}

// Defaults and bounds that code elsewhere may want to name.
const (
	DefaultListen         = "127.0.0.1:7433"
	DefaultMaxResultBytes = 64 << 10
	DefaultTimeoutMs      = 60_000
)

// Keys returns the table of all keys, containers before what they hold.
func Keys() []Key {
	return slices.Concat(
		[]Key{{Path: "$schema", Type: String, Doc: "Where an editor finds the schema of this file. toolcrib does not read it."}},
		toolsKeys(), agentsKeys(), mcpKeys(), pluginKeys(), hookKeys(), modelKeys(), gatewayKeys(), storeKeys(), logKeys(),
	)
}

func toolsKeys() []Key {
	return slices.Concat(
		[]Key{{Path: "tools", Type: Object, Doc: "Which tools there are and how a model sees them."}},
		toolSearchKeys("tools", true),
		policyScopeKeys("tools", "", `"full"`),
		approvalKeys("tools", ""),
		fsKeys(),
		execKeys(),
		webKeys(),
		[]Key{{
			Path: "tools.maxResultBytes", Type: Whole, Default: "65536", Min: 1024, Max: 16 << 20,
			Doc: "How many bytes of a result enter a model's context. A longer one is cut, and the rest can be read on.",
		}},
	)
}

// policyKeys are allow and deny below prefix; note ends what is said of them.
func policyKeys(prefix, note string) []Key {
	return []Key{
		{
			Path: prefix + ".allow", Type: List,
			Doc: "Only tools that match one of these patterns can be used. Empty or absent: all." + note,
		},
		{Path: prefix + ".allow.[]", Type: String, Doc: "A pattern."},
		{
			Path: prefix + ".deny", Type: List,
			Doc: "Tools that match one of these patterns can't be used. Deny wins over allow." + note,
		},
		{Path: prefix + ".deny.[]", Type: String, Doc: "A pattern."},
	}
}

// toolSearchKeys are those of Tool Search below prefix. An agent's have no
// defaults: what it leaves out is as in tools.toolSearch.
func toolSearchKeys(prefix string, defaults bool) []Key {
	p := prefix + ".toolSearch"
	keys := []Key{
		{
			Path: p, Type: Bool | String | Object, Default: `"auto"`, Enum: []string{"auto"},
			Doc: `true switches Tool Search on, false switches it off, "auto" decides once a session: off while all schemas together stay under 2,000 tokens. An object switches it on and says how.`,
		},
		{Path: p + ".enabled", Type: Bool, Doc: "false switches Tool Search off and keeps the other keys for later. An object without it is on."},
		{
			Path: p + ".mode", Type: String, Default: `"code"`, Enum: []string{"auto", "code", "tools", "directory", "native"},
			Doc: "What the model gets in place of the tools: one control that runs code, three controls, three controls and a list of the tools' names, or the provider's own search. native is not offered yet: tools is used. To show every tool directly, set toolSearch to false.",
		},
		{Path: p + ".codeTimeoutMs", Type: Whole, Default: "10000", Min: 1000, Max: 60_000, Doc: "How long one code body may run, in milliseconds."},
		{Path: p + ".searchDefaultLimit", Type: Whole, Default: "8", Min: 1, Max: 50, Doc: "How many hits a search returns when the model names no limit. At most maxSearchLimit."},
		{Path: p + ".maxSearchLimit", Type: Whole, Default: "20", Min: 1, Max: 50, Doc: "The largest limit that a model may name."},
		{
			Path: p + ".codeRuntime", Type: String, Default: `"auto"`, Enum: []string{"auto", "embedded", "node"},
			Doc: `What runs code bodies. "auto" takes the embedded runtime, which needs nothing installed.`,
		},
		{
			Path: p + ".codeIsolation", Type: String, Default: `"kernel"`, Enum: []string{"kernel", "process"},
			Doc: `How code is kept in. "kernel" wants a system-call filter; where there is none, mode "code" becomes "tools" unless this says "process".`,
		},
		{
			Path: p + ".splitCalls", Type: Bool, Default: "false",
			Doc: "Offers tool_call_read, tool_call_write and tool_call_destructive in place of tool_call, so that a client's permission rules can tell them apart, in modes tools and directory. With it mode is tools unless another one is written; mode auto takes tools in place of code.",
		},
		{Path: p + ".directory", Type: Object, Doc: `The list of names of mode "directory".`},
		{
			Path: p + ".directory.untrusted", Type: String, Default: `"names"`, Enum: []string{"names", "full", "none"},
			Doc: "What the list shows of the tools of MCP servers, trusted or not: their names, names and descriptions, or nothing. Descriptions are what a server says: with them its words enter the model's prompt.",
		},
	}
	if !defaults {
		for i := range keys {
			keys[i].Default = ""
		}
	}
	return keys
}

func agentsKeys() []Key {
	return slices.Concat(
		[]Key{
			{Path: "agents", Type: Object, Doc: "Agents that differ from the rest."},
			{Path: "agents.list", Type: List, Doc: "The agents."},
			{Path: "agents.list.[]", Type: Object, Doc: "One agent."},
			{Path: "agents.list.[].id", Type: String, Doc: "The agent's name: a letter or digit, then at most 63 letters, digits, _, . or -. Required and unique."},
			{Path: "agents.list.[].tools", Type: Object, Doc: "What holds for this agent alone. It can only narrow what tools allows."},
			{Path: "agents.list.[].sandbox", Type: Bool, Doc: "true says that the agent's sessions run sandboxed: sandbox.tools holds for them."},
			{Path: "agents.list.[].model", Type: String, Doc: "The model that runs the agent, as PROVIDER/MODEL. byProvider holds for it where no other model is known."},
			{Path: "agents.list.[].harness", Type: String, Doc: `The program that runs the agent's model, such as "codex". byHarness holds for it; codex, which searches by itself, gets every tool directly.`},
		},
		workspaceKeys(),
		policyScopeKeys("agents.list.[].tools", " For this agent alone.", ""),
		approvalKeys("agents.list.[].tools", " For this agent alone, before those of tools."),
		toolSearchKeys("agents.list.[].tools", false),
	)
}

func mcpKeys() []Key {
	const s = "mcp.servers.*"
	return slices.Concat(
		[]Key{
			{Path: "mcp", Type: Object, Doc: "MCP servers."},
			pinningKey(),
			{Path: "mcp.servers", Type: Map, Doc: "The servers by name. A name is a letter or digit, then at most 63 letters, digits, _, . or -. It is part of each tool's id: mcp:NAME:TOOL."},
			{Path: s, Type: Object, Doc: "One server: either command or url."},
			{Path: s + ".command", Type: String, Doc: "The program to start. It speaks MCP on its standard input and output."},
			{Path: s + ".args", Type: List, Doc: "The program's arguments."},
			{Path: s + ".args.[]", Type: String, Doc: "An argument."},
			{
				Path: s + ".env", Type: Map,
				Doc: "Variables for the program. Of toolcrib's own environment it gets a base alone: PATH, HOME, TMPDIR, TERM and the names of user, shell, language and time zone; XDG_*, LC_* and npm_config_* without those that hold credentials; and the variables for proxies, certificates, package indexes and Node version managers; on Windows also what the system needs. Everything else is given here.",
			},
			{Path: s + ".env.*", Type: String | Whole | Bool, SecretNames: true, Doc: "A variable. Numbers and booleans become text."},
			{Path: s + ".cwd", Type: String, Doc: "The folder in which the program starts. A relative path starts at the configuration file."},
			{Path: s + ".url", Type: String, Doc: "The address of a server that speaks MCP over HTTP."},
			{Path: s + ".headers", Type: Map, Doc: "Headers of every request to url."},
			{Path: s + ".headers.*", Type: String | Whole | Bool, SecretNames: true, Doc: "A header."},
			{Path: s + ".sse", Type: Bool, Default: "false", Doc: "true speaks the old HTTP+SSE transport at once, in place of trying streamable HTTP first."},
			{Path: s + ".enabled", Type: Bool, Default: "true", Doc: "false keeps the server in the file and out of use."},
			{Path: s + ".trusted", Type: Bool, Default: "false", Doc: "true says that you vouch for the server: its parameter schemas are indexed and shown in searches."},
			{
				Path: s + ".trustHints", Type: Bool,
				Doc: "true believes the server when it says that a tool of its own reads only, or destroys nothing: for tools.approvals, and for the controls of splitCalls. By default it is what trusted is.",
			},
			{
				Path: s + ".scope", Type: String, Default: `"shared"`, Enum: []string{"shared", "session"},
				Doc: "One connection for all sessions, or one for each.",
			},
			{Path: s + ".timeoutMs", Type: Whole, Default: "60000", Min: 1000, Max: 3_600_000, Doc: "How long a call may take, in milliseconds."},
		},
		[]Key{{
			Path: s + ".callsSequential", Type: Bool, Default: "false",
			Doc: "true runs the calls of this server's tools one after another within a session, for a server that can't do several at once.",
		}},
		policyKeys(s, " For tools of this server alone."),
		[]Key{serverPinningKey(s)},
		[]Key{{
			Path: s + ".prefix", Type: String | Bool,
			Doc: `What stands before "__" in the names that direct mode shows, in place of the server's name: at most 32 letters, digits, _ or -. false or "" drops it.`,
		}},
	)
}

func gatewayKeys() []Key {
	return []Key{
		{Path: "gateway", Type: Object, Doc: "How clients reach toolcrib serve."},
		{Path: "gateway.listen", Type: String, Default: `"` + DefaultListen + `"`, Doc: "HOST:PORT to listen on. Any address beyond this machine needs a token: one of `toolcrib token create`, or gateway.token."},
		{Path: "gateway.token", Type: String, Secret: true, Doc: "One bearer token for all clients, of agent `main` and not an owner's. `toolcrib token create` makes others, which can be told apart, narrowed and revoked. Write ${env:NAME} or ${file:PATH} rather than the token itself."},
		{Path: "gateway.allowedHosts", Type: List, Doc: "Values of the Host header to accept beside those of the address that is listened on."},
		{Path: "gateway.allowedHosts.[]", Type: String, Doc: "A host, with or without a port."},
		{Path: "gateway.allowedOrigins", Type: List, Doc: "Origins of web pages that may call, such as https://example.com. None by default."},
		{Path: "gateway.allowedOrigins.[]", Type: String, Doc: "SCHEME://HOST or SCHEME://HOST:PORT."},
	}
}

func logKeys() []Key {
	return []Key{
		{Path: "log", Type: Object, Doc: "What toolcrib writes to its log."},
		{
			Path: "log.level", Type: String, Default: `"info"`, Enum: []string{"debug", "info", "warn", "error"},
			Doc: "The least important lines to write. TOOLCRIB_LOG_LEVEL sets it too.",
		},
	}
}
