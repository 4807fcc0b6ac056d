package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/toolcrib/toolcrib"
)

// Probe tries one server by a connection of its own, with a process of its own
// that is ended before it returns. It touches neither the remembered list nor the
// log file of the server, and tries one that is switched off too. A local server
// that can't bear the newest protocol's first question is started once more and
// asked by the older one, as it is when it is used. A Probe takes as long as a
// start may (1 minute of silence, 5 minutes for commands that fetch programs); ctx
// bounds it further. Of the options it needs Environ, Redact and Version.
func Probe(ctx context.Context, server Server, o Options) Report {
	server.Enabled = true
	config := server.prepared()
	r := Report{Server: config.Name, Transport: config.transport()}
	if fault := config.unfit(); fault != "" {
		r.fail(diagnosis{fault: FaultConfig, what: fault}.redacted(o.redact))
		return r
	}
	t := newTrial(config, o)
	defer t.source.launcher.Close()
	ctx, done := bounded(ctx)
	defer done()
	c, l, err := t.run(ctx)
	r.Steps, r.Took = t.watch.read()
	if err == nil {
		r.read(c, l.judged(config), o.redact)
		c.close(t.peer.tuning.grace)
	} else {
		var why diagnosis
		_ = errors.As(err, &why) // it is one
		r.fail(why)
	}
	r.Stderr = t.peer.log.lastLines()
	r.Warnings = t.warnings(l)
	return r
}

// unfit says why a server can't be tried at all; "" when it can.
func (s *Server) unfit() string {
	if !toolcrib.ValidOwner(s.Name) {
		return fmt.Sprintf("%q can't be the name of a server", s.Name)
	}
	return s.fault
}

// bounded is a context that lives apart from ctx, and ends when ctx does with the
// words of a server that was silent for so long.
func bounded(ctx context.Context) (context.Context, func()) {
	began := time.Now()
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { cancel(errSilent{time.Since(began)}) })
	return own, func() {
		stop()
		cancel(nil)
	}
}

// fail notes why the server can't be used.
func (r *Report) fail(d diagnosis) {
	r.Fault, r.Reason, r.Hint = d.fault, d.happened(), d.hint
	r.Login, r.LoginAt = d.fault == FaultLogin, d.login
}

// maxInstructions bounds a server's instructions, in bytes.
const maxInstructions = 16 << 10

// read notes what a server that can be used says of itself.
func (r *Report) read(c *conn, l *list, redact func(string) string) {
	if c.sse {
		r.Transport = "sse"
	}
	r.Tools, r.Listed, r.ListBytes = l.tools, len(l.sent), l.bytes
	info := c.session.InitializeResult()
	if info == nil {
		return
	}
	r.Protocol = info.ProtocolVersion
	r.Instructions = redact(prose(clip(info.Instructions, maxInstructions)))
	if info.ServerInfo != nil {
		name, version := selfName(info.ServerInfo)
		r.ServerName, r.ServerVersion = redact(name), redact(version)
	}
	if info.Capabilities != nil {
		r.Capabilities, _ = json.Marshal(info.Capabilities)
	}
}

// prose is a foreign text of several lines without control characters.
func prose(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
