package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/clientconfig"
	"github.com/toolcrib/toolcrib/internal/config"
)

// decide sorts the client's servers into those that are switched off, those that
// both show, those that stay on since toolcrib's is another or is off, and those
// that toolcrib doesn't have.
func (l *linking) decide(ctx context.Context) error {
	var both, earlier []string
	for _, s := range l.servers {
		if s.Disabled || clientconfig.IsToolcrib(s) || s.Name == l.report.Entry.Name {
			continue
		}
		switch own, why := l.counterpart(s); {
		case own == nil:
			l.report.NotImported = append(l.report.NotImported, s.Name)
		case why != "":
			l.report.Notes = append(l.report.Notes, fmt.Sprintf("%s stays on in %s: toolcrib's %s %s", s.Name, l.client.Title, own.Name, why))
		case l.old != nil && slices.Contains(l.old.TakenOver, s.Name):
			earlier = append(earlier, s.Name)
		default:
			both = append(both, s.Name)
		}
	}
	l.noteElsewhere()
	switch {
	case l.options.keepOthers:
		l.report.Kept = append(append(l.report.Kept, earlier...), both...)
		return nil
	case l.options.disableOthers, l.options.yes:
		l.report.Disabled = append(append(l.report.Disabled, earlier...), both...)
		return nil
	}
	l.report.Disabled = append(l.report.Disabled, earlier...)
	yes, err := l.askOthers(ctx, both)
	if yes {
		l.report.Disabled = append(l.report.Disabled, both...)
	} else {
		l.report.Kept = append(l.report.Kept, both...)
	}
	return err
}

// counterpart finds the server of toolcrib's that stands for a client's: the same
// one, else the one that is most like it; nil for none. why says what keeps
// toolcrib's from doing the work of the client's, and is empty when nothing does.
func (l *linking) counterpart(s clientconfig.Server) (own *config.ServerEntry, why string) {
	entry, best := entryOf(s), 0
	for i := range l.own {
		have := &l.own[i]
		rank := 0
		switch {
		case have.Same(entry) && !have.Disabled:
			return have, ""
		case have.Same(entry):
			rank = 3
		case have.Name == s.Name || l.come[s.Name] == have.Name:
			rank = 2
		case have.SameTarget(entry):
			rank = 1
		}
		if rank > best {
			own, best = have, rank
		}
	}
	switch {
	case own == nil:
		return nil, ""
	case best == 3:
		return own, "is switched off"
	}
	return own, "is another one (" + strings.Join(own.Differs(entry), ", ") + " differ)"
}

// noteElsewhere names the servers that stay on in other files of the client.
func (l *linking) noteElsewhere() {
	for _, f := range l.client.Files(l.clientEnvironment()) {
		if samePlace(f, l.file) {
			continue
		}
		read, err := readServers(l.client, f)
		if err != nil {
			l.report.Notes = append(l.report.Notes, "what stays on elsewhere is not known: "+err.Error())
			continue
		}
		var names []string
		for _, s := range read.servers {
			if !s.Disabled && !clientconfig.IsToolcrib(s) {
				names = append(names, s.Name)
			}
		}
		if len(names) > 0 {
			l.report.Notes = append(l.report.Notes, fmt.Sprintf("on in %s too (scope %s), which connect leaves alone: %s", f.Path, f.Scope, strings.Join(names, ", ")))
		}
	}
}

// askOthers asks whether to switch servers off. Without a person to ask the answer is no.
func (l *linking) askOthers(ctx context.Context, names []string) (bool, error) {
	if len(names) == 0 || l.options.asJSON || l.options.dryRun || !l.p.StdinTerminal || !l.p.StderrTerminal {
		return false, nil
	}
	question := fmt.Sprintf("toolcrib has %s of %s too: %s.\nSwitch them off there, so that the model sees them through toolcrib alone? [y/N] ",
		counted(len(names), "server"), l.client.Title, strings.Join(names, ", "))
	return l.confirm(ctx, question)
}

// confirm asks a person a question that yes or no answers; anything but yes is no.
func (a *app) confirm(ctx context.Context, question string) (bool, error) {
	if err := a.out.flush(); err != nil {
		return false, err
	}
	io.WriteString(a.p.Stderr, plain(question))
	answers := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(a.p.Stdin).ReadString('\n')
		answers <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		return false, toolcrib.NewError(toolcrib.KindCanceled, "cancelled; nothing was written", "").WithCause(context.Cause(ctx))
	case answer := <-answers:
		return answer == "y" || answer == "yes", nil
	}
}
