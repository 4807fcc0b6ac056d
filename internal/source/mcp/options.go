package mcp

import (
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/glob"
)

// Scopes of a server's connection.
const (
	// ScopeShared is one connection for all sessions; the default.
	ScopeShared = "shared"
	// ScopeSession gives each session a connection, and a process, of its own.
	ScopeSession = "session"
)

// DefaultTimeout bounds one call of a tool of a server that sets no Timeout.
const DefaultTimeout = 2 * time.Minute

// Server is one configured server. Either Command or URL is set.
type Server struct {
	// Name is the owner part of its tools' ids.
	Name string
	// Command, Args, Env and Cwd start a local server that speaks over stdio.
	// Env is added to a safe base of the environment (see child.BaseEnviron).
	Command string
	Args    []string
	Env     map[string]string
	Cwd     string
	// URL is that of a remote server; Headers are sent with each request to it.
	URL     string
	Headers map[string]string
	// SSE speaks the HTTP+SSE transport of protocol 2024-11-05 at once, in place of
	// trying streamable HTTP first.
	SSE bool
	// Trusted is the operator's word for the server's input schemas.
	Trusted bool
	// TrustHints is the operator's word for what the server's tools say of
	// themselves: that they read only, or destroy nothing.
	TrustHints bool
	// Scope is ScopeShared, ScopeSession or empty for ScopeShared.
	Scope string
	// Timeout bounds one call; 0 means DefaultTimeout.
	Timeout time.Duration
	// Allow and Deny are patterns on this server's tool names; Deny wins, and
	// an empty Allow allows all.
	Allow, Deny []string
	// Prefix stands before "__" in the names of direct mode: nil means Name, "" none.
	Prefix *string
	// CallsSequential marks all of its tools as running alone within a session.
	CallsSequential bool
	// Enabled is false for a server that the operator switched off.
	Enabled bool
	// Plugin says that it is the program of a plugin, for texts.
	Plugin bool

	filter glob.Filter // of Allow and Deny
	fault  string      // what makes it unusable for good
}

// timeout is the bound of one call.
func (s *Server) timeout() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return DefaultTimeout
}

// perSession reports whether each session has a connection of its own.
func (s *Server) perSession() bool { return s.Scope == ScopeSession }

// transport names the way to the server, for people.
func (s *Server) transport() string {
	switch {
	case s.URL == "":
		return "stdio"
	case s.SSE:
		return "sse"
	}
	return "http"
}

// prepared is a copy that shares no memory with the original, its patterns
// compiled and its fault found.
func (s Server) prepared() *Server {
	s.Args, s.Allow, s.Deny = slices.Clone(s.Args), slices.Clone(s.Allow), slices.Clone(s.Deny)
	s.Env, s.Headers = maps.Clone(s.Env), maps.Clone(s.Headers)
	if s.Prefix != nil {
		prefix := *s.Prefix
		s.Prefix = &prefix
	}
	var err error
	s.filter, err = glob.NewFilter(s.Allow, s.Deny)
	s.fault = s.unusable(err)
	return &s
}

// usable reports whether the server may be started at all.
func (s *Server) usable() bool { return s.Enabled && s.fault == "" }

// unusable says what makes the configuration of the server unusable; "" when
// nothing does. The error is that of its patterns.
func (s *Server) unusable(err error) string {
	at := "mcp.servers." + s.Name
	switch {
	case err != nil:
		return fmt.Sprintf("a pattern of its can't be used: correct %s.%v", at, err)
	case s.Command == "" && s.URL == "":
		return fmt.Sprintf("it has neither a command nor a url: set %s.command or %s.url", at, at)
	case s.Command != "" && s.URL != "":
		return fmt.Sprintf("it has both a command and a url: keep one of %s.command and %s.url", at, at)
	case s.Scope != "" && s.Scope != ScopeShared && s.Scope != ScopeSession:
		return fmt.Sprintf("scope %q is unknown: set %s.scope to %q or %q", s.Scope, at, ScopeShared, ScopeSession)
	}
	if s.URL == "" {
		return ""
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Sprintf("its url is not one of http or https: set %s.url to something like https://host/mcp", at)
	}
	return ""
}

// Options is what a Source needs.
type Options struct {
	Servers []Server
	// CacheDir keeps the last-known lists; empty keeps none.
	CacheDir string
	// LogDir keeps each server's log; empty keeps only the newest lines in memory.
	LogDir string
	// Environ is the gateway's own environment, as os.Environ gives it.
	Environ []string
	Logger  *slog.Logger
	// Redact takes secrets out of a text; nil changes nothing. It is asked anew for
	// each text, when that is kept and when it is shown, so what it hides may change.
	Redact func(string) string
	// OnChange is told the name of a server whose listing or state changed. It
	// is called from the server's own goroutine and must not block for long.
	OnChange func(server string)
	// Version is toolcrib's own, as told to servers.
	Version string

	tuning tuning
	passed func(stage) // is told of each stage of a start; nil for none
}

// pass tells that a start came past a stage.
func (o *Options) pass(at stage) {
	if o.passed != nil {
		o.passed(at)
	}
}

// tuning is the set of times and bounds that tests change.
type tuning struct {
	start, startMax    time.Duration // bound of one start: silent for so long, and in all
	retryMin, retryMax time.Duration // wait before another start
	healthy            time.Duration // up for so long resets the wait
	firstList          time.Duration // how long Listings waits for a server that never answered
	debounce           time.Duration // list_changed to re-read
	discover           time.Duration // a stdio server that leaves server/discover unanswered is asked by initialize
	headers            time.Duration // a standing stream whose headers don't come is taken as open
	reopen             time.Duration // after a gap in a standing stream the list is read again, at most so often
	grace              time.Duration // each of: stdin closed, TERM sent
	idle               time.Duration // an unused session connection is closed
	sessions           int           // connections of one server by session
}

// withDefaults fills what is unset.
func (t tuning) withDefaults() tuning {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	set(&t.start, time.Minute)
	set(&t.startMax, 5*time.Minute)
	set(&t.retryMin, time.Second)
	set(&t.retryMax, 5*time.Minute)
	set(&t.healthy, time.Minute)
	set(&t.firstList, 2*time.Second)
	set(&t.debounce, 200*time.Millisecond)
	set(&t.discover, 10*time.Second)
	set(&t.headers, 3*time.Second)
	set(&t.reopen, 5*time.Minute)
	set(&t.grace, 1500*time.Millisecond)
	set(&t.idle, 30*time.Minute)
	if t.sessions == 0 {
		t.sessions = 64
	}
	return t
}

// checkNames refuses names that can't be owners, and twice the same one.
func checkNames(servers []Server) error {
	seen := map[string]bool{}
	for _, s := range servers {
		if !toolcrib.ValidOwner(s.Name) {
			return toolcrib.NewError(toolcrib.KindConfig, fmt.Sprintf("%q can't be the name of a server", s.Name),
				"use letters, digits, \"_\", \".\" and \"-\", at most 64, a letter or digit first")
		}
		if key := strings.ToLower(s.Name); seen[key] {
			return toolcrib.NewError(toolcrib.KindConfig, fmt.Sprintf("two servers are named %q", s.Name),
				"names that differ in case alone count as the same: rename one")
		} else {
			seen[key] = true
		}
	}
	return nil
}

// redact applies Redact.
func (o *Options) redact(s string) string {
	if o.Redact == nil {
		return s
	}
	return o.Redact(s)
}
