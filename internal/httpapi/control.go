package httpapi

import (
	"context"

	"github.com/toolcrib/toolcrib/client"
)

// Control does what the control API is asked for. Errors are *toolcrib.Error.
// The caller is the operator: only its owner can open the socket, or has the
// admin token.
type Control interface {
	PolicyControl
	PluginControl
	SessionControl
	TokenControl
	Status(ctx context.Context) (client.Status, error)
	Servers(ctx context.Context) ([]client.Server, error)
	// Logs returns the last n lines, oldest first; n is between 1 and MaxLogLines.
	Logs(ctx context.Context, server string, n int) ([]string, error)
	Restart(ctx context.Context, server string) (client.Server, error)
	// Reload reads the configuration again; an error means that the former one stays.
	Reload(ctx context.Context) error
	Tools(ctx context.Context, r client.ToolsRequest) (client.ToolList, error)
	// Stats measures what an agent's tools cost a model; an empty agent is the default one.
	Stats(ctx context.Context, agent string) (client.Stats, error)
	Search(ctx context.Context, r client.SearchRequest) (client.SearchReply, error)
	Describe(ctx context.Context, r client.DescribeRequest) (client.Description, error)
	Call(ctx context.Context, r client.CallRequest) (client.CallReply, error)
	// Code runs a body of code; what goes wrong with the code is in the reply.
	Code(ctx context.Context, r client.CodeRequest) (client.CodeReply, error)
}

// Bounds of GET /api/servers/{name}/logs?n=.
const (
	DefaultLogLines = 100
	MaxLogLines     = 10000
)
