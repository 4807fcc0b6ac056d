package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/source/mcp"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// ProbeOptions say for whom servers are tried.
type ProbeOptions struct {
	// Environ is the environment of the gateway that would start the servers.
	Environ []string
	// Version is told to the servers.
	Version string
}

// ServerReport is what one fresh connection to a server has shown.
type ServerReport struct {
	Server    string `json:"server"`
	OK        bool   `json:"ok"`
	Transport string `json:"transport"`
	// Protocol is the MCP version that was negotiated.
	Protocol      string          `json:"protocol,omitempty"`
	ServerName    string          `json:"serverName,omitempty"`
	ServerVersion string          `json:"serverVersion,omitempty"`
	Capabilities  json.RawMessage `json:"capabilities,omitempty"`
	// Instructions are the server's own words to a model.
	Instructions string `json:"instructions,omitempty"`
	// Steps are start or connect, handshake and list, as far as they were begun.
	Steps []ProbeStep `json:"steps"`
	// TookMs is the time of all steps in milliseconds.
	TookMs int64       `json:"tookMs"`
	Tools  ProbedTools `json:"tools"`
	// Fault says where the reason lies, such as "command", "exit" or "login"; Reason
	// and Hint say what happened and what to try. They are empty when it is OK.
	Fault  string `json:"fault,omitempty"`
	Reason string `json:"reason,omitempty"`
	Hint   string `json:"hint,omitempty"`
	// Login is true when the server asks for a login, LoginAt where it says how.
	Login   bool   `json:"login,omitempty"`
	LoginAt string `json:"loginAt,omitempty"`
	// Stderr are the newest lines of a local server, oldest first.
	Stderr   []string `json:"stderr,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// FromGateway is true when no connection was made, since a running gateway has
	// the server ready.
	FromGateway bool `json:"fromGateway,omitempty"`
}

// ProbeStep is one step of a connection.
type ProbeStep struct {
	Name   string `json:"name"`
	TookMs int64  `json:"tookMs"`
	Failed bool   `json:"failed,omitempty"`
}

// ProbedTools are the tools of a server, as direct mode would show them.
type ProbedTools struct {
	// Listed counts what the server lists, Count what its allow and deny let through.
	Listed int `json:"listed"`
	Count  int `json:"count"`
	Bytes  int `json:"bytes"`
	// Tokens is an estimate: a token for four bytes.
	Tokens  int                `json:"tokens"`
	Largest []client.ToolStats `json:"largest,omitempty"`
}

// Probe tries one configured server by a connection of its own, beside a gateway
// that may run, also one that is switched off. A server that can't be used is no
// error, but a report that says why. It fails with KindNotFound for a name that
// isn't configured.
func Probe(ctx context.Context, c *config.Config, name string, o ProbeOptions) (ServerReport, error) {
	s, ok := c.MCP.Servers[name]
	if !ok {
		names := slices.Sorted(maps.Keys(c.MCP.Servers))
		hint := "there are: " + strings.Join(names, ", ")
		if near := config.Nearest(name, names); near != "" {
			hint = "did you mean " + near + "?"
		} else if len(names) == 0 {
			hint = "none are configured: see toolcrib config path"
		}
		return ServerReport{}, toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("there is no server %q", name), hint)
	}
	return reportOf(mcp.Probe(ctx, configured(name, s), o.mcp(c)), s), nil
}

// mcp are the options for a server of a configuration.
func (o ProbeOptions) mcp(c *config.Config) mcp.Options {
	return mcp.Options{Environ: o.Environ, Redact: c.Redact, Version: o.Version}
}

// reportOf is a probe's report as the program shows it.
func reportOf(r mcp.Report, s config.Server) ServerReport {
	out := ServerReport{
		Server: r.Server, OK: r.OK(), Transport: r.Transport, Protocol: r.Protocol, ServerName: r.ServerName, ServerVersion: r.ServerVersion,
		Capabilities: r.Capabilities, Instructions: r.Instructions, TookMs: r.Took.Milliseconds(), Steps: []ProbeStep{},
		Fault: string(r.Fault), Reason: r.Reason, Hint: r.Hint, Login: r.Login, LoginAt: r.LoginAt, Stderr: r.Stderr, Warnings: r.Warnings,
	}
	for _, step := range r.Steps {
		out.Steps = append(out.Steps, ProbeStep{step.Name, step.Took.Round(time.Millisecond).Milliseconds(), step.Failed})
	}
	if r.OK() {
		out.Tools = probedTools(r, s)
	}
	return out
}

func probedTools(r mcp.Report, s config.Server) ProbedTools {
	plan := catalog.Plan([]toolcrib.Listing{listingOf(r, s)}, func(*toolcrib.Tool) bool { return true })
	w, err := weigh(plan, toolsearch.Show(plan, toolsearch.ModeDirect))
	if err != nil { // nothing that was read from JSON can't be written as such
		return ProbedTools{Listed: r.Listed, Count: len(r.Tools)}
	}
	return ProbedTools{Listed: r.Listed, Count: len(r.Tools), Bytes: w.total, Tokens: tokens(w.total), Largest: w.largest(5)}
}

// listingOf is what a server that was tried lists.
func listingOf(r mcp.Report, s config.Server) toolcrib.Listing {
	l := toolcrib.Listing{
		Source: toolcrib.SourceMCP, Owner: r.Server, State: toolcrib.StateReady, Known: true, Tools: r.Tools, ToolPrefix: r.Server, Fingerprint: r.Server,
	}
	if s.Prefix != nil {
		l.ToolPrefix, l.NoPrefix = *s.Prefix, *s.Prefix == ""
	}
	if !r.OK() {
		l.State, l.Known, l.Tools, l.Reason = toolcrib.StateDown, false, nil, cmp.Or(r.Reason, "it can't be used")
	}
	return l
}
