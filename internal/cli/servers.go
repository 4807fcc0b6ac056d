package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/config"
)

const serverShape = `{"name", "state", "reason", "transport", "target", "trusted", "scope", "pid", "protocol", "serverName", "serverVersion", "tools", "restarts", "since", "nextTry", "warnings", "review": {"withheld", "changed", "flagged", "added"}}`

func (a *app) serversCommand() *cobra.Command {
	return noun("servers", "Look at MCP servers and what they changed, try them, read their logs, restart them",
		a.serversListCommand(), a.serversTestCommand(), a.serversLogsCommand(), a.serversRestartCommand(), a.serversReviewCommand())
}

// listTime is how long a list of servers waits for those that it started.
const listTime = 2 * time.Second

func (a *app) serversListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list [NAME]",
		Short: "List the configured servers, or one of them, and how they are",
		Example: `  toolcrib servers list
  toolcrib servers list github
  toolcrib servers list --json | jq -r '.servers[] | select(.state != "ready") | .name'`,
		Args:              arguments(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			from, wanted := source{patience: listTime}, func(client.Server) bool { return true }
			if len(args) > 0 {
				from.only, wanted = args[0], named(args[0])
			}
			return a.ask(cmd.Context(), from, wanted, func(c *connection) error {
				servers, err := c.Servers(cmd.Context())
				if err != nil {
					return err
				}
				if len(args) > 0 {
					one, err := serverOf(servers, args[0])
					if err != nil {
						return err
					}
					servers = []client.Server{one}
				}
				if asJSON {
					return a.out.json(client.ServerList{Servers: orEmpty(servers)})
				}
				a.printServers(servers, len(args) > 0)
				return nil
			})
		},
	}
	jsonFlag(c, &asJSON, `{"servers": [`+serverShape+`]}`)
	return c
}

// serverOf finds a server by its name.
func serverOf(servers []client.Server, name string) (client.Server, error) {
	names := make([]string, 0, len(servers))
	for _, s := range servers {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return client.Server{}, unknown("server", name, names)
}

// unknown is the error for a name that none of the known ones is.
func unknown(what, name string, known []string) error {
	hint := "there are: " + strings.Join(known, ", ")
	if near := config.Nearest(name, known); near != "" {
		hint = "did you mean " + near + "?"
	} else if len(known) == 0 {
		hint = "none are configured: see toolcrib config path"
	}
	return toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("there is no %s %q", what, name), hint)
}

// orEmpty makes a list that JSON shows as [] where it would be null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// printServers writes a table of servers; whole leaves their notes as long as they are.
func (a *app) printServers(servers []client.Server, whole bool) {
	if len(servers) == 0 {
		a.note("note", "2", "no servers are configured")
		a.note("hint", "36", "add them below mcp.servers in the file that this prints: toolcrib config path")
		return
	}
	rows := make([][]string, 0, len(servers))
	for _, s := range servers {
		rows = append(rows, []string{folded(s.Name), string(s.State), strconv.Itoa(s.Tools), s.Transport, serverNote(s)})
	}
	if whole {
		a.out.width = 0
	}
	a.out.rows([]string{"NAME", "STATE", "TOOLS", "VIA", "NOTE"}, rows)
	for _, s := range servers {
		for _, w := range s.Warnings {
			a.warn(s.Name + ": " + w)
		}
		if note := reviewNote(s.Review); note != "" {
			a.warn(s.Name + " has tools to review: " + note + "; see toolcrib servers review " + shellQuote(s.Name))
		}
	}
	a.noteStarting(servers)
}

// noteStarting says how to wait for servers that have not answered yet.
func (a *app) noteStarting(servers []client.Server) {
	var names []string
	for _, s := range servers {
		if s.State == toolcrib.StateStarting {
			names = append(names, s.Name)
		}
	}
	if len(names) > 0 {
		a.note("note", "2", "still starting: "+strings.Join(names, ", "))
		a.note("hint", "36", "wait for one: toolcrib servers test "+names[0])
	}
}

// serverNote is what else there is to know of a server, in one cell.
func serverNote(s client.Server) string {
	note := folded(s.Reason)
	if note == "" && s.ServerName != "" {
		note = folded(s.ServerName + " " + s.ServerVersion)
	}
	if s.NextTry != nil {
		switch wait := time.Until(*s.NextTry).Round(time.Second); {
		case wait > 0:
			note += fmt.Sprintf(" (next try in %.0f s)", wait.Seconds())
		default:
			note += " (next try now)"
		}
	}
	switch never := s.Protocol == "" && s.State != toolcrib.StateReady; {
	case s.Restarts == 0:
	case never:
		note += fmt.Sprintf(" (tried %d times)", s.Restarts+1)
	case s.Restarts == 1:
		note += " (started again once)"
	default:
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
			return a.ask(cmd.Context(), source{only: args[0]}, named(args[0]), func(c *connection) error {
				servers, err := c.Servers(cmd.Context())
				if err != nil {
					return err
				}
				if _, err := serverOf(servers, args[0]); err != nil {
					return err
				}
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
			c, err := a.attach(cmd.Context())
			if err != nil {
				return err
			}
			defer c.close()
			progress := a.progress()
			defer progress.stop()
			progress.say("restarting " + args[0])
			s, err := a.restart(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return a.out.json(s)
			}
			a.printServers([]client.Server{s}, true)
			return nil
		},
	}
	jsonFlag(c, &asJSON, serverShape)
	return c
}

// restart restarts a server that there is. Of one that doesn't come up it says
// where to look.
func (a *app) restart(ctx context.Context, c *connection, name string) (client.Server, error) {
	servers, err := c.Servers(ctx)
	if err != nil {
		return client.Server{}, err
	}
	if _, err := serverOf(servers, name); err != nil {
		return client.Server{}, err
	}
	s, err := c.Restart(ctx, name)
	if known := (*toolcrib.Error)(nil); errors.As(err, &known) && known.Kind == toolcrib.KindUnavailable {
		return s, toolcrib.NewError(known.Kind, known.Message, "see what it wrote: toolcrib servers logs "+name).WithCause(err)
	}
	return s, err
}

func named(name string) func(client.Server) bool {
	return func(s client.Server) bool { return s.Name == name }
}
