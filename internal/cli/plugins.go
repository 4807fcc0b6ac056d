package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/gateway"
)

const pluginShape = `{"id", "version", "description", "state", "reason", "path", "tools": ["..."], "hooks": ["..."], "pid", "restarts", "since", "nextTry", "warnings": ["..."]}`

func (a *app) pluginsCommand() *cobra.Command {
	return noun("plugins", "Look at plugins, make a new one, try them, restart them",
		a.pluginsListCommand(), a.pluginsNewCommand(), a.pluginsTestCommand(), a.pluginsLogsCommand(), a.pluginsRestartCommand())
}

// pluginTime is how long a list of plugins waits for the programs that it started.
const pluginTime = 20 * time.Second

func (a *app) pluginsListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the plugins that are found, how they are, and why one is not in use",
		Example: `  toolcrib plugins list
  toolcrib plugins list --json | jq -r '.plugins[] | select(.state != "ready") | .path'`,
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			none := func(client.Server) bool { return false }
			return a.ask(cmd.Context(), source{patience: pluginTime}, none, func(c *connection) error {
				list, err := c.Plugins(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return a.out.json(list)
				}
				a.printPlugins(list)
				return nil
			})
		},
	}
	jsonFlag(c, &asJSON, `{"plugins": [`+pluginShape+`], "paths": ["..."], "warnings": ["..."]}`)
	return c
}

// printPlugins writes a table of plugins.
func (a *app) printPlugins(list client.PluginList) {
	for _, w := range list.Warnings {
		a.warn(w)
	}
	if len(list.Plugins) == 0 {
		a.note("note", "2", "no plugins are found in "+strings.Join(list.Paths, ", "))
		a.note("hint", "36", "make one: toolcrib plugins new NAME")
		return
	}
	rows := make([][]string, 0, len(list.Plugins))
	for _, p := range list.Plugins {
		rows = append(rows, []string{folded(p.ID), folded(p.Version), string(p.State), strconv.Itoa(len(p.Tools)), strconv.Itoa(len(p.Hooks)), folded(p.Path)})
	}
	a.out.rows([]string{"ID", "VERSION", "STATE", "TOOLS", "HOOKS", "PATH"}, rows)
	for _, p := range list.Plugins {
		if p.Reason != "" {
			a.warn(p.ID + " (" + p.Path + "): " + p.Reason)
		}
		for _, w := range p.Warnings {
			a.warn(p.ID + ": " + w)
		}
	}
}

func (a *app) pluginsTestCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "test ID",
		Short: "Try a plugin's program by a fresh process, and show what it offers",
		Long: `Try a plugin's program by a fresh process, beside a gateway that may run: the time of
each step, the tools that the plugin would offer, and when it can't be used why, what
to do, and the last lines of its standard error.`,
		Example:           `  toolcrib plugins test notes`,
		Args:              arguments(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completePlugins,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.loadConfig()
			if err != nil {
				return err
			}
			progress := a.progress()
			progress.say("trying " + args[0])
			r, err := gateway.ProbePlugin(cmd.Context(), cfg, args[0], a.probing())
			progress.stop()
			switch {
			case err != nil:
				return err
			case cmd.Context().Err() != nil:
				return toolcrib.NewError(toolcrib.KindCanceled, "cancelled while the plugin was tried", "")
			case asJSON:
				err = a.out.json(r)
			default:
				a.printReport(r)
			}
			if err == nil && !r.OK {
				return toolcrib.NewError(toolcrib.KindUnavailable, "plugin "+r.Server+" can't be used: "+r.Reason, r.Hint)
			}
			return err
		},
	}
	jsonFlag(c, &asJSON, reportShape)
	return c
}

func (a *app) pluginsLogsCommand() *cobra.Command {
	var asJSON bool
	var lines int
	c := &cobra.Command{
		Use:               "logs ID",
		Short:             "Print what a plugin's program wrote to its standard error",
		Example:           `  toolcrib plugins logs notes --lines 20`,
		Args:              arguments(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completePlugins,
		RunE: func(cmd *cobra.Command, args []string) error {
			if lines < 1 {
				return toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("--lines %d is not a number of lines", lines), "give 1 or more")
			}
			none := func(client.Server) bool { return false }
			return a.ask(cmd.Context(), source{patience: pluginTime}, none, func(c *connection) error {
				log, err := c.PluginLogs(cmd.Context(), args[0], lines)
				if err != nil {
					return err
				}
				if asJSON {
					return a.out.json(client.LogLines{Server: args[0], Lines: orEmpty(log)})
				}
				for _, line := range log {
					a.out.printf("%s\n", a.out.shown(line))
				}
				return nil
			})
		},
	}
	c.Flags().IntVarP(&lines, "lines", "n", 100, "the last `number` of lines")
	jsonFlag(c, &asJSON, `{"server", "lines": ["..."]}`)
	return c
}

func (a *app) pluginsRestartCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:               "restart ID",
		Short:             "Stop a plugin's program in the running gateway and start it anew",
		Example:           `  toolcrib plugins restart notes`,
		Args:              arguments(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completePlugins,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.attach(cmd.Context())
			if err != nil {
				return err
			}
			defer c.close()
			progress := a.progress()
			defer progress.stop()
			progress.say("restarting " + args[0])
			p, err := c.RestartPlugin(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return a.out.json(p)
			}
			a.printPlugins(client.PluginList{Plugins: []client.Plugin{p}})
			return nil
		},
	}
	jsonFlag(c, &asJSON, pluginShape)
	return c
}

// completePlugins offers the ids of the running gateway's plugins.
func (a *app) completePlugins(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.asked(cmd, func(ctx context.Context, c *connection) (ids []string) {
		list, _ := c.Plugins(ctx) // without an answer there is nothing to offer
		for _, p := range list.Plugins {
			ids = append(ids, p.ID)
		}
		return ids
	})
}

// startingPlugins names the plugins that have not answered yet.
func startingPlugins(ctx context.Context, c *connection) (ids []string) {
	list, err := c.Plugins(ctx)
	if err != nil {
		return nil // the command itself will say it better
	}
	for _, p := range list.Plugins {
		if p.State == toolcrib.StateStarting {
			ids = append(ids, p.ID)
		}
	}
	return ids
}
