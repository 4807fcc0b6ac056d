package gateway

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/approval"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/source/builtin/exec"
)

// execSource is the source of the tool that runs commands.
func (g *Gateway) execSource(o Options) (source, error) {
	s, err := exec.New(exec.Options{
		Settings: func() exec.Settings { return g.settings.Load().commands },
		Workspace: func(agent string) (string, error) {
			dir, err := workspaceOf(g.settings.Load().config, agent, o.StateDir)
			if err != nil {
				return "", toolcrib.NewError(toolcrib.KindUnavailable, "commands have no workspace: "+err.Error(), "this is for the operator to set")
			}
			return dir, os.MkdirAll(dir, 0o700)
		},
		Private: g.ownFiles(o), Able: o.Sandbox.able, Environ: o.Environ, Logger: g.logger,
	})
	if err != nil {
		return nil, err
	}
	g.commands = s
	return s, nil
}

// newExecSettings translates tools.exec; the warnings say which of its patterns
// allow more than they seem to.
func newExecSettings(c *config.Config) (exec.Settings, []config.Warning, error) {
	e := c.Tools.Exec
	s := exec.Settings{
		Ask: exec.Ask(e.Ask), Sandbox: exec.Sandbox(e.Sandbox), Timeout: e.Timeout(), OutputBytes: e.MaxOutputBytes, Path: e.Path, Read: e.Readable,
	}
	var warnings []config.Warning
	for i, text := range e.Allow {
		at := fmt.Sprintf("tools.exec.allow[%d]", i)
		p, err := exec.ParsePattern(text)
		if err != nil {
			return s, nil, toolcrib.NewError(toolcrib.KindConfig, fmt.Sprintf("%s: %q %v", at, text, err), `write the words of one plain command, such as "git log *"`)
		}
		if w := p.Warning(); w != "" {
			warnings = append(warnings, config.Warning{Origin: config.Origin{Layer: config.LayerFile, Name: c.Path}, Key: at, Message: fmt.Sprintf("%q %s", text, w)})
		}
		s.Allow = append(s.Allow, p)
	}
	return s, warnings, nil
}

// commandAsk is a question about a command line.
type commandAsk struct {
	wanted approval.Wanted
	// advice says how the line could run without the question.
	advice string
}

// askExec is the question before a call that runs commands; nil for none. The
// error refuses the call at once, where nobody is to be asked.
func (g *Gateway) askExec(call toolcrib.Call) (*commandAsk, error) {
	if g.commands == nil || call.Tool.ID != exec.ToolID {
		return nil, nil
	}
	now := g.settings.Load().commands
	v, ask := g.commands.Judge(call)
	switch {
	case !ask:
		return nil, nil
	case now.Ask == exec.AskOff:
		return nil, toolcrib.NewError(toolcrib.KindBlocked, "blocked: "+v.Reason+"; it did not run", v.Advice())
	}
	sandboxed := call.Scope.Sandboxed || now.Sandbox == exec.SandboxAlways
	q := toolcrib.Question{
		Title: "Run: " + v.Command, Description: describe(v, sandboxed), Rule: "tools.exec.ask", Severity: toolcrib.SeverityWarning, BindArgs: true,
	}
	asked := &commandAsk{wanted: approval.Wanted{Rule: "tools.exec with the user's rights", Question: q}}
	if sandboxed {
		asked.wanted.Rule = "tools.exec sandboxed"
	}
	if !v.Allowed {
		asked.advice = v.Advice()
	}
	return asked, nil
}

// describe says what a person should know of a command line beside its text.
func describe(v exec.Verdict, sandboxed bool) string {
	var parts []string
	if v.Allowed {
		parts = append(parts, "It is on the allow-list, and every command is asked about.")
	} else {
		parts = append(parts, "Not on the allow-list: "+v.Reason+".")
	}
	if v.Cwd != "" {
		parts = append(parts, "In the folder "+v.Cwd+".")
	}
	if sandboxed {
		parts = append(parts, "It runs sandboxed.")
	} else {
		parts = append(parts, "It runs with all rights of toolcrib's user.")
	}
	if len([]rune("Run: "+v.Command)) > toolcrib.MaxTitle || strings.ContainsAny(v.Command, "\r\n") {
		parts = append(parts, "The title doesn't show all of it: the arguments do.")
	}
	return strings.Join(parts, " ")
}

// settled ends the question: with a yes the call may run, and an error says how
// else it could.
func (g *Gateway) settled(call toolcrib.Call, asked *commandAsk, err error) error {
	if asked == nil {
		return err
	}
	if err == nil {
		g.commands.Permit(call)
		return nil
	}
	known := (*toolcrib.Error)(nil)
	if !errors.As(err, &known) || known.Kind != toolcrib.KindBlocked || asked.advice == "" {
		return err
	}
	hint := asked.advice
	if known.Hint != "" {
		hint = known.Hint + "; " + hint
	}
	return toolcrib.NewError(known.Kind, known.Message, hint).WithCause(err)
}
