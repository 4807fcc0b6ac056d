package cli

import (
	"context"
	"os"

	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/gateway"
	"github.com/toolcrib/toolcrib/internal/config"
)

// storeFinding looks whether what is there of the store can be opened, for the
// gateway that doesn't run. A store that isn't there yet is left so.
func (a *app) storeFinding(ctx context.Context, add adding, cfg *config.Config) {
	if cfg == nil {
		return
	}
	c, err := a.still(ctx, cfg)
	if err != nil {
		return // said already
	}
	defer c.close()
	status, err := c.Status(ctx)
	if err != nil {
		return
	}
	if _, err := os.Stat(status.Store); err != nil {
		return
	}
	if _, err := c.Sessions(ctx, client.SessionsRequest{Limit: 1}); err != nil {
		add(gateway.LevelError, "sessions can't be recorded, and calls are refused unless sessions.audit says otherwise: "+err.Error(), status.Store, "")
	}
}
