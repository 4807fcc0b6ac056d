package config

import (
	"slices"
	"time"
)

// Config is the whole configuration, validated, with all defaults in place. It
// is never changed once loaded. Its fields hold secrets in the clear, for those
// who need them; printing it, or a part of it, shows none.
type Config struct {
	Tools  Tools
	Agents Agents
	MCP    MCP
	// Plugins are where they are, and which are used.
	Plugins Plugins
	// Hooks are those around calls, by name.
	Hooks map[string]Hook
	// Models are the language models that can be asked.
	Models  Models
	Gateway Gateway
	// Store and Sessions are what is kept, and where.
	Store    Store
	Sessions Sessions
	Log      Log

	// Path is the file, whether or not it is there; empty when no home folder is known.
	Path string
	// Found is false when there is no file and everything is by default, environment or flag.
	Found bool
	// Blank is true when the file is there and holds nothing but white space, as one
	// does that somebody is just writing.
	Blank bool

	state *state
}

// state is what answers questions about the whole: the tree and its secrets.
type state struct {
	root *value
	hide *redactor
}

// Tools says which tools there are and how a model sees them.
type Tools struct {
	ToolSearch  ToolSearch
	Allow, Deny []string
	ToolPolicy
	// Approvals say for which calls a person is asked; the first that fits counts.
	Approvals []ApprovalRule
	// Web is what web_fetch may reach.
	Web Web
	// FS says where the file tools work.
	FS FS
	// Exec is the command lines of the built-in tool.
	Exec Exec
	// MaxResultBytes bounds a result in a model's context, in bytes.
	MaxResultBytes int
}

// Agents are agents that differ from the rest.
type Agents struct{ List []Agent }

// Agent is one of them.
type Agent struct {
	ID    string
	Tools AgentTools
	// Sandbox says that its sessions run sandboxed.
	Sandbox bool
	// Model is PROVIDER/MODEL, and Harness the program that runs it; both may be empty.
	Model, Harness string
	// Workspace is the folder of its file tools, absolute; empty for that of Tools.FS.
	Workspace string
}

// AgentTools narrows Tools for one agent.
type AgentTools struct {
	Allow, Deny []string
	ToolPolicy
	// Approvals stand before those of Tools.
	Approvals []ApprovalRule
	// ToolSearch is complete, with what the agent left out taken from Tools; nil
	// when the agent says nothing of it.
	ToolSearch *ToolSearch
}

// MCP holds the MCP servers by name. Every name satisfies toolcrib.ValidOwner.
type MCP struct {
	Servers map[string]Server
	// Pinning is "first-use", "review" or "off".
	Pinning string
}

// Server is one MCP server: either Command or URL is set.
type Server struct {
	Command string
	Args    []string
	Env     map[string]string
	// Cwd is absolute, or empty for the gateway's own folder.
	Cwd     string
	URL     string
	Headers map[string]string
	// SSE asks for the old HTTP+SSE transport at once.
	SSE     bool
	Enabled bool
	Trusted bool
	// TrustHints is Trusted unless the operator wrote otherwise.
	TrustHints bool
	// Scope is "shared" or "session".
	Scope string
	// TimeoutMs bounds a call, 1000 to 3600000.
	TimeoutMs int
	// CallsSequential runs calls one after another within a session.
	CallsSequential bool
	Allow, Deny     []string
	// Prefix is nil for the server's name, and empty when the prefix is dropped.
	Prefix *string
	// Pinning is that of MCP unless the operator wrote otherwise; "off" by default
	// where the server is trusted.
	Pinning string
}

// Timeout is TimeoutMs as a duration.
func (s Server) Timeout() time.Duration { return time.Duration(s.TimeoutMs) * time.Millisecond }

// Gateway says how clients reach the gateway.
type Gateway struct {
	// Listen is HOST:PORT.
	Listen string
	// Token is one bearer token for all clients, beside those that were made; may be
	// empty.
	Token                        string
	AllowedHosts, AllowedOrigins []string
}

// Log says what is logged.
type Log struct {
	// Level is "debug", "info", "warn" or "error".
	Level string
}

