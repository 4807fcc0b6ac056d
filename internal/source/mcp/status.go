package mcp

import (
	"slices"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Status is the condition of one server, for people.
type Status struct {
	Name   string
	State  toolcrib.State
	Reason string // why it is not ready, and what to try
	// Fault says where the reason lies when it is down; FaultLogin means that it
	// waits for a login or another token.
	Fault     Fault
	Transport string // "stdio", "http" or "sse"
	Scope     string // ScopeShared or ScopeSession
	// Sessions is how many sessions have a connection of their own.
	Sessions int
	// PID is the process of a local server, 0 when none runs.
	PID int
	// Protocol is the negotiated version, such as "2025-11-25".
	Protocol string
	// ServerName and ServerVersion are what the server calls itself.
	ServerName, ServerVersion string
	Tools                     int
	// Restarts is how often it was started again.
	Restarts int
	// NextTry is when a server that is down is started again; else zero.
	NextTry time.Time
	// Since is when it came into its State.
	Since time.Time
	// Warnings name what was wrong with its list.
	Warnings []string
}

// Status returns the condition of each server, in the order of their names. Of
// a server with a connection a session it shows the best one.
func (s *Source) Status() []Status {
	return during(s, func(peers []*peer) []Status {
		out := make([]Status, len(peers))
		for i, p := range peers {
			out[i] = p.status()
		}
		return out
	})
}

// status is the condition of a server.
func (p *peer) status() Status {
	links := p.all()
	now := p.still()
	restarts := 0
	for i, l := range links {
		c, _ := l.snapshot()
		restarts += max(0, c.starts-1)
		if i == 0 || rank(c.state) > rank(now.state) {
			now = c
		}
	}
	out := Status{
		Name: p.config().Name, State: now.state, Reason: p.source.options.redact(now.reason), Fault: now.fault, Transport: p.config().transport(), Scope: ScopeShared,
		PID: now.pid, Protocol: now.protocol, ServerName: now.name, ServerVersion: now.version,
		Restarts: restarts, NextTry: now.next, Since: now.since,
	}
	if p.config().perSession() {
		out.Scope, out.Sessions = ScopeSession, len(links)
	}
	if now.conn != nil && now.conn.sse {
		out.Transport = "sse"
	}
	if now.list != nil {
		out.Tools, out.Warnings = len(now.list.tools), p.shown(now.list.warnings)
	}
	return out
}

// shown are warnings of a list without secrets and control characters.
func (p *peer) shown(warnings []string) []string {
	out := slices.Clone(warnings)
	for i, w := range out {
		out[i] = p.source.options.redact(printable(w))
	}
	return out
}

// rank orders states from worst to best.
func rank(s toolcrib.State) int {
	switch s {
	case toolcrib.StateReady:
		return 2
	case toolcrib.StateStarting:
		return 1
	}
	return 0
}
