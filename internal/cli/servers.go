package cli

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

const serverShape = `{"name", "state", "reason", "transport", "target", "trusted", "scope", "pid", "protocol", "serverName", "serverVersion", "tools", "restarts", "since", "nextTry", "warnings"}`

func (a *app) serversCommand() *cobra.Command {
	return noun("servers", "Look at MCP servers, read their logs, restart them",
		a.serversListCommand(), a.serversLogsCommand(), a.serversRestartCommand())
}

func (a *app) serversListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the configured servers and how they are",
		Example: `  toolcrib servers list
  toolcrib servers list --json | jq -r '.servers[] | select(.state != "ready") | .name'`,
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := func(client.Server) bool { return true }
			return a.ask(cmd.Context(), source{}, all, func(c *connection) error {
				servers, err := c.Servers(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return a.out.json(client.ServerList{Servers: orEmpty(servers)})
				}
				a.printServers(servers)
				return nil
			})
		},
	}
	jsonFlag(c, &asJSON, `{"servers": [`+serverShape+`]}`)
	return c
}

// orEmpty makes a list that JSON shows as [] where it would be null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func (a *app) printServers(servers []client.Server) {
	if len(servers) == 0 {
		a.note("note", "2", "no servers are configured")
		a.note("hint", "36", "add them below mcp.servers in the file that this prints: toolcrib config path")
		return
	}
	rows := make([][]string, 0, len(servers))
	for _, s := range servers {
		rows = append(rows, []string{folded(s.Name), string(s.State), strconv.Itoa(s.Tools), s.Transport, serverNote(s)})
	}
	a.out.rows([]string{"NAME", "STATE", "TOOLS", "VIA", "NOTE"}, rows)
	for _, s := range servers {
		for _, w := range s.Warnings {
			a.warn(s.Name + ": " + w)
		}
	}
}

// serverNote is what else there is to know of a server, in one cell.
func serverNote(s client.Server) string {
	note := folded(s.Reason)
	if note == "" && s.ServerName != "" {
		note = folded(s.ServerName + " " + s.ServerVersion)
	}
	if s.NextTry != nil {
		if wait := time.Until(*s.NextTry); wait > 0 {
			note += fmt.Sprintf(" (next try in %.0f s)", wait.Seconds())
		}
	}
	if s.Restarts > 0 {
		note += fmt.Sprintf(" (started again %d times)", s.Restarts)
	}
	return note
}

func (a *app) serversLogsCommand() *cobra.Command {
	var asJSON bool
	var lines int
	c := &cobra.Command{
		Use:   "logs NAME",
		Short: "Print what a server wrote to its standard error",
		Example: `  toolcrib servers logs github
  toolcrib servers logs github --lines 500`,
		Args:              arguments(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			if lines < 1 {
				return toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("--lines %d is not a number of lines", lines), "give 1 or more")
			}
			return a.ask(cmd.Context(), source{}, named(args[0]), func(c *connection) error {
				log, err := c.Logs(cmd.Context(), args[0], lines)
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

func (a *app) serversRestartCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:               "restart NAME",
		Short:             "Stop a server of the running gateway and start it anew",
		Example:           `  toolcrib servers restart github`,
		Args:              arguments(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.running()
			if err != nil {
				return err
			}
			defer c.close()
			progress := a.progress()
			defer progress.stop()
			progress.say("restarting " + args[0])
			s, err := c.Restart(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return a.out.json(s)
			}
			a.printServers([]client.Server{s})
			return nil
		},
	}
	jsonFlag(c, &asJSON, serverShape)
	return c
}

func named(name string) func(client.Server) bool {
	return func(s client.Server) bool { return s.Name == name }
}

// completeServers offers the names of a running gateway's servers.
func (a *app) completeServers(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if c, err := a.running(); err == nil && len(args) == 0 {
		defer c.close()
		servers, _ := c.Servers(cmd.Context())
		for _, s := range servers {
			names = append(names, s.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
