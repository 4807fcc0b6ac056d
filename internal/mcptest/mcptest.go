// Package mcptest serves recorded tool lists as real MCP servers over streamable
// HTTP, so that tests and measurements can put the gateway in front of many
// servers without starting any. It knows the files' form and MCP, and nothing of
// the gateway. It is for tests and measurements only.
package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Recorded is one server's recorded tools/list.
type Recorded struct {
	Server string            `json:"server"`
	Tools  []json.RawMessage `json:"tools"`
}

// Load reads every *.json of a folder, sorted by server name.
func Load(dir string) ([]Recorded, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("no recorded tool lists (*.json) in %s", dir)
	}
	var all []Recorded
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		var r Recorded
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		if r.Server == "" {
			r.Server = strings.TrimSuffix(filepath.Base(p), ".json")
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Recorded) int { return strings.Compare(a.Server, b.Server) })
	return all, nil
}

// Handler serves each recorded server at /NAME. A call of any tool answers with
// the tool's name and its arguments.
func Handler(servers []Recorded) (http.Handler, error) {
	mux := http.NewServeMux()
	for _, r := range servers {
		s, err := newServer(r)
		if err != nil {
			return nil, err
		}
		h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
		mux.Handle("/"+r.Server, h)
	}
	return mux, nil
}

// newServer answers tools/list with the recorded tools as they are; nothing is
// registered, since the SDK would refuse the odd ones that real servers send.
func newServer(r Recorded) (*mcp.Server, error) {
	tools, err := decodeTools(r)
	if err != nil {
		return nil, err
	}
	s := mcp.NewServer(&mcp.Implementation{Name: r.Server, Version: "recorded"}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			switch method {
			case "tools/list":
				return &mcp.ListToolsResult{Tools: tools}, nil
			case "tools/call":
				return echo(req)
			}
			return next(ctx, method, req)
		}
	})
	return s, nil
}

func decodeTools(r Recorded) ([]*mcp.Tool, error) {
	tools := make([]*mcp.Tool, 0, len(r.Tools))
	for i, raw := range r.Tools {
		var t mcp.Tool
		if err := json.Unmarshal(raw, &t); err != nil {
			return nil, fmt.Errorf("%s: tool %d: %w", r.Server, i, err)
		}
		tools = append(tools, &t)
	}
	return tools, nil
}

func echo(req mcp.Request) (mcp.Result, error) {
	params, ok := req.GetParams().(*mcp.CallToolParamsRaw)
	if !ok {
		return nil, fmt.Errorf("tools/call: unexpected parameters %T", req.GetParams())
	}
	text := fmt.Sprintf("%s %s", params.Name, params.Arguments)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
}
