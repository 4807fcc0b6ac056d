package cli

import (
	"context"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/gateway"
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
	// redact takes the configuration's secrets out of a text.
	redact func(string) string
	// flags and warnings are of the configuration as it was read last.
	flags    []string
	warnings []config.Warning
}

func newApp(p Process) *app {
	return &app{p: p, out: newOutput(p), errStyle: style{p.colours(p.StderrTerminal)}, redact: func(s string) string { return s }}
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
	root.AddGroup(&cobra.Group{ID: "setup", Title: "Set up:"}, &cobra.Group{ID: "run", Title: "Run the gateway:"}, &cobra.Group{ID: "use", Title: "Look and try:"})
	root.SetHelpCommand(helpCommand())
	root.SetHelpCommandGroupID("use")
	root.SetCompletionCommandGroupID("use")
	root.AddCommand(inGroup("setup", a.importCommand(), a.linkCommand(), a.unlinkCommand())...)
	root.AddCommand(inGroup("run", a.serveCommand(), a.mcpCommand(), a.tokenCommand(), a.approvalsCommand())...)
	root.AddCommand(inGroup("use", a.toolsCommand(), a.codeCommand(), a.policyCommand(), a.hooksCommand(), a.sessionsCommand(), a.telemetryCommand(), a.serversCommand(), a.pluginsCommand(), a.statusCommand(), a.doctorCommand(), a.benchCommand(), a.configCommand(), a.versionCommand())...)
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

// newGateway starts a gateway inside this process. Its log goes to stderr, from
// the given level on, or all of it with --verbose.
func (a *app) newGateway(ctx context.Context, cfg *config.Config, demo bool, level slog.Level) (*gateway.Gateway, error) {
	paths, err := config.Locate(a.configOptions())
	if err != nil {
		return nil, err
	}
	if a.verbose {
		level = slog.LevelDebug
	}
	var now slog.LevelVar
	now.Set(level)
	floor := level
	if level == logLevel(cfg) {
		floor = slog.LevelDebug
	}
	reread := func() (*config.Config, []config.Warning, error) {
		options := a.configOptions(a.flags...)
		options.Again = true
		cfg, warnings, err := config.Load(options)
		if err == nil && !a.verbose {
			now.Set(max(logLevel(cfg), floor))
		}
		return cfg, warnings, err
	}
	return gateway.New(ctx, gateway.Options{
		Config: cfg, Warnings: a.warnings, Reread: reread, Demo: demo, BuiltIn: true, Environ: a.p.Environ, Version: a.p.Version, Sandbox: a.p.Sandbox,
		StateDir: paths.StateDir, CacheDir: paths.CacheDir, Socket: paths.Socket,
		Logger: slog.New(slog.NewTextHandler(a.p.Stderr, &slog.HandlerOptions{Level: &now})),
	})
}

// logLevel is the level of log.level.
func logLevel(cfg *config.Config) slog.Level {
	var level slog.Level
	if level.UnmarshalText([]byte(cfg.Log.Level)) != nil {
		return slog.LevelInfo
	}
	return level
}
