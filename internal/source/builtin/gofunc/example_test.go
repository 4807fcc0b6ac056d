package gofunc_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/builtin/gofunc"
)

type words struct {
	Text string `json:"text" jsonschema:"the text to count"`
}

type count struct {
	Words int `json:"words"`
}

func countWords(_ context.Context, in words) (count, error) {
	n := 0
	for i, r := range in.Text {
		if r != ' ' && (i == 0 || in.Text[i-1] == ' ') {
			n++
		}
	}
	return count{n}, nil
}

func ExampleFunc() {
	source, err := gofunc.New(gofunc.Options{Owner: "texts", Tools: []gofunc.Tool{
		gofunc.Func("count_words", "Count the words of a text.", countWords, gofunc.ReadOnly()),
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	tool := source.Listings(context.Background(), toolcrib.Scope{})[0].Tools[0]
	fmt.Println(tool.ID, string(tool.OutputSchema))
	result, err := source.Execute(context.Background(), toolcrib.Call{Tool: tool, Args: json.RawMessage(`{"text":"a tool crib"}`)})
	fmt.Println(string(result.Details), err)
	// Output:
	// plugin:texts:count_words {"type":"object","properties":{"words":{"type":"integer"}},"required":["words"],"additionalProperties":false}
	// {"words":3} <nil>
}
