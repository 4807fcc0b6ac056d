package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib/internal/child"
)

// errSilent is the cause of a start that took too long.
type errSilent struct{ after time.Duration }

func (e errSilent) Error() string { return fmt.Sprintf("it was silent for %s", e.rounded()) }

// rounded is the time for people.
func (e errSilent) rounded() time.Duration { return e.after.Round(100 * time.Millisecond) }

// diagnose says why a server can't be used, and what to try. c may be nil or
// closed; err is what went wrong.
func diagnose(ctx context.Context, s *Server, c *conn, err error, log *serverLog) diagnosis {
	var known diagnosis
	if errors.As(err, &known) {
		return known
	}
	var silent errSilent
	slow := errors.As(context.Cause(ctx), &silent)
	switch {
	case errors.Is(err, errNoCommand):
		return noCommand(s)
	case c != nil && c.process != nil:
		d := localReason(c, err, silent, slow)
		d.words = log.lastWords()
		if hint := incomplete(log.lastLines()); hint != "" {
			d.hint = hint
		}
		return d
	case c != nil && c.web != nil && slow:
		return diagnosis{fault: FaultSilent, what: fmt.Sprintf("%s did not answer in %s", c.web.origin.Host, silent.rounded())}
	case c != nil && c.web != nil:
		return remoteReason(s, c.web, err)
	}
	return launchReason(s, err)
}

// noCommand explains a command that isn't there.
func noCommand(s *Server) diagnosis {
	if word, line := child.CommandWord(s.Command); line {
		return diagnosis{
			fault: FaultCommand, what: fmt.Sprintf("command %q not found: it is a whole line", word+" …"),
			hint: fmt.Sprintf("give its first word in %s, and the others in %s", s.key("command"), s.key("args")),
		}
	}
	if s.Plugin && filepath.IsAbs(s.Command) { // of its own folder, most likely
		return diagnosis{
			fault: FaultCommand, what: fmt.Sprintf("command %q not found", s.Command),
			hint: "set the plugin up as its README says, or correct " + s.key("command"),
		}
	}
	return diagnosis{
		fault: FaultCommand, what: fmt.Sprintf("command %q not found", s.Command),
		hint: fmt.Sprintf("%s, or give its full path in %s", installHint(s.Command), s.key("command")),
	}
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
func launchReason(s *Server, err error) diagnosis {
	d := diagnosis{fault: FaultStart}
	switch {
	case errors.Is(err, os.ErrPermission):
		word, _ := child.CommandWord(s.Command)
		d.what = fmt.Sprintf("command %q may not be run: %v", word, rootCause(err))
	case s.Cwd != "" && errors.Is(err, os.ErrNotExist):
		d.what = fmt.Sprintf("it can't be started in folder %q", s.Cwd)
		d.hint = fmt.Sprintf("set %s to one that exists", s.key("cwd"))
	default:
		d.what = fmt.Sprintf("it can't be started: %v", rootCause(err))
	}
	return d
}

// localReason explains the end of a local server.
func localReason(c *conn, err error, silent errSilent, slow bool) diagnosis {
	ending := c.process.ending()
	switch {
	case slow && c.session != nil:
		return diagnosis{fault: FaultSilent, what: fmt.Sprintf("`tools/list` was not answered in %s", silent.rounded())}
	case slow:
		return diagnosis{
			fault: FaultSilent, what: fmt.Sprintf("`initialize` was not answered in %s", silent.rounded()),
			hint: "is it an MCP server that speaks over stdio?",
		}
	case ending != "":
		return diagnosis{fault: FaultExit, what: ending}
	case closedByPeer(err):
		return diagnosis{fault: FaultExit, what: "it closed its stdout"}
	}
	return diagnosis{fault: FaultProtocol, what: rpcReason(err)}
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
