package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

func (a *app) toolsCommand() *cobra.Command {
	return noun("tools", "List, find, read, call and measure tools",
		a.toolsListCommand(), a.toolsSearchCommand(), a.toolsDescribeCommand(), a.toolsCallCommand(), a.toolsStatsCommand())
}

func (a *app) toolsListCommand() *cobra.Command {
	var s source
	var asJSON bool
	var owner string
	c := &cobra.Command{
		Use:   "list",
		Short: "List every tool that policy leaves",
		Example: `  toolcrib tools list
  toolcrib tools list --owner github
  toolcrib tools list --json | jq -r '.tools[].id'`,
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.only = owner
			wanted := func(s client.Server) bool { return forgotten(s) && (owner == "" || s.Name == owner) }
			return a.ask(cmd.Context(), s, wanted, func(c *connection) error {
				list, err := c.Tools(cmd.Context(), client.ToolsRequest{Agent: s.agent, Owner: owner})
				if err == nil && owner != "" && len(list.Tools) == 0 {
					err = checkOwner(cmd.Context(), c, s.agent, owner)
				}
				if err != nil {
					return err
				}
				if asJSON {
					return a.out.json(list)
				}
				a.printTools(list)
				return nil
			})
		},
	}
	c.Flags().StringVar(&owner, "owner", "", "only the tools of one server or plugin, by `name`")
	complete(c, "owner", a.completeOwners)
	a.toolsFlags(c, &s, &asJSON, `{"tools": [{"id", "source", "owner", "name", "label", "description", "directOnly"}], "unavailable": [{"server", "state", "reason"}]}`)
	return c
}

// checkOwner says whether an owner without tools is there at all.
func checkOwner(ctx context.Context, c *connection, agent, owner string) error {
	servers, err := c.Servers(ctx)
	if err != nil {
		return err
	}
	list, err := c.Tools(ctx, client.ToolsRequest{Agent: agent})
	if err != nil {
		return err
	}
	known := owners(list.Tools, servers)
	if slices.Contains(known, owner) {
		return nil
	}
	return unknown("server or plugin", owner, known)
}

// owners are the names of servers and plugins, sorted.
func owners(tools []client.Tool, servers []client.Server) []string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Owner)
	}
	for _, s := range servers {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}

// toolsFlags adds the flags that all commands below tools have.
func (a *app) toolsFlags(c *cobra.Command, s *source, asJSON *bool, shape string) {
	s.addAgent(c.Flags())
	complete(c, "agent", a.completeAgents)
	s.addDemo(c.Flags())
	jsonFlag(c, asJSON, shape)
}

// jsonFlag adds --json and notes the shape of what it prints, for the document.
func jsonFlag(c *cobra.Command, asJSON *bool, shape string) {
	c.Flags().BoolVar(asJSON, "json", false, "print JSON for programs")
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations["json"] = shape
}

func (a *app) printTools(list client.ToolList) {
	rows := make([][]string, 0, len(list.Tools))
	for _, t := range list.Tools {
		about := brief(t.Description)
		if t.DirectOnly {
			about = "[always in sight] " + about
		}
		rows = append(rows, []string{folded(t.ID), about})
	}
	if len(rows) > 0 {
		a.out.rows([]string{"ID", "DESCRIPTION"}, rows)
	} else {
		a.note("note", "2", "there are no tools")
	}
	a.warnUnavailable(list.Unavailable)
}

// maxBrief is how many characters of a description a table shows.
const maxBrief = 120

// brief is the first sentence of a description on one line, cut where that is long.
func brief(text string) string {
	text = folded(text)
	for i, r := range text {
		if r == '.' && (i+1 == len(text) || text[i+1] == ' ') && !abbreviates(text[:i]) {
			text = text[:i+1]
			break
		}
	}
	if runes := []rune(text); len(runes) > maxBrief {
		return strings.TrimRight(string(runes[:maxBrief-1]), " ") + "…"
	}
	return text
}

// abbreviates reports whether a full stop after text ends a word such as "e.g",
// "etc" or "1", and not a sentence.
func abbreviates(text string) bool {
	word := text[strings.LastIndexByte(text, ' ')+1:]
	return len(word) < 2 || strings.Contains(word, ".") || word == "etc" || word == "vs"
}

