package modelmock

import (
	"encoding/json"
	"fmt"
)

var chatDialect = dialect{read: readChat, whole: wholeChat, stream: streamChat}

// chatRequest is what is read of a request to /v1/chat/completions.
type chatRequest struct {
	Model         string
	Stream        bool
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Messages []struct {
		Role       string
		Content    content
		ToolCallID string `json:"tool_call_id"`
	}
	Tools []struct {
		Type     string
		Function struct {
			Name, Description string
			Parameters        json.RawMessage
		}
	}
}

func readChat(body []byte) (Prompt, error) {
	var r chatRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return Prompt{}, fmt.Errorf("chat completions: %w", err)
	}
	p := Prompt{Protocol: Chat, Model: r.Model, Stream: r.Stream, Usage: r.StreamOptions.IncludeUsage}
	for _, t := range r.Tools {
		tool := Tool{Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Parameters}
		if tool.Name == "" {
			tool.Name = t.Type
		}
		p.Tools = append(p.Tools, tool)
	}
	for _, m := range r.Messages {
		switch m.Role {
		case "system", "developer":
			p.System = paragraphs(p.System, string(m.Content))
		case "user":
			p.User = append(p.User, string(m.Content))
		case "tool":
			p.Results = append(p.Results, Result{ID: m.ToolCallID, Text: string(m.Content)})
		}
	}
	return p, nil
}

func chatReason(turn Turn) string {
	if len(turn.Calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}

var chatUsage = object{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}

func wholeChat(p Prompt, turn Turn) any {
	message := object{"role": "assistant", "content": turn.Text}
	if len(turn.Calls) > 0 {
		calls := make([]object, 0, len(turn.Calls))
		for _, c := range turn.Calls {
			calls = append(calls, object{
				"id": c.id, "type": "function",
				"function": object{"name": c.offer.Name, "arguments": string(c.Args)},
			})
		}
		message["tool_calls"] = calls
	}
	return object{
		"id": "chatcmpl_1", "object": "chat.completion", "created": 1_700_000_000, "model": p.Model, "usage": chatUsage,
		"choices": []object{{"index": 0, "message": message, "finish_reason": chatReason(turn)}},
	}
}

func streamChat(e *events, p Prompt, turn Turn) {
	chunk := func(choices []object, usage any) {
		e.data(object{
			"id": "chatcmpl_1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": p.Model,
			"choices": choices, "usage": usage,
		})
	}
	delta := func(d object) { chunk([]object{{"index": 0, "delta": d, "finish_reason": nil}}, nil) }
	delta(object{"role": "assistant", "content": ""})
	if turn.Text != "" {
		for _, piece := range pieces(turn.Text) {
			delta(object{"content": piece})
		}
	}
	for i, c := range turn.Calls {
		call := func(more object) {
			more["index"] = i
			delta(object{"tool_calls": []object{more}})
		}
		call(object{"id": c.id, "type": "function", "function": object{"name": c.offer.Name, "arguments": ""}})
		for _, piece := range pieces(string(c.Args)) {
			call(object{"function": object{"arguments": piece}})
		}
	}
	chunk([]object{{"index": 0, "delta": object{}, "finish_reason": chatReason(turn)}}, nil)
	if p.Usage {
		chunk([]object{}, chatUsage)
	}
	e.end()
}
