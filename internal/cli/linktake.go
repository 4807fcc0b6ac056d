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
// both show, and those that toolcrib doesn't have.
func (l *linking) decide(ctx context.Context) error {
	var both, earlier []string
	for _, s := range l.servers {
		if s.Disabled || clientconfig.IsToolcrib(s) || s.Name == l.report.Entry.Name {
			continue
		}
		switch own := l.counterpart(s); {
		case own == nil:
			l.report.NotImported = append(l.report.NotImported, s.Name)
		case own.Disabled:
			l.report.Notes = append(l.report.Notes, fmt.Sprintf("%s is switched off in toolcrib, and stays on in %s", s.Name, l.client.Title))
		case l.old != nil && slices.Contains(l.old.TakenOver, s.Name):
			earlier = append(earlier, s.Name)
		default:
			both = append(both, s.Name)
		}
	}
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

// counterpart finds the server of toolcrib's that a client's is, nil for none.
func (l *linking) counterpart(s clientconfig.Server) *config.ServerEntry {
	entry := entryOf(s)
	for i, own := range l.own {
		if own.SameTarget(entry) || l.come[s.Name] == own.Name {
			return &l.own[i]
		}
	}
	return nil
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
