package modelmock

import (
	"encoding/json"
	"fmt"
)

var responsesDialect = dialect{read: readResponses, whole: wholeResponse, stream: streamResponse}

// responsesRequest is what is read of a request to /v1/responses.
type responsesRequest struct {
	Model        string
	Stream       bool
	Instructions string
	Input        responseItems
	Tools        []responseTool
}

// responseTool is a function, a namespace of functions, or one of the kinds
// that the protocol defines.
type responseTool struct {
	Type, Name, Description string
	Parameters              json.RawMessage
	DeferLoading            bool `json:"defer_loading"`
	Tools                   []responseTool
}

// responseItems are the items of an input; a string is one message of the user.
type responseItems []responseItem

type responseItem struct {
	Type, Role string
	Content    content
	CallID     string `json:"call_id"`
	Output     content
	Tools      []responseTool // that came with a search, or beside the request's own
}

func (i *responseItems) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*i = responseItems{{Role: "user", Content: content(text)}}
		return nil
	}
	return json.Unmarshal(data, (*[]responseItem)(i))
}

func readResponses(body []byte) (Prompt, error) {
	var r responsesRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return Prompt{}, fmt.Errorf("responses: %w", err)
	}
	p := Prompt{Protocol: Responses, Model: r.Model, Stream: r.Stream, System: r.Instructions}
	for _, t := range r.Tools {
		p.Tools = append(p.Tools, t.flat()...)
	}
	for _, item := range r.Input {
		item.read(&p)
	}
	return p, nil
}

func (item responseItem) read(p *Prompt) {
	for _, t := range item.Tools {
		p.Tools = append(p.Tools, t.flat()...)
	}
	switch {
	case item.Type == "function_call_output" || item.Type == "custom_tool_call_output":
		p.Results = append(p.Results, Result{ID: item.CallID, Text: string(item.Output)})
	case item.Type == "tool_search_output":
		p.Results = append(p.Results, Result{ID: item.CallID})
	case item.Role == "system" || item.Role == "developer":
		p.System = paragraphs(p.System, string(item.Content))
	case item.Role == "user":
		p.User = append(p.User, string(item.Content))
	}
}

// flat is the tool, or an entry for the namespace, which carries its
// description, and the tools in it.
func (t responseTool) flat() []Tool {
	name := t.Name
	if name == "" {
		name = t.Type
	}
	all := []Tool{{Kind: t.Type, Name: name, Description: t.Description, Schema: t.Parameters, Deferred: t.DeferLoading}}
	for _, inner := range t.Tools {
		for _, tool := range inner.flat() {
			tool.Namespace = t.Name
			all = append(all, tool)
		}
	}
	return all
}

// outputItem is an item of the answer, begun and done.
type outputItem struct {
	id    string
	begun object
	done  object
	// stem begins the names of the events that stream its text, if it is
	// streamed; field is the text's key in the last of them.
	stem, field, text string
	part              bool // whether the text stands in a part of its own
}

func outputItems(turn Turn) []outputItem {
	var all []outputItem
	if turn.Text != "" {
		item := func(status string, content []object) object {
			return object{"id": "item_0", "type": "message", "role": "assistant", "status": status, "content": content}
		}
		all = append(all, outputItem{
			id: "item_0", stem: "response.output_text", field: "text", text: turn.Text, part: true,
			begun: item("in_progress", []object{}), done: item("completed", []object{textPart(turn.Text)}),
		})
	}
	for _, c := range turn.Calls {
		all = append(all, c.item())
	}
	return all
}

// item is the call in the words for its kind of tool. A custom tool takes text:
// its arguments are a JSON string.
func (c Call) item() outputItem {
	id := "item_" + c.id
	begin := func(kind, status string) object {
		o := object{"id": id, "type": kind, "status": status, "call_id": c.id, "name": c.offer.Name}
		if c.offer.Namespace != "" {
			o["namespace"] = c.offer.Namespace
		}
		return o
	}
	streamed := func(kind, stem, field, text string) outputItem {
		begun, done := begin(kind, "in_progress"), begin(kind, "completed")
		begun[field], done[field] = "", text
		return outputItem{id: id, stem: stem, field: field, text: text, begun: begun, done: done}
	}
	switch c.offer.Kind {
	case "custom":
		var text string
		if json.Unmarshal(c.Args, &text) != nil {
			text = string(c.Args)
		}
		return streamed("custom_tool_call", "response.custom_tool_call_input", "input", text)
	case "tool_search":
		done := object{
			"id": id, "type": "tool_search_call", "status": "completed", "execution": "client",
			"call_id": c.id, "arguments": c.Args,
		}
		return outputItem{id: id, begun: done, done: done}
	}
	return streamed("function_call", "response.function_call_arguments", "arguments", string(c.Args))
}

func textPart(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
}

func response(p Prompt, status string, items []outputItem) object {
	output := make([]object, 0, len(items))
	for _, item := range items {
		output = append(output, item.done)
	}
	r := object{
		"id": "resp_1", "object": "response", "created_at": 1_700_000_000, "model": p.Model, "status": status,
		"output": output, "parallel_tool_calls": true, "tool_choice": "auto", "tools": []any{},
		"error": nil, "incomplete_details": nil, "instructions": nil, "metadata": object{},
	}
	if status == "completed" {
		r["usage"] = object{
			"input_tokens": 100, "output_tokens": 10, "total_tokens": 110,
			"input_tokens_details": object{"cached_tokens": 0}, "output_tokens_details": object{"reasoning_tokens": 0},
		}
	}
	return r
}

func wholeResponse(p Prompt, turn Turn) any { return response(p, "completed", outputItems(turn)) }

func streamResponse(e *events, p Prompt, turn Turn) {
	items := outputItems(turn)
	e.numbered("response.created", object{"response": response(p, "in_progress", nil)})
	e.numbered("response.in_progress", object{"response": response(p, "in_progress", nil)})
	for i, item := range items {
		item.stream(e, i)
	}
	e.numbered("response.completed", object{"response": response(p, "completed", items)})
}

func (item outputItem) stream(e *events, index int) {
	at := func(more object) object {
		more["item_id"], more["output_index"] = item.id, index
		if item.part {
			more["content_index"] = 0
		}
		return more
	}
	e.numbered("response.output_item.added", object{"output_index": index, "item": item.begun})
	if item.part {
		e.numbered("response.content_part.added", at(object{"part": textPart("")}))
	}
	if item.stem != "" {
		for _, piece := range pieces(item.text) {
			e.numbered(item.stem+".delta", at(object{"delta": piece}))
		}
		e.numbered(item.stem+".done", at(object{item.field: item.text}))
	}
	if item.part {
		e.numbered("response.content_part.done", at(object{"part": textPart(item.text)}))
	}
	e.numbered("response.output_item.done", object{"output_index": index, "item": item.done})
}
