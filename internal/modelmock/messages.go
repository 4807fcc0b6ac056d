package modelmock

import (
	"encoding/json"
	"fmt"
)

var messagesDialect = dialect{read: readMessages, whole: wholeMessage, stream: streamMessage}

// messagesRequest is what is read of a request to /v1/messages.
type messagesRequest struct {
	Model    string
	Stream   bool
	System   content
	Messages []struct {
		Role    string
		Content messageBlocks
	}
	Tools []struct {
		Type, Name, Description string
		InputSchema             json.RawMessage `json:"input_schema"`
		DeferLoading            bool            `json:"defer_loading"`
	}
}

// messageBlocks are the blocks of a message; a string is one block of text.
type messageBlocks []messageBlock

type messageBlock struct {
	Type      string
	Text      string
	ToolUseID string `json:"tool_use_id"`
	Content   content
	IsError   bool `json:"is_error"`
}

func (b *messageBlocks) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*b = messageBlocks{{Type: "text", Text: text}}
		return nil
	}
	return json.Unmarshal(data, (*[]messageBlock)(b))
}

func readMessages(body []byte) (Prompt, error) {
	var r messagesRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return Prompt{}, fmt.Errorf("messages: %w", err)
	}
	p := Prompt{Protocol: Messages, Model: r.Model, Stream: r.Stream, System: string(r.System)}
	for _, t := range r.Tools {
		p.Tools = append(p.Tools, Tool{Name: t.Name, Description: t.Description, Schema: t.InputSchema, Deferred: t.DeferLoading})
	}
	for _, m := range r.Messages {
		for _, b := range m.Content {
			switch {
			case b.Type == "tool_result":
				p.Results = append(p.Results, Result{ID: b.ToolUseID, Text: string(b.Content), IsError: b.IsError})
			case b.Type == "text" && m.Role == "user":
				p.User = append(p.User, b.Text)
			case b.Type == "text" && m.Role == "system":
				p.System = paragraphs(p.System, b.Text)
			}
		}
	}
	return p, nil
}

// countTokens takes four bytes for a token.
func countTokens(body []byte) any { return object{"input_tokens": len(body)/4 + 1} }

func messageHead(p Prompt) object {
	return object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": p.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": 100, "output_tokens": 1},
	}
}

func stopReason(turn Turn) string {
	if len(turn.Calls) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func wholeMessage(p Prompt, turn Turn) any {
	blocks := []object{}
	if turn.Text != "" {
		blocks = append(blocks, object{"type": "text", "text": turn.Text})
	}
	for _, c := range turn.Calls {
		blocks = append(blocks, object{"type": "tool_use", "id": c.id, "name": c.offer.Name, "input": c.Args})
	}
	m := messageHead(p)
	m["content"], m["stop_reason"] = blocks, stopReason(turn)
	return m
}

func streamMessage(e *events, p Prompt, turn Turn) {
	e.named("message_start", object{"message": messageHead(p)})
	index := 0
	block := func(start object, deltas ...object) {
		e.named("content_block_start", object{"index": index, "content_block": start})
		e.named("ping", object{})
		for _, d := range deltas {
			e.named("content_block_delta", object{"index": index, "delta": d})
		}
		e.named("content_block_stop", object{"index": index})
		index++
	}
	if turn.Text != "" {
		var deltas []object
		for _, piece := range pieces(turn.Text) {
			deltas = append(deltas, object{"type": "text_delta", "text": piece})
		}
		block(object{"type": "text", "text": ""}, deltas...)
	}
	for _, c := range turn.Calls {
		var deltas []object
		for _, piece := range pieces(string(c.Args)) {
			deltas = append(deltas, object{"type": "input_json_delta", "partial_json": piece})
		}
		block(object{"type": "tool_use", "id": c.id, "name": c.offer.Name, "input": object{}}, deltas...)
	}
	e.named("message_delta", object{
		"delta": object{"stop_reason": stopReason(turn), "stop_sequence": nil},
		"usage": object{"input_tokens": 100, "output_tokens": 10},
	})
	e.named("message_stop", object{})
}
