package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestHTTPListChanged changes a server's tools: only an announced change is seen.
func TestHTTPListChanged(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		server := sdkServer(t.Context())
		web := serve(t, streamable(server, stateless))
		s := open(t, Options{Servers: []Server{remote("web", web.URL)}})
		ready(t, s, "web")
		if _, err := call(t, s, "web", "grow", `{"text":""}`); err != nil {
			t.Fatal(err)
		}
		await(t, s, "web", "changed", func(c condition) bool {
			_, ok := c.list.find("added")
			return ok
		})
	}
}

// TestHTTPStreamReopened cuts the standing streams again and again: no call
// fails for it, and a change in a gap is seen.
func TestHTTPStreamReopened(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		var streams atomic.Int64
		server := sdkServer(t.Context())
		inner := streamable(server, stateless)
		web := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet || r.Header.Get("Mcp-Method") == "subscriptions/listen" {
				if streams.Add(1) < 3 {
					w.Header().Set("Content-Type", "text/event-stream")
					w.WriteHeader(http.StatusOK)
					return
				}
			}
			inner.ServeHTTP(w, r)
		}))
		s := open(t, Options{Servers: []Server{remote("web", web.URL)}})
		ready(t, s, "web")
		if _, err := call(t, s, "web", "grow", `{"text":""}`); err != nil {
			t.Fatal(err)
		}
		await(t, s, "web", "changed", func(c condition) bool {
			_, ok := c.list.find("added")
			return ok
		})
		for ctx := limit(t); streams.Load() < 3; {
			if !sleep(ctx, 20*time.Millisecond) {
				t.Fatalf("opened %d times", streams.Load())
			}
		}
		got, _ := s.all()[0].all()[0].snapshot()
		if got.starts != 1 {
			t.Errorf("stateless %v: connected %d times", stateless, got.starts)
		}
	}
}

// TestParamHeaders copies the arguments that a tool marks into HTTP headers, as
// the protocol of 2026 demands; the SDK does so from the part of the list it is shown.
func TestParamHeaders(t *testing.T) {
	var region atomic.Value
	server := sdkServer(t.Context())
	server.AddTool(&sdk.Tool{Name: "where", InputSchema: json.RawMessage(
		`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{}, nil
		})
	inner := streamable(server, true)
	web := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if v := r.Header.Get("Mcp-Param-Region"); v != "" {
			region.Store(v)
		}
		inner.ServeHTTP(w, r)
	}))
	s := open(t, Options{Servers: []Server{remote("web", web.URL)}})
	ready(t, s, "web")
	if _, err := call(t, s, "web", "where", `{"region":"north"}`); err != nil {
		t.Fatal(err)
	}
	if region.Load() != "north" {
		t.Errorf("header %v", region.Load())
	}
}

// TestHTTPLateHeaders is a server that holds the GET open without any headers.
func TestHTTPLateHeaders(t *testing.T) {
	inner := streamable(sdkServer(t.Context()), false)
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			<-r.Context().Done()
			return
		}
		inner.ServeHTTP(w, r)
	}))
	fast := quick
	fast.headers = 50 * time.Millisecond
	s := open(t, Options{Servers: []Server{remote("web", server.URL)}, tuning: fast})
	ready(t, s, "web")
	if got := said(t, s, "web", "echo", `{"text":"x"}`); got != "x" {
		t.Errorf("echo: %s", got)
	}
}