// newConfig reads the typed form off the settled tree.
func newConfig(l *loader, hide *redactor) *Config {
	root := l.root
	tools, gateway := root.get("tools"), root.get("gateway")
	c := &Config{
		Path: l.path, Found: l.found, Blank: l.blank, state: &state{root, hide},
		Tools: Tools{
			ToolSearch: toolSearchOf(tools.get("toolSearch")),
			Allow:      texts(tools.get("allow")), Deny: texts(tools.get("deny")), ToolPolicy: toolPolicyOf(tools), Approvals: approvalRulesOf(tools),
			Web:            webOf(tools.get("web")),
			MaxResultBytes: number(tools.get("maxResultBytes"), 0),
		},
		MCP: MCP{Servers: map[string]Server{}, Pinning: text(root.get("mcp").get("pinning"))},
		Gateway: Gateway{
			Listen: text(gateway.get("listen")), Token: text(gateway.get("token")),
			AllowedHosts: texts(gateway.get("allowedHosts")), AllowedOrigins: texts(gateway.get("allowedOrigins")),
		},
		Log: Log{Level: text(root.get("log").get("level"))},
	}
	c.Tools.Exec = execOf(tools.get("exec"))
	c.Tools.FS = FS{Workspace: text(tools.get("fs").get("workspace"))}
	c.Hooks = hooksOf(root.get("hooks"))
	c.Models = modelsOf(root.get("models"))
	c.Plugins = pluginsOf(root.get("plugins"), l.path)
	c.record(root)
	if list := root.get("agents").get("list"); list != nil {
		for _, v := range list.items {
			c.Agents.List = append(c.Agents.List, agentOf(v))
		}
	}
	if servers := root.get("mcp").get("servers"); servers != nil {
		for _, f := range servers.fields {
			c.MCP.Servers[f.key] = pinnedServer(serverOf(f.val), c.MCP.Pinning)
		}
	}
	return c
}

func agentOf(v *value) Agent {
	a := Agent{ID: text(v.get("id")), Sandbox: yes(v.get("sandbox")), Model: text(v.get("model")), Harness: text(v.get("harness"))}
	a.Workspace = text(v.get("workspace"))
	tools := v.get("tools")
	a.Tools.ToolPolicy, a.Tools.Approvals = toolPolicyOf(tools), approvalRulesOf(tools)
	a.Tools.Allow, a.Tools.Deny = texts(tools.get("allow")), texts(tools.get("deny"))
	if ts := tools.get("toolSearch"); ts != nil {
		full := toolSearchOf(ts)
		a.Tools.ToolSearch = &full
	}
	return a
}

func serverOf(v *value) Server {
	s := Server{
		Command: text(v.get("command")), Args: texts(v.get("args")), Env: textMap(v.get("env")), Cwd: text(v.get("cwd")),
		URL: text(v.get("url")), Headers: textMap(v.get("headers")),
		SSE: yes(v.get("sse")), CallsSequential: yes(v.get("callsSequential")),
		Enabled: yes(v.get("enabled")), Trusted: yes(v.get("trusted")), Scope: text(v.get("scope")),
		Pinning:   text(v.get("pinning")),
		TimeoutMs: number(v.get("timeoutMs"), DefaultTimeoutMs),
		Allow:     texts(v.get("allow")), Deny: texts(v.get("deny")),
	}
	if p := v.get("prefix"); p != nil {
		prefix := p.text // empty for false
		s.Prefix = &prefix
	}
	s.TrustHints = s.Trusted
	if hints := v.get("trustHints"); hints != nil {
		s.TrustHints = hints.bool
	}
	return s
}

func toolSearchOf(v *value) ToolSearch {
	t := ToolSearch{
		Mode:          text(v.get("mode")),
		CodeTimeoutMs: number(v.get("codeTimeoutMs"), 0), SearchDefaultLimit: number(v.get("searchDefaultLimit"), 0),
		MaxSearchLimit: number(v.get("maxSearchLimit"), 0), CodeRuntime: text(v.get("codeRuntime")),
		CodeIsolation: text(v.get("codeIsolation")), SplitCalls: yes(v.get("splitCalls")),
		Directory: Directory{Untrusted: text(v.get("directory").get("untrusted"))},
	}
	if on := v.get("enabled"); on != nil {
		t.Enabled = &on.bool
	} else if t.Mode != "auto" {
		t.Enabled = new(true)
	}
	return t
}

func text(v *value) string {
	if v == nil {
		return ""
	}
	return v.text
}

func texts(v *value) []string {
	if v == nil {
		return nil
	}
	var out []string
	for _, item := range v.items {
		out = append(out, item.text)
	}
	return slices.Clip(out)
}

func textMap(v *value) map[string]string {
	if v == nil {
		return nil
	}
	out := make(map[string]string, len(v.fields))
	for _, f := range v.fields {
		out[f.key] = f.val.text
	}
	return out
}

func yes(v *value) bool { return v != nil && v.bool }
