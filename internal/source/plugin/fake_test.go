package plugin

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib/internal/plugin"
)

// fakeEnv switches the test binary into a plugin's program.
const fakeEnv = "TOOLCRIB_FAKE_PLUGIN"

func TestMain(m *testing.M) {
	if os.Getenv(fakeEnv) != "" {
		os.Exit(program())
	}
	os.Exit(m.Run())
}

type answer struct {
	Words int               `json:"words"`
	Env   map[string]string `json:"env,omitempty"`
}

// program is a plugin's program with tools that behave and misbehave.
func program() int {
	s := sdk.NewServer(&sdk.Implementation{Name: "fake", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "count", Description: "Counts, says the program.", Title: "Count"},
		func(_ context.Context, _ *sdk.CallToolRequest, in struct {
			Text string `json:"text"`
		},
		) (*sdk.CallToolResult, answer, error) {
			return nil, answer{Words: len(in.Text), Env: map[string]string{
				"NAME": os.Getenv("NAME"), "ID": os.Getenv(IDVariable), "VERSION": os.Getenv(VersionVariable), "DIR": os.Getenv("PWD"),
			}}, nil
		})
	sdk.AddTool(s, &sdk.Tool{Name: "die"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		os.Exit(7)
		return nil, nil, errors.New("unreachable")
	})
	sdk.AddTool(s, &sdk.Tool{Name: "hang"}, func(ctx context.Context, _ *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		<-ctx.Done()
		return nil, nil, ctx.Err()
	})
	if err := s.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		return 1
	}
	return 0
}

// fake is a plugin that runs the test binary; manifest are the other keys of its
// plugin.json5.
func fake(t *testing.T, id, manifest string) Plugin {
	t.Helper()
	m, _, err := plugin.Parse("/nowhere/"+plugin.File, []byte(`{id: "`+id+`", command: "x", `+manifest+`}`))
	if err != nil {
		t.Fatal(err)
	}
	if m.Command, err = os.Executable(); err != nil {
		t.Fatal(err)
	}
	m.Dir = t.TempDir()
	return Plugin{Manifest: m, Env: map[string]string{fakeEnv: "1", "NAME": "operator's"}, Timeout: time.Minute}
}

// open starts plugins, waits until they have answered, and ends them with the test.
func open(t *testing.T, o Options) *Source {
	t.Helper()
	o.Environ = os.Environ()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	s.Settle(limit(t))
	return s
}

func limit(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}
