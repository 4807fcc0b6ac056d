package client

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Plugin is one plugin in the answer of GET /api/plugins.
type Plugin struct {
	ID          string `json:"id"`
	Version     string `json:"version,omitempty"`
	Description string `json:"description,omitempty"`
	// State is disabled for a plugin that the operator doesn't use, and down for one
	// that can't be used.
	State toolcrib.State `json:"state"`
	// Reason says why it is not ready, or what is wrong with it though it is.
	Reason string `json:"reason,omitempty"`
	// Path is the plugin's folder.
	Path string `json:"path"`
	// Tools and Hooks are the names of what is in use.
	Tools    []string   `json:"tools"`
	Hooks    []string   `json:"hooks"`
	PID      int        `json:"pid,omitempty"`
	Restarts int        `json:"restarts"`
	Since    *time.Time `json:"since,omitempty"`
	NextTry  *time.Time `json:"nextTry,omitempty"`
	Warnings []string   `json:"warnings,omitempty"`
}

// PluginList is the body of GET /api/plugins.
type PluginList struct {
	Plugins []Plugin `json:"plugins"`
	// Paths are the folders in which plugins are looked for.
	Paths []string `json:"paths"`
	// Warnings are about the configuration of plugins.
	Warnings []string `json:"warnings,omitempty"`
}

// Plugins lists the plugins that are found, in use or not, by id.
func (c *Client) Plugins(ctx context.Context) (PluginList, error) {
	return get[PluginList](ctx, c, "/api/plugins", nil)
}

// RestartPlugin stops a plugin's program and starts it anew, and returns how it is then.
func (c *Client) RestartPlugin(ctx context.Context, id string) (Plugin, error) {
	return post[Plugin](ctx, c, "/api/plugins/"+url.PathEscape(id)+"/restart", struct{}{})
}

// PluginLogs returns the last n lines of a plugin's log, oldest first; n of 0 or
// less means the gateway's default.
func (c *Client) PluginLogs(ctx context.Context, id string, n int) ([]string, error) {
	query := url.Values{}
	if n > 0 {
		query.Set("n", strconv.Itoa(n))
	}
	log, err := get[LogLines](ctx, c, "/api/plugins/"+url.PathEscape(id)+"/logs", query)
	return log.Lines, err
}
