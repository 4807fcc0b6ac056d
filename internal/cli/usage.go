package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
)

// badFlag says in plain words what is wrong with a flag.
func badFlag(cmd *cobra.Command, err error) error {
	message := err.Error()
	if invalid := (*pflag.InvalidValueError)(nil); errors.As(err, &invalid) {
		flag := invalid.GetFlag()
		message = fmt.Sprintf("--%s takes %s, not %q", flag.Name, flagTakes(flag), invalid.GetValue())
	}
	hint := "see: " + cmd.CommandPath() + " --help"
	if missing := (*pflag.NotExistError)(nil); errors.As(err, &missing) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if near := config.Nearest(missing.GetSpecifiedName(), names); near != "" {
			hint = "did you mean --" + near + "?"
		}
	}
	return toolcrib.NewError(toolcrib.KindInput, message, hint).WithCause(err)
}

// flagTakes says what values a flag has.
func flagTakes(flag *pflag.Flag) string {
	switch flag.Value.Type() {
	case "int":
		return "a whole number"
	case "bool":
		return "true or false"
	case "duration":
		return "a time such as 30s"
	}
	return "a " + flag.Value.Type()
}

// arguments turns cobra's complaint about the number of arguments into plain
// words, with the command's usage line.
func arguments(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if err == nil {
			return nil
		}
		return toolcrib.NewError(toolcrib.KindInput, countWords(cmd, check, args, err), "usage: "+cmd.UseLine()).WithCause(err)
	}
}

// countWords finds out whether check wants more arguments or fewer, and names
// the one that is missing or the first that is too many.
func countWords(cmd *cobra.Command, check cobra.PositionalArgs, args []string, err error) string {
	if check(cmd, append(args[:len(args):len(args)], "x")) == nil {
		if words := strings.Fields(cmd.Use); len(words) > len(args)+1 {
			return strings.TrimRight(words[len(args)+1], ".") + " is missing"
		}
	}
	for n := len(args) - 1; n >= 0; n-- {
		if check(cmd, args[:n]) == nil {
			return fmt.Sprintf("unexpected argument %q", args[n])
		}
	}
	return err.Error()
}

// helpCommand shows the help of the command or topic that its words name.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Say more of a command or a topic",
		Example: `  toolcrib help tools search
  toolcrib help exit-codes`,
		ValidArgsFunction: completeHelp,
		RunE: func(c *cobra.Command, args []string) error {
			cmd, rest, err := c.Root().Find(args)
			if err != nil || cmd == nil || len(rest) > 0 {
				if cmd == nil {
					cmd = c.Root()
				}
				if len(rest) == 0 {
					rest = args
				}
				return group(cmd, rest)
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// completeHelp offers the commands below those that are there already.
func completeHelp(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	cmd, rest, err := c.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name()+"\t"+sub.Short)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
