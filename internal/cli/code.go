package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// maxCode bounds what is read of a file of code; the gateway takes 64 KiB.
const maxCode = 1 << 20

func (a *app) codeCommand() *cobra.Command {
	return noun("code", "Run code that finds and calls tools", a.codeRunCommand())
}

func (a *app) codeRunCommand() *cobra.Command {
	var s source
	var asJSON, trace bool
	var timeout time.Duration
	c := &cobra.Command{
		Use:   "run FILE|-",
		Short: "Run a body of JavaScript as a model does in mode code",
		Long: `Run the body of an async JavaScript function as a model does in mode code, in
isolation, against the configured tools: openclaw.tools.search(query, {limit}?),
openclaw.tools.describe(id) and openclaw.tools.call(id, args) are all that it can
reach. What it returns is printed; what it logs goes to stderr.

Code that is not JavaScript ends with exit code 2, code that throws or whose tool
fails with 7, and the other failures with the code of their kind.`,
		Example: `  toolcrib code run body.js
  toolcrib code run --trace --demo body.js
  echo 'return (await openclaw.tools.search("create an issue"))[0].id' | toolcrib code run -`,
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			if timeout < 0 {
				return toolcrib.NewError(toolcrib.KindInput, "--timeout "+timeout.String()+" is less than nothing", "write --timeout 30s")
			}
			code, err := a.readCode(words[0])
			if err != nil {
				return err
			}
			return a.ask(cmd.Context(), s, forgotten, func(c *connection) error {
				reply, err := c.Code(cmd.Context(), client.CodeRequest{Code: code, Agent: s.agent, TimeoutMs: int(timeout.Milliseconds())})
				if err != nil {
					return err
				}
				return a.printCode(reply, asJSON, trace)
			})
		},
	}
	c.Flags().BoolVar(&trace, "trace", false, "show on stderr each call that the code makes, with its time")
	c.Flags().DurationVar(&timeout, "timeout", 0, "`time` that the code may take, such as 30s, up to 15m (default: tools.toolSearch.codeTimeoutMs)")
	a.toolsFlags(c, &s, &asJSON, `{"ok", "value" | "error": {"kind", "message", "hint", "tool", "line", "column", "excerpt"}, "hint", "notes", "logs": [{"level", "text"}], "steps": [{"n", "function", "target", "ok", "kind", "error", "startedMs", "ms"}], "telemetry", "unavailable"}`)
	return c
}

// readCode reads a file of code, or stdin.
func (a *app) readCode(name string) (string, error) {
	in := a.p.Stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			hint := ""
			if strings.ContainsAny(name, " (;") {
				hint = "to run code from standard input, give - in place of a file: echo " + shellQuote(name) + " | toolcrib code run -"
			}
			return "", toolcrib.NewError(toolcrib.KindInput, "cannot read the code: "+err.Error(), hint).WithCause(err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxCode+1))
	if err != nil {
		return "", toolcrib.NewError(toolcrib.KindInput, "cannot read the code: "+err.Error(), "").WithCause(err)
	}
	if len(text) > maxCode {
		return "", toolcrib.NewError(toolcrib.KindLimit, fmt.Sprintf("%s is longer than %d MiB", name, maxCode>>20), "")
	}
	if strings.TrimSpace(string(text)) == "" {
		return "", toolcrib.NewError(toolcrib.KindInput, "there is no code in "+name, "write JavaScript that ends with: return VALUE")
	}
	return string(text), nil
}

// printCode writes what came of code. Code that failed ends the command with
// the exit code of its kind.
func (a *app) printCode(r client.CodeReply, asJSON, trace bool) error {
	if asJSON {
		if err := a.out.json(r); err != nil {
			return err
		}
	} else if r.OK {
		a.printValue(r.Value)
	}
	if flushed := a.out.flush(); flushed != nil {
		return flushed
	}
	if !asJSON {
		a.printLogs(r)
	}
	if trace || (!r.OK && !asJSON) {
		a.printSteps(r, trace)
	}
	if r.OK {
		if r.Hint != "" && !asJSON {
			a.note("hint", "36", r.Hint)
		}
		return nil
	}
	return codeFailure(r.Error)
}

// printValue writes a text as it is, and everything else as JSON.
func (a *app) printValue(value json.RawMessage) {
	var text string
	if json.Unmarshal(value, &text) == nil && len(value) > 0 && value[0] == '"' {
		a.out.printf("%s\n", strings.TrimRight(a.out.shown(text), "\n"))
		return
	}
	a.out.printf("%s\n", a.out.shown(indented(value)))
}

func (a *app) printLogs(r client.CodeReply) {
	colours := map[string]string{"log": "2", "warn": "33", "error": "31"}
	for _, l := range r.Logs {
		a.note("code "+l.Level, colours[l.Level], l.Text)
	}
	if r.LogsTruncated {
		a.warn("the code logged more than it may: the rest was dropped")
	}
	for _, n := range r.Notes {
		a.note("note", "2", n)
	}
	a.warnUnavailable(r.Unavailable)
}

// printSteps writes the calls of the code to stderr: all of them and the sum, or
// only those of tools, which may have had an effect.
func (a *app) printSteps(r client.CodeReply, all bool) {
	for _, s := range r.Steps {
		if !all && s.Function != "call" {
			continue
		}
		state := "ok"
		if !s.OK {
			state = string(s.Kind)
		}
		line := fmt.Sprintf("%3d  +%.1f ms  %.1f ms  %s %s  %s", s.N, s.StartedMs, s.MS, s.Function, folded(s.Target), state)
		if s.Error != "" {
			line += ": " + folded(s.Error)
		}
		io.WriteString(a.p.Stderr, plain(line)+"\n")
	}
	if !all {
		return
	}
	io.WriteString(a.p.Stderr, fmt.Sprintf("%d ms in all: %d searches, %d describes, %d calls\n",
		r.Telemetry.MS, r.Telemetry.Searches, r.Telemetry.Describes, r.Telemetry.Calls))
}

// codeFailure is the failure of code as an error of the command.
func codeFailure(e *client.CodeError) error {
	if e == nil {
		return toolcrib.NewError(toolcrib.KindInternal, "the gateway says that the code failed and not why", "")
	}
	message := e.Kind + ": " + e.Message
	if e.Line > 0 {
		message += fmt.Sprintf(" (line %d, column %d)", e.Line, e.Column)
	}
	if e.Excerpt != "" {
		message += "\n" + e.Excerpt
	}
	return toolcrib.NewError(e.Sort, message, e.Hint)
}