func (a *app) toolsSearchCommand() *cobra.Command {
	var s source
	var asJSON, explain bool
	var limit int
	c := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Find tools by words, as a model does",
		Long: `Find tools by words, as a model does. The best hit comes first; an exact id or
name always does. --explain shows how each score came about.`,
		Example: `  toolcrib tools search "open an issue"
  toolcrib tools search list calendar events --limit 3
  toolcrib tools search "create an issue" --demo --explain
  toolcrib tools search "open an issue" --json | jq -r '.hits[0].id'`,
		Args: arguments(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("limit") && limit < 1 {
				return toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("--limit %d is not a number of hits", limit), "give 1 or more, or leave it out")
			}
			if strings.TrimSpace(strings.Join(args, "")) == "" {
				return toolcrib.NewError(toolcrib.KindInput, "the query is empty", "say what the tool has to do: "+cmd.CommandPath()+` "create an issue"`)
			}
			request := client.SearchRequest{Query: strings.Join(args, " "), Limit: limit, Agent: s.agent, Explain: explain}
			return a.ask(cmd.Context(), s, forgotten, func(c *connection) error {
				reply, err := c.Search(cmd.Context(), request)
				if err != nil {
					return err
				}
				if asJSON {
					return a.out.json(reply)
				}
				return a.printHits(reply)
			})
		},
	}
	c.Flags().IntVar(&limit, "limit", 0, "at most this `number` of hits (default: tools.toolSearch.searchDefaultLimit)")
	c.Flags().BoolVar(&explain, "explain", false, "show how each score came about")
	a.toolsFlags(c, &s, &asJSON, `{"hits": [{"id", "source", "owner", "name", "label", "description", "input", "output", "call"}], "truncated", "unavailable": [{"server", "state", "reason"}], "hint", "explain"}`)
	return c
}

func (a *app) printHits(reply client.SearchReply) error {
	rows := make([][]string, 0, len(reply.Hits))
	for _, h := range reply.Hits {
		rows = append(rows, []string{folded(h.ID), brief(h.Description)})
	}
	if len(rows) > 0 {
		a.out.rows([]string{"ID", "DESCRIPTION"}, rows)
	} else {
		a.note("note", "2", "nothing found")
	}
	if reply.Truncated {
		a.note("note", "2", "more were found than fit: narrow the query or raise --limit")
	}
	if reply.Hint != "" {
		a.note("hint", "36", strings.TrimPrefix(reply.Hint, "nothing fits: ")) // the note says that already
	}
	a.warnUnavailable(reply.Unavailable)
	if len(reply.Explain) > 0 {
		return a.printExplain(reply.Explain)
	}
	return nil
}

func (a *app) toolsDescribeCommand() *cobra.Command {
	var s source
	var asJSON bool
	c := &cobra.Command{
		Use:   "describe ID",
		Short: "Show one tool with its whole text and schema",
		Example: `  toolcrib tools describe mcp:github:create_issue
  toolcrib tools describe create_issue --json | jq .parameters`,
		Args:              arguments(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeTools,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.askAbout(cmd.Context(), s, args[0], false, func(c *connection) error {
				d, err := c.Describe(cmd.Context(), client.DescribeRequest{ID: args[0], Agent: s.agent})
				if err != nil {
					return err
				}
				if asJSON {
					return a.out.json(d)
				}
				if d.Input == "unknown" {
					d.Input = whyUnknown(cmd.Context(), c, d)
				}
				a.printDescription(d)
				return nil
			})
		},
	}
	a.toolsFlags(c, &s, &asJSON, `{"id", "source", "owner", "name", "label", "description", "input", "output", "call", "annotations", "catalogMode", "executionMode", "ownerOnly", "parameters", "outputSchema"}`)
	return c
}

// whyUnknown stands for a signature that isn't shown.
func whyUnknown(ctx context.Context, c *connection, d client.Description) string {
	servers, err := c.Servers(ctx)
	if err != nil {
		return "see parameters"
	}
	if s, err := serverOf(servers, d.Owner); d.Source == toolcrib.SourceMCP && err == nil && !s.Trusted {
		return "untrusted server: see parameters"
	}
	return "see parameters"
}

func (a *app) printDescription(d client.Description) {
	o := a.out
	o.printf("%s\n", o.bold(folded(d.ID)))
	if d.Label != "" {
		o.printf("%s\n", folded(d.Label))
	}
	if d.Description != "" {
		o.printf("\n%s\n", o.shown(strings.TrimSpace(d.Description)))
	}
	o.printf("\n")
	field := func(name, value string) {
		if value != "" {
			o.printf("%s %s\n", o.bold(fmt.Sprintf("%-10s", name)), folded(value))
		}
	}
	field("input", d.Input)
	field("output", d.Output)
	field("call", d.Call)
	field("flags", strings.Join(flagWords(d), ", "))
	if len(d.Parameters) > 0 {
		o.printf("%s\n%s\n", o.bold("parameters"), o.shown(indented(d.Parameters)))
	}
	if len(d.OutputSchema) > 0 {
		o.printf("%s\n%s\n", o.bold("output schema"), o.shown(indented(d.OutputSchema)))
	}
}

// flagWords says in words what the tool's flags and hints say.
func flagWords(d client.Description) []string {
	var words []string
	add := func(on bool, word string) {
		if on {
			words = append(words, word)
		}
	}
	if n := d.Annotations; n != nil {
		add(n.ReadOnly != nil && *n.ReadOnly, "read-only")
		add(n.Destructive != nil && *n.Destructive, "destructive")
		add(n.Idempotent != nil && *n.Idempotent, "idempotent")
		add(n.OpenWorld != nil && *n.OpenWorld, "open world")
	}
	add(d.CatalogMode == toolcrib.CatalogDirectOnly, "always in sight")
	add(d.ExecutionMode == toolcrib.ExecutionSequential, "runs alone")
	add(d.OwnerOnly, "owner only")
	return words
}

// indented is JSON for people, in the order that it came in; what isn't JSON is
// left as it is.
func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
