package cli

import (
	"fmt"
	"strings"

	"github.com/toolcrib/toolcrib/gateway"
)

// marks are how the levels look.
var marks = map[gateway.Level]struct{ word, colour string }{
	gateway.LevelError:   {"error", "31"},
	gateway.LevelWarning: {"warning", "33"},
	gateway.LevelNote:    {"note", "2"},
	gateway.LevelOK:      {"ok", "32"},
}

// printDiagnosis writes the findings by area, what to do below each, and a line
// that sums up.
func (a *app) printDiagnosis(d diagnosis) {
	area := ""
	for _, f := range d.Findings {
		if f.Area != area {
			if area != "" {
				a.out.printf("\n")
			}
			area = f.Area
			a.out.printf("%s\n", a.out.bold(strings.ToUpper(area)))
		}
		a.printFinding(f)
	}
	a.printIsolation(d.Isolation)
	a.out.printf("\n%s\n", summary(d.Counts))
}

// indent is how far what follows a finding's first line is set in.
const indent = "           "

func (a *app) printFinding(f gateway.Finding) {
	m := marks[f.Level]
	a.out.printf("  %s%s%s\n", a.out.paint(m.colour, m.word), indent[:len(indent)-2-len(m.word)], a.redact(folded(f.What)))
	if f.Level != gateway.LevelOK && !strings.Contains(f.What, lastKey(f.Where)) {
		a.out.printf("%s%s\n", indent, a.out.dim("at "+a.redact(folded(f.Where))))
	}
	if f.Do != "" {
		a.out.printf("%s%s %s\n", indent, a.out.paint("36", "do:"), a.redact(folded(f.Do)))
	}
}

// lastKey is the last part of a path of keys, or the place as it is.
func lastKey(where string) string {
	return where[strings.LastIndexByte(where, '.')+1:]
}

func (a *app) printIsolation(i gateway.Isolation) {
	var rows [][]string
	for _, p := range i.Pieces {
		rows = append(rows, []string{p.Name, yesNo(p.OK), folded(p.Detail)})
	}
	a.out.printf("\n")
	a.out.rows([]string{"PIECE", "HERE", "DETAIL"}, rows)
	a.out.printf("\n")
	rows = nil
	for _, r := range i.Runtimes {
		rows = append(rows, []string{r.Name, yesNo(r.OK), folded(r.Reason)})
	}
	a.out.rows([]string{"CODE RUNTIME", "HERE", "REASON"}, rows)
}

func yesNo(ok bool) string {
	if ok {
		return "yes"
	}
	return "no"
}

// summary is "1 error, 2 warnings, 3 notes", or that all is well.
func summary(counts map[gateway.Level]int) string {
	var words []string
	for _, level := range levels[:3] {
		if n := counts[level]; n > 0 {
			words = append(words, counted(n, marks[level].word))
		}
	}
	if len(words) == 0 {
		return "all is well"
	}
	return strings.Join(words, ", ")
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// list joins words, "none" when there are none.
func list(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}
