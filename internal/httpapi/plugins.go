package httpapi

import (
	"context"
	"net/http"

	"github.com/toolcrib/toolcrib/client"
)

// PluginControl looks after plugins.
type PluginControl interface {
	// Plugins lists those that are found, in use or not.
	Plugins(ctx context.Context) (client.PluginList, error)
	// PluginLogs returns the last n lines, oldest first; n is between 1 and MaxLogLines.
	PluginLogs(ctx context.Context, id string, n int) ([]string, error)
	RestartPlugin(ctx context.Context, id string) (client.Plugin, error)
}

func (a *api) pluginRoutes() []route {
	return []route{
		{"GET", "/api/plugins", a.plugins},
		{"GET", "/api/plugins/{name}/logs", a.pluginLogs},
		{"POST", "/api/plugins/{name}/restart", a.restartPlugin},
	}
}

func (a *api) plugins(_ http.ResponseWriter, r *http.Request) (any, error) {
	return a.control.Plugins(r.Context())
}

func (a *api) pluginLogs(_ http.ResponseWriter, r *http.Request) (any, error) {
	return logsOf(r, a.control.PluginLogs)
}

func (a *api) restartPlugin(_ http.ResponseWriter, r *http.Request) (any, error) {
	return a.control.RestartPlugin(r.Context(), r.PathValue("name"))
}
