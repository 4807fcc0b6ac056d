package cli

import (
	"fmt"
	"slices"
	"strings"
)

// print says what connect did, and what the person does next.
func (l *linking) print() {
	r := l.report
	field := func(name, value string) {
		if value != "" {
			l.out.printf("%s %s\n", l.out.bold(fmt.Sprintf("%-12s", name)), folded(value))
		}
	}
	field("file", r.File)
	field("entry", r.Entry.Name)
	field("starts", shellLine(r.Entry))
	field("switched off", strings.Join(r.Disabled, ", "))
	field("backup", r.Backup)
	for _, note := range r.Notes {
		l.note("note", "2", note)
	}
	l.printOthers()
	switch {
	case !r.Changed:
		l.note("note", "2", l.client.Title+" is connected already; nothing had to be written")
		return
	case r.DryRun:
		l.note("note", "2", "nothing was written")
		return
	}
	for _, step := range r.Next {
		l.note("next", "36", step)
	}
	l.note("hint", "36", "to undo it: "+l.commandLine("disconnect", l.client, fileFlag(l.options.file)...))
}

// again is this command once more with other flags.
func (l *linking) again(verb string, flags ...string) string {
	return l.commandLine(verb, l.client, slices.Concat(fileFlag(l.options.file), scopeFlag(l.options.scope), flags)...)
}

// printOthers says what it costs that servers stay where they are.
func (l *linking) printOthers() {
	r, title := l.report, l.client.Title
	if len(r.Kept) > 0 {
		l.note("note", "2", fmt.Sprintf("%s and toolcrib both show %s: nothing is saved while they do", title, strings.Join(r.Kept, ", ")))
		l.note("hint", "36", "switch them off there: "+l.again("connect", "--disable-others"))
	}
	if len(r.NotImported) > 0 && len(r.Disabled)+len(r.Kept) == 0 {
		l.note("note", "2", fmt.Sprintf("toolcrib has none of the %s that %s has", counted(len(r.NotImported), "server"), title))
		l.note("hint", "36", "take them over: "+l.again("import")+", or in one go: "+l.again("connect", "--import"))
	} else if len(r.NotImported) > 0 {
		l.note("note", "2", fmt.Sprintf("toolcrib does not have %s; that stays as it is", strings.Join(r.NotImported, ", ")))
	}
}

// printImported is the short form of import's answer, for connect --import.
func (a *app) printImported(r *importReport) {
	count := map[string]int{}
	for _, w := range r.Warnings {
		a.warn(w)
	}
	for _, s := range r.Servers {
		count[s.Action]++
		if s.Action == actionSkipped {
			a.warn(s.Name + ": " + s.Reason)
		}
		for _, note := range s.Notes {
			a.note("note", "2", s.Name+": "+note)
		}
	}
	what := "added to"
	if r.DryRun {
		what = "would be added to"
	}
	text := fmt.Sprintf("%s %s %s", counted(count[actionAdded], "server"), what, r.Config)
	if n := count[actionPresent]; n > 0 {
		text += fmt.Sprintf("; already there: %d", n)
	}
	a.note("note", "2", text)
}

// shellLine is the entry's command as a person would type it.
func shellLine(e linkEntry) string {
	words := []string{shellQuote(e.Command)}
	for _, arg := range e.Args {
		words = append(words, shellQuote(arg))
	}
	for name, value := range e.Env {
		words = slices.Insert(words, 0, name+"="+shellQuote(value))
	}
	return strings.Join(words, " ")
}
