package cli

import (
	"context"
	"os"

	"github.com/toolcrib/toolcrib"
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
	list, err := a.waitingPins(ctx, cfg)
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
		f := gateway.Finding{
			Level: gateway.LevelWarning, Area: gateway.AreaServers, What: "server " + name + " has tools to review: " + reviewNote(r),
			Where: config.JoinPath("mcp.servers", name), Do: "toolcrib servers review " + shellQuote(name),
		}
		if r.Withheld+r.Changed+r.Flagged == 0 {
			f.Level = gateway.LevelNote
		}
		all = append(all, f)
	}
	return all
}

// waitingPins asks the gateway that runs, or the store. A store that isn't there yet
// is left so.
func (a *app) waitingPins(ctx context.Context, cfg *config.Config) ([]client.Pin, error) {
	if list, err := a.pinsOf(ctx, a.running); toolcrib.KindOf(err) != toolcrib.KindUnavailable {
		return list, err
	}
	return a.pinsOf(ctx, func() (*connection, error) { return a.still(ctx, cfg) })
}

// pinsOf are those that wait, of a gateway whose store is there.
func (a *app) pinsOf(ctx context.Context, open func() (*connection, error)) ([]client.Pin, error) {
	c, err := open()
	if err != nil {
		return nil, err
	}
	defer c.close()
	status, err := c.Status(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(status.Store); err != nil {
		return nil, nil
	}
	return c.Pins(ctx, "", false)
}
