package cli

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/clientconfig"
	"github.com/toolcrib/toolcrib/internal/config"
)

const linkShape = `{"client", "file", "scope", "dryRun", "changed", "backup", "entry": {"name", "command", "args", "env"}, "disabled": ["..."], "kept": ["..."], "notImported": ["..."], "notes": ["..."], "next": ["..."], "import": {...}}`

// linkOptions are the flags of connect.
type linkOptions struct {
	file, scope, mode, agent, name string
	dryRun, importFirst            bool
	disableOthers, keepOthers, yes bool
	asJSON                         bool
}

func (a *app) linkCommand() *cobra.Command {
	var o linkOptions
	c := &cobra.Command{
		Use:   "connect CLIENT",
		Short: "Write toolcrib into the configuration of another program",
		Long: `Write toolcrib into the configuration of another program, so that it starts
"toolcrib mcp". The rest of its file stays byte for byte; a backup is kept, and
toolcrib disconnect brings it back.

CLIENT is ` + clientNames() + `.

Servers that toolcrib has too are shown twice until the program's own are switched
off. On a terminal connect asks whether to do that; else the flags say, and without
one they are kept.`,
		Example: `  toolcrib connect claude-desktop
  toolcrib connect cursor --import --disable-others
  toolcrib connect codex --dry-run
  toolcrib connect vscode --scope project --mode tools`,
		Args:              arguments(cobra.ExactArgs(1)),
		ValidArgsFunction: completeClients,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.link(cmd.Context(), args[0], o)
		},
	}
	flags := c.Flags()
	flags.StringVar(&o.file, "file", "", "`file` to write in place of the program's own")
	flags.StringVar(&o.scope, "scope", "", "which of the program's files: user, project or local (default: the first that it has)")
	flags.StringVar(&o.mode, "mode", "", "what the model sees, as in toolcrib mcp (default: direct for programs that search by themselves)")
	flags.StringVar(&o.agent, "agent", "", "`name` of the agent whose policy applies")
	flags.StringVar(&o.name, "name", "", "`name` of the entry (default: toolcrib)")
	flags.BoolVar(&o.importFirst, "import", false, "take the program's servers over first, as toolcrib import does")
	flags.BoolVar(&o.disableOthers, "disable-others", false, "switch off the program's own servers that toolcrib has too")
	flags.BoolVar(&o.keepOthers, "keep-others", false, "leave them on")
	flags.BoolVarP(&o.yes, "yes", "y", false, "answer yes to what it would ask")
	flags.BoolVar(&o.dryRun, "dry-run", false, "say what would be done, and write nothing")
	complete(c, "scope", fixed("user", "project", "local"))
	complete(c, "mode", fixed(modes()...))
	complete(c, "agent", a.completeAgents)
	jsonFlag(c, &o.asJSON, linkShape)
	return c
}

// linkReport is the answer of connect.
type linkReport struct {
	Client string `json:"client"`
	File   string `json:"file"`
	Scope  string `json:"scope"`
	DryRun bool   `json:"dryRun"`
	// Changed is false when the file says all of it already.
	Changed bool      `json:"changed"`
	Backup  string    `json:"backup,omitempty"`
	Entry   linkEntry `json:"entry"`
	// Disabled are the servers that are off for toolcrib's sake; Kept are those
	// that both show; NotImported are those that toolcrib doesn't have.
	Disabled    []string      `json:"disabled"`
	Kept        []string      `json:"kept"`
	NotImported []string      `json:"notImported"`
	Notes       []string      `json:"notes,omitempty"`
	Next        []string      `json:"next"`
	Import      *importReport `json:"import,omitempty"`
}

