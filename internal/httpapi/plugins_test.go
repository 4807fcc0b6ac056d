package httpapi

import (
	"context"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

func (f *fakeControl) Plugins(context.Context) (client.PluginList, error) {
	return client.PluginList{Plugins: []client.Plugin{{ID: "notes", State: toolcrib.StateReady, Tools: []string{"count"}}}}, f.err
}

func (f *fakeControl) PluginLogs(_ context.Context, id string, n int) ([]string, error) {
	return make([]string, n), f.err
}

func (f *fakeControl) RestartPlugin(_ context.Context, id string) (client.Plugin, error) {
	return client.Plugin{ID: id, State: toolcrib.StateStarting}, f.err
}
