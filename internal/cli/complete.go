package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/config"
)

// Completions ask a running gateway or the configuration; they start nothing,
// and where there is nothing to ask they offer nothing.

// completion offers values for a word that a person has begun.
type completion = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective)

// complete gives a flag its values. The flag is there, so it can't fail.
func complete(c *cobra.Command, flag string, f completion) {
	if err := c.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err)
	}
}

// fixed offers words that are always the same.
func fixed(words ...string) completion {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// asked runs f with the running gateway, if there is one.
func (a *app) asked(cmd *cobra.Command, f func(context.Context, *connection) []string) ([]string, cobra.ShellCompDirective) {
	c, err := a.running()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer c.close()
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	return f(ctx, c), cobra.ShellCompDirectiveNoFileComp
}

// completeTools offers the ids of tools, and the names that belong to one alone.
func (a *app) completeTools(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.asked(cmd, func(ctx context.Context, c *connection) []string {
		list, err := c.Tools(ctx, client.ToolsRequest{})
		if err != nil {
			return nil
		}
		return references(list.Tools)
	})
}

// references are the words by which tools can be called.
func references(tools []client.Tool) []string {
	count := map[string]int{}
	words := make([]string, 0, 2*len(tools))
	for _, t := range tools {
		count[t.Name]++
		words = append(words, t.ID)
	}
	for _, t := range tools {
		if count[t.Name] == 1 {
			words = append(words, t.Name)
		}
	}
	return words
}

// completeServers offers the names of servers.
func (a *app) completeServers(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.asked(cmd, func(ctx context.Context, c *connection) []string {
		servers, _ := c.Servers(ctx)
		return owners(nil, servers)
	})
}

// completeOwners offers the names of servers and plugins.
func (a *app) completeOwners(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return a.asked(cmd, func(ctx context.Context, c *connection) []string {
		servers, _ := c.Servers(ctx)
		list, _ := c.Tools(ctx, client.ToolsRequest{})
		return owners(list.Tools, servers)
	})
}

// completeAgents offers the agents of the configuration.
func (a *app) completeAgents(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	cfg, _, err := a.readConfig()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ids := make([]string, 0, len(cfg.Agents.List))
	for _, agent := range cfg.Agents.List {
		ids = append(ids, agent.ID)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// completeKeys offers the keys of the configuration that have a fixed path.
func completeKeys(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var paths []string
	for _, k := range config.Keys() {
		if !strings.ContainsAny(k.Path, "*[$") {
			paths = append(paths, k.Path)
		}
	}
	return paths, cobra.ShellCompDirectiveNoFileComp
}
