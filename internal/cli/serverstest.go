package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/gateway"
)

const reportShape = `{"server", "ok", "transport", "protocol", "serverName", "serverVersion", "capabilities", "instructions", "steps": [{"name", "tookMs", "failed"}], "tookMs", "tools": {"listed", "count", "bytes", "tokens", "largest": [{"id", "bytes", "tokens", "share"}]}, "fault", "reason", "hint", "login", "loginAt", "stderr": ["..."], "warnings": ["..."], "fromGateway"}`

func (a *app) serversTestCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "test NAME",
		Short: "Try a server by a fresh connection, and show what it says",
		Long: `Try a server by a fresh connection, beside a gateway that may run: the time of each
step, what the server says of itself, its tools and what they cost a model, and when
it can't be used why, what to do, and the last lines of its standard error. A server
that is switched off can be tried too.`,
		Example: `  toolcrib servers test github
  toolcrib servers test github --json | jq .tookMs`,
		Args:              arguments(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.loadConfig()
			if err != nil {
				return err
			}
			progress := a.progress()
			progress.say("trying " + args[0])
			r, err := gateway.Probe(cmd.Context(), cfg, args[0], a.probing())
			progress.stop()
			if err != nil {
				return err
			}
			if err := cmd.Context().Err(); err != nil {
				return toolcrib.NewError(toolcrib.KindCanceled, "cancelled while the server was tried", "").WithCause(err)
			}
			if asJSON {
				err = a.out.json(r)
			} else {
				a.printReport(r)
			}
			if err == nil && !r.OK {
				return failed(r)
			}
			return err
		},
	}
	jsonFlag(c, &asJSON, reportShape)
	return c
}

// failed is the error about a server that can't be used.
func failed(r gateway.ServerReport) error {
	kind, hint := toolcrib.KindUnavailable, r.Hint
	switch {
	case r.Login:
		kind = toolcrib.KindUnauthorized
	case r.Fault == "config":
		kind = toolcrib.KindConfig
	}
	if r.LoginAt != "" {
		hint = strings.TrimPrefix(hint+"; it describes its login at "+r.LoginAt, "; ")
	}
	return toolcrib.NewError(kind, "server "+r.Server+" can't be used: "+r.Reason, hint)
}

// maxWords is how many lines of a server's instructions are shown.
const maxWords = 5

func (a *app) printReport(r gateway.ServerReport) {
	field := func(name, value string) {
		if value != "" {
			a.out.printf("%s %s\n", a.out.bold(fmt.Sprintf("%-12s", name)), a.out.cut(folded(value), 13))
		}
	}
	field("server", strings.TrimSpace(r.ServerName+" "+r.ServerVersion))
	field("transport", r.Transport)
	field("protocol", r.Protocol)
	field("capabilities", offers(r.Capabilities))
	if r.OK {
		field("tools", toolsLine(r.Tools))
	}
	for i, line := range firstLines(r.Instructions, maxWords) {
		field([]string{"instructions", ""}[min(i, 1)], line)
	}
	var rows [][]string
	for _, s := range r.Steps {
		note := ""
		if s.Failed {
			note = "failed"
		}
		rows = append(rows, []string{s.Name, fmt.Sprintf("%d ms", s.TookMs), note})
	}
	a.out.printf("\n")
	a.out.rows([]string{"STEP", "TOOK", ""}, append(rows, []string{"total", fmt.Sprintf("%d ms", r.TookMs), ""}))
	if len(r.Tools.Largest) > 0 {
		a.out.printf("\n")
		rows = nil
		for _, t := range r.Tools.Largest {
			rows = append(rows, []string{folded(t.ID), fmt.Sprint(t.Bytes), fmt.Sprint(t.Tokens), fmt.Sprintf("%.1f %%", t.Share)})
		}
		a.out.rows([]string{"LARGEST TOOL", "BYTES", "TOKENS", "SHARE"}, rows)
	}
	if !r.OK && len(r.Stderr) > 0 {
		a.out.printf("\n%s\n", a.out.bold("LAST LINES OF STDERR"))
		for _, line := range r.Stderr {
			a.out.printf("%s\n", a.out.shown(line))
		}
	}
	for _, w := range r.Warnings {
		a.warn(w)
	}
}

// toolsLine says how many tools there are, and what they cost.
func toolsLine(t gateway.ProbedTools) string {
	text := fmt.Sprintf("%d, %d bytes, about %d tokens in direct mode", t.Count, t.Bytes, t.Tokens)
	if t.Listed != t.Count {
		text += fmt.Sprintf(" (%d are listed, the others are not allowed or can't be used)", t.Listed)
	}
	return text
}

// offers names what a server can do.
func offers(capabilities json.RawMessage) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(capabilities, &all) != nil {
		return ""
	}
	return strings.Join(slices.Sorted(maps.Keys(all)), ", ")
}

// firstLines are the first lines of a text that aren't empty, the last of them
// marked when there are more.
func firstLines(text string, n int) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = folded(line); line == "" {
			continue
		}
		if len(lines) == n {
			lines[n-1] += " …"
			break
		}
		lines = append(lines, clipped(line, 200))
	}
	return lines
}

// clipped shortens a line to n characters.
func clipped(line string, n int) string {
	if runes := []rune(line); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return line
}
