package cli

import (
	"context"
	"os"

	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/gateway"
	"github.com/toolcrib/toolcrib/internal/config"
)

// pinFindings says which servers have tools that wait for a person.
func (a *app) pinFindings(ctx context.Context, cfg *config.Config) []gateway.Finding {
	if cfg == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, gatewayPatience)
	defer cancel()
	var list []client.Pin
	err := a.lookUp(ctx, func(c *connection) error {
		status, err := c.Status(ctx)
		if err != nil {
			return err
		}
		if _, err := os.Stat(status.Store); err != nil {
			return nil // one that isn't there yet is left so
		}
		list, err = c.Pins(ctx, "", false)
		return err
	})
	if err != nil {
		return nil // what is wrong with the gateway or the store is said already
	}
	var names []string
	counts := map[string]client.Review{}
	for _, p := range list {
		if _, ok := cfg.MCP.Servers[p.Server]; !ok {
			continue
		}
		r, known := counts[p.Server]
		if !known {
			names = append(names, p.Server)
		}
		r.Count(p)
		counts[p.Server] = r
	}
	var all []gateway.Finding
	for _, name := range names {
		r := counts[name]
		f := gateway.Finding{Level: gateway.LevelWarning, Area: gateway.AreaServers, What: "server " + name + " has tools to review: " + reviewNote(r),
			Where: config.JoinPath("mcp.servers", name), Do: "toolcrib servers review " + shellQuote(name)}
		if r.Withheld+r.Changed+r.Flagged == 0 {
			f.Level = gateway.LevelNote
		}
		all = append(all, f)
	}
	return all
}
