package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// A program talks to the gateway that its user runs.
func ExampleDial() {
	_, err := client.Dial("/nonexistent/toolcrib/control.sock")
	fmt.Println(toolcrib.KindOf(err))
	fmt.Println(err)
	// Output:
	// unavailable
	// no gateway answers at /nonexistent/toolcrib/control.sock (start one with: toolcrib serve)
}

// A program that has the API's handler needs no socket. The handler here knows
// one search and no more.
func ExampleInProcess() {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/search", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"hits":[{"id":"mcp:tracker:create_issue","source":"mcp","name":"create_issue","description":"Opens an issue.","input":"unknown"}]}`)
	})
	mux.HandleFunc("POST /api/describe", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":{"kind":"not_found","message":"no tool \"x\"","hint":"search for it"}}`)
	})
	c := client.New(client.InProcess(mux), "")

	reply, err := c.Search(context.Background(), client.SearchRequest{Query: "open an issue"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, hit := range reply.Hits {
		fmt.Println(hit.ID, "-", hit.Description)
	}

	_, err = c.Describe(context.Background(), client.DescribeRequest{ID: "x"})
	var failure *toolcrib.Error
	if errors.As(err, &failure) {
		fmt.Println(failure.Kind, "-", failure.Message, "-", failure.Hint)
	}
	// Output:
	// mcp:tracker:create_issue - Opens an issue.
	// not_found - no tool "x" - search for it
}
