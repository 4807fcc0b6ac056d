package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/toolcrib/toolcrib"
)

// stripCall is what the SDK sees of a tools/call result: an empty one, unless
// the server asks for input first, which the SDK answers in further rounds.
func stripCall(result json.RawMessage) (json.RawMessage, bool) {
	var head struct {
		Type string `json:"resultType"`
	}
	if json.Unmarshal(result, &head) == nil && head.Type == "input_required" {
		return nil, false
	}
	return json.RawMessage(`{"content":[]}`), true
}

// readResult reads the raw result of a call. An error is a KindOutput one: the
// tool did run, and what it answered can't be used.
func readResult(raw json.RawMessage) (toolcrib.Result, error) {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil || parts == nil {
		return toolcrib.Result{}, badResult("the result is not an object")
	}
	var kind string
	if t := parts["resultType"]; !absent(t) && (json.Unmarshal(t, &kind) != nil || kind != "complete") {
		return toolcrib.Result{}, badResult(fmt.Sprintf("the result is of type %s, which is unknown here", clip(string(t), 60)))
	}
	var out toolcrib.Result
	content, err := readContent(parts["content"])
	if err != nil {
		return toolcrib.Result{}, err
	}
	out.Content = content
	if d := parts["structuredContent"]; !absent(d) {
		out.Details = d
	} else if d := parts["toolResult"]; !absent(d) && len(content) == 0 {
		out.Details = d // the form of the first drafts of the protocol
	}
	if e := parts["isError"]; !absent(e) && json.Unmarshal(e, &out.IsError) != nil {
		return toolcrib.Result{}, badResult("isError is not a boolean")
	}
	return out, nil
}

// readContent reads the blocks; each is kept whole.
func readContent(raw json.RawMessage) ([]toolcrib.Content, error) {
	if absent(raw) {
		return nil, nil
	}
	switch raw[0] {
	case '"':
		var text string
		_ = json.Unmarshal(raw, &text) // it was parsed before
		return []toolcrib.Content{toolcrib.Text(text)}, nil
	case '{':
		raw = append(append(json.RawMessage("["), raw...), ']')
	case '[':
	default:
		return nil, badResult("content is not an array")
	}
	var blocks []json.RawMessage
	if err := json.Unmarshal(raw, &blocks); err != nil {
		return nil, badResult("content is not an array")
	}
	out := make([]toolcrib.Content, len(blocks))
	for i, b := range blocks {
		if !isObject(b) || json.Unmarshal(b, &out[i]) != nil || out[i].Type == "" {
			return nil, badResult(fmt.Sprintf("block %d of its content is not an object with a type", i+1))
		}
	}
	return out, nil
}

// badResult says that a tool ran and answered in a form that can't be used.
func badResult(what string) *toolcrib.Error {
	return toolcrib.NewError(toolcrib.KindOutput, "the tool did run, but "+what, "don't repeat the call: its effect has happened")
}
