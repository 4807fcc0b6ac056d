package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/toolcrib/toolcrib/client"
)

func (a *app) printSessions(list client.SessionList) {
	if len(list.Sessions) == 0 {
		a.out.printf("nothing is recorded yet\n")
		return
	}
	var rows [][]string
	for _, s := range list.Sessions {
		rows = append(rows, []string{
			s.ID, s.Started.Local().Format("2006-01-02 15:04:05"), folded(s.Agent), folded(cmp.Or(s.Client, string(s.Door))), s.Mode,
			fmt.Sprint(s.Searches), callCounts(s),
		})
	}
	a.out.rows([]string{"SESSION", "STARTED", "AGENT", "CLIENT", "MODE", "SEARCHES", "CALLS"}, rows)
	if list.Before != 0 {
		a.out.printf("%s\n", a.out.dim(fmt.Sprintf("there may be more: --before %d", list.Before)))
	}
}

// callCounts is "5 (1 failed, 2 refused)".
func callCounts(s client.RecordedSession) string {
	var not []string
	if s.Failed > 0 {
		not = append(not, fmt.Sprintf("%d failed", s.Failed))
	}
	if s.Refused > 0 {
		not = append(not, fmt.Sprintf("%d refused", s.Refused))
	}
	if len(not) == 0 {
		return fmt.Sprint(s.Calls)
	}
	return fmt.Sprintf("%d (%s)", s.Calls, strings.Join(not, ", "))
}

func (a *app) printSession(r client.SessionRecord) {
	s := r.Session
	field := func(name, value string) {
		if value != "" {
			a.out.printf("%s %s\n", a.out.bold(fmt.Sprintf("%-8s", name)), folded(value))
		}
	}
	field("session", s.ID)
	field("agent", s.Agent)
	field("client", s.Client)
	field("token", s.Caller)
	field("door", string(s.Door))
	if x := r.Shown; x != nil {
		field("shown", fmt.Sprintf("mode %s, %s, %d bytes (all tools would be %d)", x.Mode, counted(x.Schemas, "schema"), x.Bytes, x.DirectBytes))
	}
	field("did", fmt.Sprintf("%s, %s, calls: %s", countedIn(s.Searches, "search", "searches"), counted(s.Describes, "description"), callCounts(s)))
	if f := r.Final; f != nil {
		field("final", fmt.Sprintf("%s, from %s: %s", f.Tool, f.Source, cmp.Or(f.Outcome, "no end is known")))
	}
	a.out.printf("\n")
	var rows [][]string
	for _, e := range r.Events {
		ms := ""
		if e.Outcome != "" {
			ms = fmt.Sprint(e.Ms)
		}
		rows = append(rows, []string{e.Time.Local().Format("15:04:05.000"), e.Kind, folded(cmp.Or(e.Tool, quotedQuery(e))), ms, e.Outcome, folded(why(e))})
	}
	a.out.rows([]string{"TIME", "KIND", "TOOL", "MS", "OUTCOME", "REASON"}, rows)
	if r.Truncated {
		a.out.printf("%s\n", a.out.dim("there are more events than are shown"))
	}
}

// quotedQuery is what was searched for, and how many tools that found.
func quotedQuery(e client.SessionEvent) string {
	if e.Query == "" {
		return ""
	}
	return fmt.Sprintf("%q: %s", folded(e.Query), counted(len(e.Hits), "hit"))
}

// why is the reason of an event, or what else it has to say.
func why(e client.SessionEvent) string {
	switch {
	case e.Reason != "":
		return e.Reason
	case e.Decision != "":
		return strings.TrimSpace(string(e.Decision) + " " + e.By)
	case e.Kind == "call.started" && len(e.Args) > 0:
		return string(e.Args)
	}
	return ""
}

// countedIn is counted for a word whose plural isn't its own with an s.
func countedIn(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
