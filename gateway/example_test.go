package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/toolcrib/toolcrib/gateway"
)

// Weather is what the example's tool is asked for.
type Weather struct {
	City string `json:"city" jsonschema:"name of the city"`
	Days int    `json:"days,omitempty" jsonschema:"days ahead, 0 for today"`
}

// Forecast is what it answers.
type Forecast struct {
	City    string `json:"city"`
	Celsius int    `json:"celsius"`
}

// A program gives its own Go functions to a gateway, finds one by words, and
// runs it.
func Example() {
	forecast := gateway.Func("forecast", "Tell the weather of a city for the days to come.",
		func(_ context.Context, in Weather) (Forecast, error) { return Forecast{in.City, 21 - in.Days}, nil },
		gateway.ReadOnly())

	ctx := context.Background()
	g, err := gateway.New(ctx, gateway.Options{Tools: []gateway.Tool{forecast}})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	s, err := g.Open(gateway.SessionOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	hits, err := s.Search(ctx, "what is the weather like tomorrow", 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(hits[0].ID, hits[0].Input)

	_, result, err := s.Call(ctx, hits[0].ID, json.RawMessage(`{"city": "Lisbon", "days": 1}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(result.Details))
	// Output:
	// plugin:app:forecast { city: string; days?: number }
	// {"city":"Lisbon","celsius":20}
}

// A model sees a surface: three controls in place of the catalog, and the tools
// that are marked direct-only. Its calls go to Surface.Call by the visible name.
func ExampleSession_Surface() {
	ctx := context.Background()
	g, err := gateway.New(ctx, gateway.Options{Demo: true})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	s, err := g.Open(gateway.SessionOptions{Mode: "tools"})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	surface := s.Surface(ctx)
	for _, tool := range surface.Tools() {
		fmt.Println(tool.Name)
	}
	reply := surface.Call(ctx, gateway.SurfaceCall{
		Name: "tool_search", Args: json.RawMessage(`{"query": "create an issue", "limit": 1}`), CallID: "1", Scope: s.Scope(),
	})
	fmt.Println(strings.Contains(reply.Text, "plugin:tracker:create_issue"))
	// Output:
	// tool_search
	// tool_describe
	// tool_call
	// cluster_status
	// true
}

// A program whose main starts with SandboxMain offers mode code: a body of
// JavaScript searches, describes and calls in one step, in a child process.
func ExampleSandboxMain() {
	sandbox := gateway.SandboxMain() // first thing in main
	ctx := context.Background()
	g, err := gateway.New(ctx, gateway.Options{Demo: true, Sandbox: sandbox})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	s, err := g.Open(gateway.SessionOptions{Mode: "code"})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	result, err := s.RunCode(ctx, `
		const [hit] = await openclaw.tools.search("create an issue", {limit: 1});
		const titles = ["It is slow", "It is loud"];
		const made = await Promise.all(titles.map(title => openclaw.tools.call(hit.id, {title})));
		return made.map(r => r.result.details.title);`, gateway.CodeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(result.Value), result.Telemetry.Calls)
	// Output:
	// ["It is slow","It is loud"] 2
}

// MCP servers are named in the options, or in a configuration file. They start
// in the background; Settle waits for those that are still starting.
func ExampleNew_servers() {
	ctx := context.Background()
	g, err := gateway.New(ctx, gateway.Options{
		Servers: map[string]gateway.Server{
			"files": {Command: "no-such-command-here", Args: []string{"--root", "."}},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	g.Settle(ctx)
	s, err := g.Open(gateway.SessionOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	_, _, err = s.Call(ctx, "mcp:files:read", nil)
	fmt.Println(err != nil)
	// Output:
	// true
}
