package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
)

// topics are the help texts that belong to no command.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "exit-codes", Short: "What the exit codes mean", Long: exitCodeText()},
		{Use: "environment", Short: "Environment variables that matter", Long: environmentText()},
	}
}

func environmentText() string {
	var b textBuilder
	b.line("These variables matter:")
	b.line("")
	b.table(func(w io.Writer) {
		for _, v := range [][2]string{
			{"TOOLCRIB_CONFIG", "configuration file; --config is stronger"},
			{"TOOLCRIB_A__B", "the key a.b of the configuration, stronger than the file: TOOLCRIB_GATEWAY__LISTEN"},
			{"XDG_CONFIG_HOME", "where toolcrib/config.json5 is looked for"},
			{"XDG_STATE_HOME", "where toolcrib keeps its control socket, its store, the admin token and the servers' logs"},
			{"XDG_CACHE_HOME", "where toolcrib remembers the servers' tools"},
			{startedAs, "set for every server that toolcrib starts; serve and mcp refuse to run inside of one"},
			{"NO_COLOR", "set to anything, output has no colours"},
			{"COLUMNS", "how wide tables on a terminal are"},
		} {
			fmt.Fprintf(w, "  %s\t%s\n", v[0], v[1])
		}
	})
	return b.String()
}

// docsCommand prints the documents that are made from the program.
func (a *app) docsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "docs cli|config", Short: "Print a generated document as Markdown", Hidden: true,
		ValidArgs: []string{"cli", "config"},
		Args:      arguments(cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "config" {
				_, err := a.out.w.Write([]byte(config.Docs()))
				return err
			}
			a.out.printf("%s", reference(cmd.Root()))
			return nil
		},
	}
}

// reference is docs/cli.md.
func reference(root *cobra.Command) string {
	root.InitDefaultCompletionCmd()
	var b textBuilder
	b.line("# The command line")
	b.line("")
	b.line("This page is made from the program by `make generate`; `toolcrib COMMAND --help` says the same.")
	b.line("")
	b.line("Commands use a running gateway of the same configuration if there is one, else they start the servers in their own process.")
	b.line("They say so on standard error when that gateway was started with an older version of the configuration file.")
	b.line("")
	b.line("Standard output holds the answer and nothing else. Errors, warnings, hints and progress go to standard error.")
	b.line("With `--json` the answer is JSON in the shape that is noted; keys without a value may be left out, and new keys may be added.")
	for _, c := range root.Commands() {
		section(&b, c)
	}
	b.line("\n## Flags of every command\n")
	flagTable(&b, root.PersistentFlags())
	b.line("\n## Exit codes\n\n| code | name | meaning | error kinds |\n|---|---|---|---|")
	for _, row := range exitCodes() {
		b.line(fmt.Sprintf("| %d | %s | %s | %s |", row.code, row.name, row.meaning, kindList(row.kinds)))
	}
	b.line("\n## Environment\n\n```text\n" + strings.TrimSpace(environmentText()) + "\n```")
	return b.String()
}

func kindList(kinds []toolcrib.Kind) string {
	words := make([]string, 0, len(kinds))
	for _, k := range kinds {
		words = append(words, "`"+string(k)+"`")
	}
	return strings.Join(words, ", ")
}

// section writes one command and those below it.
func section(b *textBuilder, c *cobra.Command) {
	if c.Hidden || !c.Runnable() || c.Name() == "help" {
		return
	}
	level := "##"
	if c.Parent() != c.Root() {
		level = "###"
	}
	b.line("\n" + level + " " + c.CommandPath() + "\n")
	if c.Name() == "completion" {
		b.line("Prints a completion script for bash, fish, powershell or zsh: `source <(toolcrib completion bash)`. `toolcrib completion bash --help` says where to put it for good. In bash it needs the package bash-completion.")
		return
	}
	about := c.Long
	if about == "" {
		about = c.Short + "."
	}
	b.line(about)
	if !c.HasSubCommands() {
		b.line("\n```text\n" + c.UseLine() + "\n```")
	}
	if c.HasExample() {
		b.line("\nExamples:\n\n```sh\n" + unindent(c.Example) + "\n```")
	}
	if local := c.NonInheritedFlags(); local.HasAvailableFlags() && !c.HasSubCommands() {
		b.line("")
		flagTable(b, local)
	}
	if shape := c.Annotations["json"]; shape != "" {
		b.line("\nShape with `--json`: `" + shape + "`")
	}
	for _, sub := range c.Commands() {
		section(b, sub)
	}
}

func unindent(s string) string {
	return strings.TrimPrefix(strings.ReplaceAll(s, "\n  ", "\n"), "  ")
}

func flagTable(b *textBuilder, flags *pflag.FlagSet) {
	b.line("| flag | meaning |\n|---|---|")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			return
		}
		value, about := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if value != "" {
			name += " " + strings.ToUpper(value)
		}
		b.line("| `" + name + "` | " + strings.ReplaceAll(about, "|", `\|`) + " |")
	})
}
