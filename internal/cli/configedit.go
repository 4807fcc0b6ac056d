package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
)

// editFlags are those of commands that change the configuration file.
type editFlags struct{ dryRun, asJSON bool }

func (f *editFlags) on(c *cobra.Command) {
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "show the change and write nothing")
	jsonFlag(c, &f.asJSON, `{"config", "path", "old", "new", "changed", "written", "overriddenBy", "warnings": ["..."], "diff"}`)
}

func (a *app) configSetCommand() *cobra.Command {
	var flags editFlags
	c := &cobra.Command{
		Use:   "set PATH VALUE",
		Short: "Change one key of the configuration file",
		Long: `Change one key of the configuration file, and leave everything else in it as it
is: comments, order and layout. VALUE is JSON5, or a bare text where the key takes
one; a list can be written a,b. The whole file is checked before it is written,
and what would not be valid is refused. A file that is missing is made.

PATH is a dotted path. A key with other characters is written ["key"]; an item of
a list is named by its number from 0 or by its id, and the number behind the last
adds one. "-" as VALUE reads it from standard input, which keeps a secret out of
the shell's history.`,
		Example: `  toolcrib config set tools.toolSearch.mode tools
  toolcrib config set mcp.servers.files '{command: "npx", args: ["-y", "some-server", "/tmp"]}'
  toolcrib config set mcp.servers.files.timeoutMs 30000 --dry-run
  toolcrib config set tools.deny[0] 'files__write*'
  toolcrib config set gateway.token - < token.txt`,
		Args:              arguments(cobra.ExactArgs(2)),
		ValidArgsFunction: completeSetting,
		RunE: func(_ *cobra.Command, args []string) error {
			value, err := a.valueOf(args[1])
			if err != nil {
				return err
			}
			err = a.edit(flags, func() (*config.Edited, error) { return config.EditSet(a.configOptions(), args[0], value) })
			if err == nil && args[1] != "-" {
				a.warnOfHistory(args[0], value)
			}
			return err
		},
	}
	flags.on(c)
	return c
}

func (a *app) configUnsetCommand() *cobra.Command {
	var flags editFlags
	c := &cobra.Command{
		Use:   "unset PATH",
		Short: "Take one key out of the configuration file",
		Long: `Take one key, or one item of a list, out of the configuration file, with its
comma and the comment at the end of its line. Everything else in the file stays as
it is. The whole file is checked before it is written. PATH is as in config set.`,
		Example: `  toolcrib config unset tools.toolSearch.mode
  toolcrib config unset mcp.servers.files
  toolcrib config unset tools.deny[0] --dry-run`,
		Args:              arguments(cobra.ExactArgs(1)),
		ValidArgsFunction: completeKeys,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.edit(flags, func() (*config.Edited, error) { return config.EditUnset(a.configOptions(), args[0]) })
		},
	}
	flags.on(c)
	return c
}

// valueOf is the value that a word means: itself, or standard input for "-"
// without the line end that echo and editors put behind it.
func (a *app) valueOf(word string) (string, error) {
	if word != "-" {
		return word, nil
	}
	data, err := io.ReadAll(io.LimitReader(a.p.Stdin, config.MaxFileBytes+1))
	if err != nil {
		return "", toolcrib.NewError(toolcrib.KindInput, "standard input can't be read", "").WithCause(err)
	}
	if len(data) > config.MaxFileBytes {
		return "", toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("the value on standard input is larger than %d MiB", config.MaxFileBytes>>20), "")
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r"), nil
}

// edit makes a change, writes it unless it is only to be shown, and says what it did.
func (a *app) edit(flags editFlags, edit func() (*config.Edited, error)) error {
	e, err := a.carryOut(flags, edit)
	if err != nil {
		return err
	}
	if flags.asJSON {
		return a.out.json(editAnswer(e, flags))
	}
	for _, w := range e.Warnings {
		a.warn(w.String())
	}
	if flags.dryRun {
		a.out.printf("%s", a.out.shown(e.Diff()))
		a.note("note", "2", "nothing was written, because of --dry-run")
	} else {
		a.out.printf("%s\n", a.out.shown(editLine(e)))
	}
	if e.Overridden.Layer != "" {
		a.note("note", "2", fmt.Sprintf("%s stands over %s in the file", e.Overridden, e.Changes[0].Path))
	}
	return nil
}

func (a *app) carryOut(flags editFlags, edit func() (*config.Edited, error)) (*config.Edited, error) {
	if flags.dryRun {
		return edit()
	}
	return config.Update(edit)
}

// editLine is what an edit did, on one line.
func editLine(e *config.Edited) string {
	c := e.Changes[0]
	switch {
	case !e.Changed():
		return fmt.Sprintf("%s is %s already in %s", c.Path, c.New, e.Path)
	case c.New == "":
		return fmt.Sprintf("%s: %s → not set, in %s", c.Path, c.Old, e.Path)
	case c.Old == "":
		return fmt.Sprintf("%s: not set → %s, in %s", c.Path, c.New, e.Path)
	}
	return fmt.Sprintf("%s: %s → %s, in %s", c.Path, c.Old, c.New, e.Path)
}

// edited is the answer of config set --json. Old and new are JSON5 without secrets.
type edited struct {
	Config       string   `json:"config"`
	Path         string   `json:"path"`
	Old          string   `json:"old,omitempty"`
	New          string   `json:"new,omitempty"`
	Changed      bool     `json:"changed"`
	Written      bool     `json:"written"`
	OverriddenBy string   `json:"overriddenBy,omitempty"`
	Warnings     []string `json:"warnings"`
	Diff         string   `json:"diff"`
}

func editAnswer(e *config.Edited, flags editFlags) edited {
	answer := edited{
		Config: e.Path, Path: e.Changes[0].Path, Old: e.Changes[0].Old, New: e.Changes[0].New,
		Changed: e.Changed(), Written: e.Changed() && !flags.dryRun, Warnings: []string{}, Diff: e.Diff(),
	}
	if e.Overridden.Layer != "" {
		answer.OverriddenBy = e.Overridden.String()
	}
	for _, w := range e.Warnings {
		answer.Warnings = append(answer.Warnings, w.String())
	}
	return answer
}

// warnOfHistory says how to keep a secret out of the shell's history.
func (a *app) warnOfHistory(path, value string) {
	if config.SecretPath(path) && !strings.Contains(value, "${") {
		a.note("note", "2", "the shell may keep this secret in its history: pass - and give the value on standard input, or write a reference such as ${NAME}")
	}
}

// completeSetting offers keys, then the words that the key takes.
func completeSetting(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 1 {
		return config.Values(args[0]), cobra.ShellCompDirectiveNoFileComp
	}
	return completeKeys(cmd, args, begun)
}
