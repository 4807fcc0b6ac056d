package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/pluginkit"
)

// newPlugin is the answer of plugins new --json.
type newPlugin struct {
	ID    string   `json:"id"`
	Path  string   `json:"path"`
	Files []string `json:"files"`
	// Steps are the commands that make it ready.
	Steps []string `json:"steps"`
}

func (a *app) pluginsNewCommand() *cobra.Command {
	var asJSON bool
	var lang, dir string
	var names []string
	for _, l := range pluginkit.Languages() {
		names = append(names, l.Name)
	}
	c := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a new plugin that works: a manifest, two tools, a hook, and the steps",
		Long: `Write a new plugin that works, for you to change: a folder NAME with a manifest, a
program with one tool that reads and one that writes, a hook, and a README with the
steps to set it up. It is put where toolcrib looks for plugins, beside the
configuration file, unless --dir says otherwise.`,
		Example: `  toolcrib plugins new notes
  toolcrib plugins new notes --lang go --dir ~/plugins`,
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			l, ok := pluginkit.Of(lang)
			if !ok {
				return toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("--lang %s is not known", lang), "it is one of "+strings.Join(names, ", "))
			}
			cfg, err := a.loadConfig()
			if err != nil {
				return err
			}
			paths := cfg.Plugins.Paths
			switch {
			case dir != "":
				dir = a.absolute(dir)
			case len(paths) == 0:
				return toolcrib.NewError(toolcrib.KindInput, "it isn't known where plugins are looked for", "give a folder: --dir D")
			default:
				dir = paths[len(paths)-1]
			}
			files, err := pluginkit.Write(filepath.Join(dir, args[0]), args[0], l)
			if err != nil {
				return err
			}
			made := newPlugin{ID: args[0], Path: filepath.Join(dir, args[0]), Files: files, Steps: append([]string{"cd " + shellQuote(filepath.Join(dir, args[0]))}, l.Steps...)}
			if !slices.Contains(paths, dir) {
				value := append(slices.Clone(paths[:cfg.Plugins.Named]), dir)
				made.Steps = append(made.Steps, "toolcrib config set plugins.load.paths "+shellQuote(`["`+strings.Join(value, `", "`)+`"]`))
			}
			if asJSON {
				return a.out.json(made)
			}
			a.printNewPlugin(made, l)
			return nil
		},
	}
	c.Flags().StringVar(&lang, "lang", "ts", "`language` of the program: "+strings.Join(names, ", "))
	c.Flags().StringVar(&dir, "dir", "", "`folder` in which the plugin's folder is made")
	complete(c, "lang", fixed(names...))
	jsonFlag(c, &asJSON, `{"id", "path", "files": ["..."], "steps": ["..."]}`)
	return c
}

func (a *app) printNewPlugin(p newPlugin, l pluginkit.Language) {
	a.out.printf("%s is a plugin in %s now, with %s\n\n", a.out.shown(p.Path), l.Title, strings.Join(p.Files, ", "))
	a.out.printf("%s\n", a.out.bold("MAKE IT READY"))
	for _, step := range append(slices.Clone(p.Steps), "toolcrib plugins list", "toolcrib tools call plugin:"+p.ID+":list_notes") {
		a.out.printf("  %s\n", step)
	}
}
