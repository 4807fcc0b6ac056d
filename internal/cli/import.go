package cli

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/clientconfig"
	"github.com/toolcrib/toolcrib/internal/config"
)

const (
	importedShape = `{"name", "as", "scope", "file", "line", "action": "added|present|skipped|toolcrib", "reason", "enabled", "starts", "env": ["NAME"], "headers": ["NAME"], "notes": ["..."]}`
	importShape   = `{"client", "config", "dryRun", "written", "files": ["..."], "servers": [` + importedShape + `], "warnings": ["..."], "gateway": PID, "next"}`
)

// importOptions are the flags of import.
type importOptions struct {
	file, scope    string
	dryRun, rename bool
}

func (a *app) importCommand() *cobra.Command {
	var o importOptions
	var asJSON bool
	c := &cobra.Command{
		Use:   "import [CLIENT]",
		Short: "Take over the MCP servers that another program has",
		Long: `Take over the MCP servers of another program: they are added to toolcrib's own
configuration file, whose comments and layout stay as they are. The program's file
is only read. Without CLIENT it lists the programs found here.

CLIENT is ` + clientNames() + `.

A server that toolcrib has already is left alone; another one of the same name is
taken over only with --rename. A server that the program has switched off, or that
needs a variable which is not set, comes in switched off. Values of env and headers
are never printed.

Without CLIENT, --json prints {"clients": [{"client", "title", "files": [{"path",
"scope", "servers", "toolcrib", "error"}]}]}.`,
		Example: `  toolcrib import
  toolcrib import claude-desktop --dry-run
  toolcrib import cursor --scope project
  toolcrib import claude-code --file ./team.mcp.json`,
		Args:              arguments(cobra.MaximumNArgs(1)),
		ValidArgsFunction: completeClients,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listClients(asJSON)
			}
			return a.runImport(cmd.Context(), args[0], o, asJSON)
		},
	}
	flags := c.Flags()
	flags.StringVar(&o.file, "file", "", "`file` to read in place of the program's own")
	flags.StringVar(&o.scope, "scope", "all", "which of the program's files: user, project, local or all")
	flags.BoolVar(&o.dryRun, "dry-run", false, "say what would be done, and write nothing")
	flags.BoolVar(&o.rename, "rename", false, "take a server whose name is in use over under a free one")
	complete(c, "scope", fixed("user", "project", "local", "all"))
	jsonFlag(c, &asJSON, importShape)
	return c
}

func (a *app) runImport(ctx context.Context, name string, o importOptions, asJSON bool) error {
	client, err := clientOf(name)
	if err != nil {
		return err
	}
	report, _, err := a.importServers(ctx, client, o)
	if err != nil {
		return err
	}
	if asJSON {
		return a.out.json(report)
	}
	a.printImport(client, report)
	return nil
}

// importServers reads a client's servers and adds those that are new to
// toolcrib's configuration. It returns what toolcrib has then, or would have.
func (a *app) importServers(ctx context.Context, client clientconfig.Client, o importOptions) (*importReport, []config.ServerEntry, error) {
	opts := a.configOptions()
	own, err := config.FileServers(opts)
	if err != nil {
		return nil, nil, err
	}
	files, broken, err := a.readClient(client, o.file, o.scope)
	if err != nil {
		return nil, nil, err
	}
	if len(files) == 0 {
		return nil, nil, a.noFiles(client, o.scope)
	}
	plan := &importPlan{options: opts, own: own, rename: o.rename}
	report := &importReport{Client: client.Name, DryRun: o.dryRun, Files: []string{}}
	for _, f := range failures(errors.Join(broken...)) {
		report.Warnings = append(report.Warnings, f.Message)
	}
	for _, f := range files {
		if !slices.Contains(report.Files, f.Path) {
			report.Files = append(report.Files, f.Path)
		}
		for _, s := range f.servers {
			plan.take(f.File, s)
		}
	}
	report.Servers = orEmpty(plan.report)
	report.Next = a.commandLine("connect", client, scopeFlag(o.scope)...)
	if err := a.writeImport(plan, report); err != nil {
		return nil, nil, err
	}
	if report.Written {
		report.Gateway = a.runningPID(ctx)
	}
	return report, plan.own, nil
}

