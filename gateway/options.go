package gateway

import (
	"context"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/sandbox/embedded"
	"github.com/toolcrib/toolcrib/internal/sandbox/node"
	"github.com/toolcrib/toolcrib/internal/source/builtin/exec"
)

// Options is what a Gateway is made of. The zero value has no tools but the one
// that reads kept results.
type Options struct {
	// Tools are Go functions; see Func.
	Tools []Tool
	// Sources are further places where plugin tools come from; see Source.
	Sources []Source
	// BuiltIn adds toolcrib's own tools: files of the workspace, commands, web
	// pages and the state of the session. docs/config.md says what bounds them.
	BuiltIn bool
	// Servers are MCP servers by name, added to those of the configuration. A
	// name that both have is an error.
	Servers map[string]Server
	// Hooks are Go functions around each call, beside those of the configuration.
	Hooks []Hook
	// ConfigFile is a configuration file to read; docs/config.md has its keys.
	// Empty reads none, the default place neither: a program says what it wants.
	ConfigFile string
	// Settings are PATH=VALUE pairs over the file, such as `tools.toolSearch.mode=tools`.
	Settings []string
	// Demo adds the demo catalog: over 160 tools of a dozen services in memory.
	Demo bool
	// Environ stands for the process's environment, in the form of os.Environ,
	// which is used when it is nil.
	Environ []string
	// StateDir and CacheDir are where sockets, logs and remembered tool lists
	// are kept. Empty means that a program keeps nothing on disk.
	StateDir, CacheDir string
	// Socket is where Serve opens the control socket; empty opens none.
	Socket string
	// Logger receives what operators want to know; nil discards it. Secrets of
	// the configuration are taken out of every line.
	Logger *slog.Logger
	// Sandbox is what SandboxMain returned. Without it mode code becomes mode
	// tools, and the log says why.
	Sandbox Sandbox
	// Approver answers the questions of calls that want a person's approval; see
	// toolcrib.Question. An error means that it can't. Nil for none.
	Approver toolcrib.Ask
	// Operators says that somebody answers them through Control. Where neither is
	// given, and Serve serves no control API, such a call is refused at once.
	Operators bool
	// Version is told to MCP servers and clients; "devel" when empty.
	Version string

	// Config is a loaded configuration in place of ConfigFile and Settings. It
	// is for toolcrib's own commands, which want its warnings first.
	Config *config.Config
	// Warnings came with Config, and Reread reads it again for Reload and Watch.
	Warnings []config.Warning
	Reread   func() (*config.Config, []config.Warning, error)
}

// Source is a place where a program's tools come from, beside single functions:
// a database of tools, another protocol. It must be safe for concurrent use. Each
// listing's Source is toolcrib.SourcePlugin, its tools are sorted by name, and its
// Fingerprint, when it has one, changes whenever its tools do. When what Listings
// returns has changed, tell Gateway.Refresh.
type Source interface {
	// Listings says what each owner offers to a caller now. It must return soon: a
	// request waits for it.
	Listings(ctx context.Context, scope toolcrib.Scope) []toolcrib.Listing
	// Execute runs a tool that the source lists. Policy, hooks, approval and checks
	// of the arguments have happened before.
	Execute(ctx context.Context, call toolcrib.Call) (toolcrib.Result, error)
}

// Server is one MCP server of a library user: Command with Args, Env and Cwd, or
// URL with Headers.
type Server struct {
	Command string
	Args    []string
	// Env is added to a safe base of the environment (PATH, HOME and the like).
	Env     map[string]string
	Cwd     string
	URL     string
	Headers map[string]string
	// Trusted vouches for the server's input schemas: they are indexed, shown as
	// signatures and used to validate arguments.
	Trusted bool
	// TrustHints believes the server when it says that a tool of its own reads only,
	// or destroys nothing. Nil means Trusted.
	TrustHints *bool
	// PerSession gives every session a connection of its own.
	PerSession bool
	// Timeout bounds one call; 0 means a minute.
	Timeout time.Duration
	// Allow and Deny are patterns on tool names; Deny wins, an empty Allow allows all.
	Allow, Deny []string
}

// ServeOptions says where Serve listens.
type ServeOptions struct {
	// Listen is a TCP address; empty means the configuration's gateway.listen.
	Listen string
	// Ready is told the URL of the MCP endpoint once it accepts connections.
	Ready func(url string)
}

// StdioOptions says how ServeStdio talks.
type StdioOptions struct {
	In  io.Reader
	Out io.Writer
	// Mode and Agent are what the caller asks for, within what the configuration allows.
	Mode, Agent string
}

// SandboxMain is what a program calls first thing in main, to offer mode code and
// to run commands. In a child that was started for either it never returns; elsewhere it does
// nothing, and what it returns goes into Options.Sandbox.
func SandboxMain() Sandbox {
	embedded.Child(os.Args)
	node.Child(os.Args)
	exec.Child(os.Args)
	return Sandbox{able: true}
}

// withDefaults fills what was left out.
func (o Options) withDefaults() Options {
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Version == "" {
		o.Version = "devel"
	}
	return o
}