// linkEntry is what stands for toolcrib in the client's file.
type linkEntry struct {
	Name    string            `json:"name"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

// link is one run of connect.
func (a *app) link(ctx context.Context, name string, o linkOptions) error {
	client, err := clientOf(name)
	if err != nil {
		return err
	}
	if err := a.checkLink(o); err != nil {
		return err
	}
	file, err := a.linkFile(client, o)
	if err != nil {
		return err
	}
	before, err := readServers(client, file)
	if err != nil {
		return err
	}
	if err := (swap{path: file.Path}).possible(); err != nil {
		return err
	}
	l := &linking{app: a, client: client, options: o, file: file, text: before.text}
	if err := l.prepare(ctx); err != nil {
		return err
	}
	if err := l.decide(ctx); err != nil {
		return err
	}
	if err := l.write(); err != nil {
		return err
	}
	if o.asJSON {
		return a.out.json(l.report)
	}
	l.print()
	return nil
}

// checkLink refuses flags that can't be meant.
func (a *app) checkLink(o linkOptions) error {
	if o.keepOthers && (o.disableOthers || o.yes) {
		return toolcrib.NewError(toolcrib.KindInput, "--keep-others stands beside a flag that says the opposite", "give one of the two")
	}
	if err := a.checkMode(o.mode); err != nil {
		return err
	}
	if o.agent == "" {
		return nil
	}
	cfg, err := a.loadConfig()
	if err != nil {
		return err
	}
	var ids []string
	for _, agent := range cfg.Agents.List {
		if agent.ID == o.agent {
			return nil
		}
		ids = append(ids, agent.ID)
	}
	return unknown("agent", o.agent, ids)
}

// linkFile is the file that connect writes.
func (a *app) linkFile(client clientconfig.Client, o linkOptions) (clientconfig.File, error) {
	if err := checkScope(o.scope); err != nil {
		return clientconfig.File{}, err
	}
	files := a.filesOf(client, o.file, o.scope)
	if len(files) == 0 {
		return clientconfig.File{}, toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("%s has no file of scope %s", client.Title, o.scope), "leave --scope out, or name the file with --file")
	}
	return files[0], nil
}

// linking is a run of connect on its way.
type linking struct {
	*app
	client  clientconfig.Client
	options linkOptions
	file    clientconfig.File
	// text is what the file holds now, base what it would hold without toolcrib; nil is no file.
	text, base []byte
	records    records
	// old is the record of an earlier connect, nil for none.
	old    *record
	report *linkReport
	// own are toolcrib's servers, come the names under which they were imported.
	own     []config.ServerEntry
	come    map[string]string
	servers []clientconfig.Server
}

// prepare finds out what there is: the record, the file without toolcrib, the servers of both.
func (l *linking) prepare(ctx context.Context) error {
	paths, err := config.Locate(l.configOptions())
	if err != nil {
		return err
	}
	l.records = records{filepath.Join(paths.StateDir, "clients")}
	if l.old, err = l.records.load(l.file); err != nil {
		return err
	}
	l.report = &linkReport{
		Client: l.client.Name, File: l.file.Path, Scope: l.file.Scope, DryRun: l.options.dryRun,
		Disabled: []string{}, Kept: []string{}, NotImported: []string{}, Next: nextSteps(l.client),
	}
	if l.base = l.text; l.old != nil {
		if l.base, err = l.records.without(l.client, l.old, l.file, l.text); err != nil {
			return brokenFile(l.client, err)
		}
	}
	if l.base != nil {
		if l.servers, err = l.client.Read(l.file, l.base); err != nil {
			return brokenFile(l.client, err)
		}
	}
	if l.report.Entry, err = l.entry(paths); err != nil {
		return err
	}
	if err := l.ownServers(ctx, paths); err != nil {
		return err
	}
	l.noteVariables()
	l.noteEmpty()
	return nil
}

// noteEmpty says that a client may not be here, or that toolcrib has nothing for it.
func (l *linking) noteEmpty() {
	if l.text == nil && l.options.file == "" && !exists(filepath.Dir(l.file.Path)) {
		l.report.Notes = append(l.report.Notes, fmt.Sprintf("%s has no configuration here yet: is it installed, and is this its user's home?", l.client.Title))
	}
	if !slices.ContainsFunc(l.own, func(s config.ServerEntry) bool { return !s.Disabled }) {
		l.report.Notes = append(l.report.Notes, "toolcrib has no servers that are on, so it has no tools to offer yet")
	}
}

// ownServers reads toolcrib's servers, after taking the client's over if that was asked for.
func (l *linking) ownServers(ctx context.Context, paths config.Paths) (err error) {
	l.come = l.imports(paths).load()[l.file.Path]
	if !l.options.importFirst {
		l.own, err = config.FileServers(l.configOptions())
		return err
	}
	o := importOptions{file: l.options.file, scope: l.options.scope, dryRun: l.options.dryRun}
	if l.report.Import, l.own, err = l.importServers(ctx, l.client, o); err != nil {
		if toolcrib.KindOf(err) == toolcrib.KindNotFound && l.text == nil {
			l.own, err = config.FileServers(l.configOptions())
		}
		return err
	}
	if !l.options.asJSON {
		l.printImported(l.report.Import)
	}
	return nil
}

// write makes the change: the backup first, then the record, then the file, so
// that an end at any point leaves what disconnect can undo.
func (l *linking) write() error {
	entry := clientconfig.Entry(l.report.Entry)
	after, undo, err := l.client.Connect(l.file, l.base, entry, l.report.Disabled)
	if err != nil {
		return clientError("toolcrib can't be written there", "", err)
	}
	l.report.Changed = l.text == nil || !bytes.Equal(after, l.text)
	if !l.report.Changed || l.options.dryRun {
		return nil
	}
	rec := &record{
		File: l.file, Entry: entry, Existed: l.base != nil, Before: hashOf(l.base), Wrote: []string{hashOf(after)},
		TakenOver: l.report.Disabled, Undo: undo,
	}
	if l.old != nil && l.old.Before == rec.Before {
		rec.Wrote = append(rec.Wrote, l.old.Wrote...)
	}
	if l.report.Backup, err = l.records.save(rec, l.base); err != nil {
		return err
	}
	if err := (swap{l.file.Path, l.text, after}).do(); err != nil {
		l.records.restore(l.file, l.old)
		return err
	}
	return nil
}