// writeImport makes the edit, or only tries it.
func (a *app) writeImport(plan *importPlan, report *importReport) error {
	paths, err := config.Locate(plan.options)
	if err != nil {
		return err
	}
	report.Config = paths.Config
	if len(plan.add) == 0 {
		return nil
	}
	edit := func() (*config.Edited, error) { return config.EditServers(plan.options, plan.add) }
	perform := config.Update
	if report.DryRun {
		perform = func(edit func() (*config.Edited, error)) (*config.Edited, error) { return edit() }
	}
	edited, err := perform(edit)
	if err != nil {
		return err
	}
	for _, w := range edited.Warnings {
		report.Warnings = append(report.Warnings, w.String())
	}
	if report.DryRun {
		return nil
	}
	report.Written = true
	return a.imports(paths).add(plan.report)
}

// runningPID is the process of the gateway that runs with this configuration, 0 for none.
func (a *app) runningPID(ctx context.Context) int {
	c, err := a.running()
	if err != nil {
		return 0
	}
	defer c.close()
	status, err := c.Status(ctx)
	if err != nil {
		return 0
	}
	return status.PID
}

// clientOf finds a client by its name.
func clientOf(name string) (clientconfig.Client, error) {
	if client, ok := clientconfig.Find(name); ok {
		return client, nil
	}
	return clientconfig.Client{}, unknown("client", name, clientList())
}

func clientList() []string {
	var names []string
	for _, c := range clientconfig.Clients() {
		names = append(names, c.Name)
	}
	return names
}

// clientNames is the list of clients for a help text, folded to its width.
func clientNames() string {
	var b strings.Builder
	width := len("CLIENT is ")
	for i, name := range clientList() {
		sep := ", "
		if i == 0 {
			sep = ""
		}
		if width+len(sep)+len(name) > 80 {
			sep, width = ",\n", 0
		}
		b.WriteString(sep + name)
		width += len(sep) + len(name)
	}
	return b.String()
}

// completeClients offers the names of clients.
func completeClients(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return clientList(), cobra.ShellCompDirectiveNoFileComp
}

// clientEnvironment is where clients' files are looked for.
func (a *app) clientEnvironment() clientconfig.Environment {
	return clientconfig.Environment{Home: a.p.Home, GOOS: runtime.GOOS, Dir: a.p.Dir, Getenv: a.p.env, Exists: exists}
}

// absolute completes a path that a person gave.
func (a *app) absolute(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(a.p.Dir, path)
}

// commandLine is a toolcrib command about a client that a person can copy.
func (a *app) commandLine(verb string, client clientconfig.Client, flags ...string) string {
	words := append([]string{"toolcrib", verb, client.Name}, flags...)
	if a.configPath != "" {
		words = append(words, "--config", shellQuote(a.configPath))
	}
	return strings.Join(words, " ")
}

// scopeFlag says a scope again in another command.
func scopeFlag(scope string) []string {
	if scope == "" || scope == "all" {
		return nil
	}
	return []string{"--scope", scope}
}

// fileFlag says a file again in another command.
func fileFlag(file string) []string {
	if file == "" {
		return nil
	}
	return []string{"--file", shellQuote(file)}
}

// noFiles says that a client has no configuration, and where it was looked for.
func (a *app) noFiles(client clientconfig.Client, scope string) error {
	var where []string
	for _, f := range client.Files(a.clientEnvironment()) {
		if inScope(f, scope) && !slices.Contains(where, f.Path) {
			where = append(where, f.Path)
		}
	}
	hint := "name its file with --file"
	if len(where) > 0 {
		hint = "looked for " + strings.Join(where, ", ") + "; " + hint
	}
	return toolcrib.NewError(toolcrib.KindNotFound, client.Title+" has no configuration file here", hint)
}
