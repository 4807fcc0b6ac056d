package cli

import (
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
)

// app is one run of the program: its process, its streams and the flags that
// every command has.
type app struct {
	p        Process
	out      *output
	errStyle style

	configPath string
	verbose    bool
}

func newApp(p Process) *app {
	return &app{p: p, out: newOutput(p), errStyle: style{p.colours(p.StderrTerminal)}}
}

// rootCommand builds the whole tree of commands.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "toolcrib",
		Short: "Many tools in, a few in sight: tool search for language models",
		Long: `toolcrib stands between a program that runs a language model and its tools.
MCP servers go in; the model sees a few controls, searches for the tool that it
needs, reads its schema and calls it.`,
		Example: `  toolcrib serve --demo
  toolcrib tools search "create an issue"
  toolcrib mcp --mode tools`,
		Version:       a.p.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          group,
	}
	root.SetIn(a.p.Stdin)
	root.SetOut(a.out.w)
	root.SetErr(a.p.Stderr)
	root.SetVersionTemplate("toolcrib {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return badFlag(cmd, err) })
	flags := root.PersistentFlags()
	flags.StringVar(&a.configPath, "config", "", "configuration `file` (default $TOOLCRIB_CONFIG, else $XDG_CONFIG_HOME/toolcrib/config.json5)")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "say more on stderr")
	root.AddGroup(&cobra.Group{ID: "run", Title: "Run the gateway:"}, &cobra.Group{ID: "use", Title: "Look and try:"})
	root.SetHelpCommandGroupID("use")
	root.SetCompletionCommandGroupID("use")
	root.AddCommand(inGroup("run", a.serveCommand(), a.mcpCommand())...)
	root.AddCommand(inGroup("use", a.toolsCommand(), a.serversCommand(), a.statusCommand(), a.configCommand(), a.versionCommand())...)
	root.AddCommand(a.docsCommand())
	root.AddCommand(topics()...)
	return root
}

func inGroup(id string, commands ...*cobra.Command) []*cobra.Command {
	for _, c := range commands {
		c.GroupID = id
	}
	return commands
}

// noun returns a command that only holds others.
func noun(use, short string, verbs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs, RunE: group}
	c.AddCommand(verbs...)
	return c
}

// group is what a command that only holds others does: show its help, or say
// that there is no such command below it.
func group(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	hint := "see: " + cmd.CommandPath() + " --help"
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean: " + cmd.CommandPath() + " " + strings.Join(near, ", ")
	}
	return toolcrib.NewError(toolcrib.KindInput, "there is no command "+cmd.CommandPath()+" "+args[0], hint)
}

func badFlag(cmd *cobra.Command, err error) error {
	return toolcrib.NewError(toolcrib.KindInput, err.Error(), "see: "+cmd.CommandPath()+" --help").WithCause(err)
}

// arguments turns cobra's complaint about the number of arguments into an
// error with the command's usage line.
func arguments(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if err == nil {
			return nil
		}
		return toolcrib.NewError(toolcrib.KindInput, err.Error(), "usage: "+cmd.UseLine()).WithCause(err)
	}
}

// configOptions is how this run finds and reads its configuration; flags is
// the layer of the command line, PATH=VALUE.
func (a *app) configOptions(flags ...string) config.Options {
	return config.Options{Path: a.configPath, Environ: a.p.Environ, Home: a.p.Home, Flags: flags}
}

// loadConfig reads the configuration and shows its warnings.
func (a *app) loadConfig(flags ...string) (*config.Config, error) {
	cfg, warnings, err := config.Load(a.configOptions(flags...))
	if err != nil {
		return nil, err
	}
	for _, w := range warnings {
		a.warn(w.String())
	}
	return cfg, nil
}

// logger returns a logger to stderr that shows lines of a level and above, and
// everything when --verbose is given.
func (a *app) logger(level slog.Level) *slog.Logger {
	if a.verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(a.p.Stderr, &slog.HandlerOptions{Level: level}))
}
