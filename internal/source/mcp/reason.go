package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// errSilent is the cause of a start that took too long.
type errSilent struct{ after time.Duration }

func (e errSilent) Error() string {
	return fmt.Sprintf("`initialize` was not answered in %s", e.after.Round(100*time.Millisecond))
}

// reasonFor says in a person's words why a server can't be used, and what to
// try. c may be nil or closed; err is what went wrong.
func reasonFor(ctx context.Context, s *Server, c *conn, err error, log *serverLog) string {
	var silent errSilent
	slow := errors.As(context.Cause(ctx), &silent)
	switch {
	case errors.Is(err, errNoCommand):
		return noCommand(s)
	case c != nil && c.process != nil:
		return localReason(c.process, err, silent, slow, log)
	case c != nil && c.web != nil:
		return remoteReason(s, c.web, err, silent, slow)
	}
	return launchReason(s, err)
}

// noCommand explains a command that isn't there.
func noCommand(s *Server) string {
	return fmt.Sprintf("command %q not found: %s, or give its full path in mcp.servers.%s.command", s.Command, installHint(s.Command), s.Name)
}

// installHint says what to install for well-known commands.
func installHint(command string) string {
	switch programName(command) {
	case "npx", "npm", "node":
		return "install Node.js"
	case "uvx", "uv":
		return "install uv"
	case "python", "python3", "pipx", "pip":
		return "install Python"
	case "docker", "podman":
		return "install Docker"
	case "bunx", "bun":
		return "install Bun"
	case "deno":
		return "install Deno"
	}
	return "install it, put its folder into PATH"
}

// programName is a command without its folder and extension.
func programName(command string) string {
	name := strings.ToLower(filepath.Base(command))
	return strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".cmd")
}

// launchReason explains a process that could not be started.
func launchReason(s *Server, err error) string {
	switch {
	case errors.Is(err, os.ErrPermission):
		return fmt.Sprintf("command %q may not be run: %v", s.Command, rootCause(err))
	case s.Cwd != "" && errors.Is(err, os.ErrNotExist):
		return fmt.Sprintf("it can't be started in folder %q: set mcp.servers.%s.cwd to one that exists", s.Cwd, s.Name)
	}
	return fmt.Sprintf("it can't be started: %v", rootCause(err))
}

// localReason explains the end of a local server.
func localReason(p *process, err error, silent errSilent, slow bool, log *serverLog) string {
	what := p.ending()
	switch {
	case what != "" && !slow:
	case slow:
		what = silent.Error() + "; is it an MCP server that speaks over stdio?"
	case closedByPeer(err):
		what = "it closed its stdout"
	default:
		what = rpcReason(err)
	}
	if last := log.lastLine(); last != "" {
		what += "; its last words: " + last
	}
	return what
}

// closedByPeer reports whether err says no more than that the connection ended.
func closedByPeer(err error) bool {
	return err == nil || answered(err) == nil && (errors.Is(err, sdk.ErrConnectionClosed) || strings.Contains(err.Error(), "EOF"))
}

// answered returns the error that a server answered; nil when err is of another
// kind, such as the SDK's own for a message that didn't reach the server.
func answered(err error) *jsonrpc.Error {
	const rejected = -32005
	var e *jsonrpc.Error
	if !errors.As(err, &e) || e.Code == rejected && e.Message == "rejected by transport" {
		return nil
	}
	return e
}

// rpcReason explains an error that the server answered.
func rpcReason(err error) string {
	if e := answered(err); e != nil {
		return fmt.Sprintf("it answered with error %d: %s", e.Code, clip(printable(e.Message), 300))
	}
	return clip(printable(err.Error()), 300)
}

// remoteReason explains why a remote server can't be used.
func remoteReason(s *Server, w *web, err error, silent errSilent, slow bool) string {
	r := w.lastRefusal()
	at := "mcp.servers." + s.Name
	host := w.origin.Host
	if slow {
		return fmt.Sprintf("%s did not answer in %s", host, silent.after.Round(100*time.Millisecond))
	}
	switch {
	case r.moved != "":
		return fmt.Sprintf("it redirects to %s: set %s.url to that address, if you trust it", r.moved, at)
	case r.odd != "":
		return fmt.Sprintf("%s answers with content of type %s, which is not MCP: check %s.url", host, r.odd, at)
	case r.status == 0:
		return networkReason(s, host, err)
	}
	what := fmt.Sprintf("HTTP %d (%s)", r.status, http.StatusText(r.status))
	switch r.status {
	case http.StatusUnauthorized:
		return fmt.Sprintf("%s: it needs a login or token: set %s.headers.Authorization", what, at)
	case http.StatusForbidden:
		return fmt.Sprintf("%s: the token may not use it: check %s.headers.Authorization", what, at)
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return fmt.Sprintf("%s: there is no MCP server at this path: check %s.url", what, at)
	case http.StatusTooManyRequests:
		return what + ": it is asked too often"
	}
	if r.said != "" {
		what += ": " + r.said
	}
	return what
}

// networkReason explains a server that wasn't reached.
func networkReason(s *Server, host string, err error) string {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.Is(err, errForeignHost):
		return errForeignHost.Error()
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("connection to %s refused: is the server running?", host)
	case errors.As(err, &dns):
		return fmt.Sprintf("host %q is not known: check mcp.servers.%s.url and the network", dns.Name, s.Name)
	case errors.As(err, &op) && op.Timeout():
		return fmt.Sprintf("no connection to %s in time: is the network up?", host)
	case closedByPeer(err):
		return fmt.Sprintf("%s closed the connection", host)
	}
	if answered(err) != nil {
		return rpcReason(err)
	}
	return fmt.Sprintf("%s can't be reached: %v", host, rootCause(err))
}

// rootCause is the innermost error that says what happened, without a URL or
// path around it that may hold a secret.
func rootCause(err error) error {
	for {
		var u *url.Error
		var p *os.PathError
		var o *net.OpError
		switch {
		case errors.As(err, &u):
			err = u.Err
		case errors.As(err, &p):
			err = p.Err
		case errors.As(err, &o):
			err = o.Err
		default:
			return err
		}
	}
}
