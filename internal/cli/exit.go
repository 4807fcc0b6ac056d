package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/toolcrib/toolcrib"
)

// exitCode is one line of the table from error kinds to exit codes.
type exitCode struct {
	code    int
	kinds   []toolcrib.Kind
	name    string
	meaning string
}

// codeProblems is the exit code of a check that found errors.
const codeProblems = 10

// exitCodes returns the one table of exit codes.
func exitCodes() []exitCode {
	return []exitCode{
		{0, nil, "ok", "the command did what was asked"},
		{1, []toolcrib.Kind{toolcrib.KindInternal}, "internal", "a fault of toolcrib's own"},
		{2, []toolcrib.Kind{toolcrib.KindInput}, "usage", "the command line, the arguments of a tool or a query are wrong"},
		{3, []toolcrib.Kind{toolcrib.KindConfig}, "config", "the configuration is wrong, can't be read, or names an address that is taken"},
		{4, []toolcrib.Kind{toolcrib.KindNotFound, toolcrib.KindAmbiguous}, "not found", "no such tool, server or key, or a name that fits several"},
		{5, []toolcrib.Kind{toolcrib.KindBlocked, toolcrib.KindUnauthorized}, "blocked", "policy or missing rights said no"},
		{6, []toolcrib.Kind{toolcrib.KindUnavailable}, "unavailable", "a server is down, or no gateway runs"},
		{7, []toolcrib.Kind{toolcrib.KindTool, toolcrib.KindOutput}, "tool failed", "the tool ran and failed, or broke its own promise"},
		{8, []toolcrib.Kind{toolcrib.KindTimeout}, "timeout", "time ran out; a call may have had its effect"},
		{9, []toolcrib.Kind{toolcrib.KindLimit}, "limit", "a bound was reached"},
		{codeProblems, nil, "problems", "doctor found errors, which stand in its answer"},
		{130, []toolcrib.Kind{toolcrib.KindCanceled}, "cancelled", "it was asked to end before it was done"},
	}
}

// codeOf returns the exit code of an error: 0 for none, 1 for a kind that the table lacks.
func codeOf(err error) int {
	if err == nil {
		return 0
	}
	if errors.Is(err, errProblems) {
		return codeProblems
	}
	kind := toolcrib.KindOf(err)
	for _, row := range exitCodes() {
		if slices.Contains(row.kinds, kind) {
			return row.code
		}
	}
	return 1
}

// exitCodeText is the table for the help topic.
func exitCodeText() string {
	var b textBuilder
	b.line("Every command ends with one of these codes:")
	b.line("")
	b.table(func(w io.Writer) {
		for _, row := range exitCodes() {
			fmt.Fprintf(w, "  %d\t%s\t%s\n", row.code, row.name, row.meaning)
		}
	})
	return b.String()
}

// newTable returns a writer that lines up cells which are parted by tabs.
func newTable(w io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
}
