package modelmock

import (
	"bytes"
	"encoding/json"
	"strings"
)

// at walks into objects and lists; what isn't there is nil.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			o, _ := v.(map[string]any)
			v = o[step]
		case int:
			l, _ := v.([]any)
			if step >= len(l) {
				return nil
			}
			v = l[step]
		}
	}
	return v
}

func word(v any, path ...any) string {
	s, _ := at(v, path...).(string)
	return s
}

func list(v any, path ...any) []any {
	l, _ := at(v, path...).([]any)
	return l
}

// compact is a value as JSON, as a model's arguments are.
func compact(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if v == nil || e.Encode(v) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

func saidMessages(answers []map[string]any) string {
	var out strings.Builder
	block := func(b any) {
		out.WriteString(word(b, "text"))
		if word(b, "type") == "tool_use" {
			out.WriteString(word(b, "name") + " " + word(b, "id") + " ")
		}
	}
	for _, a := range answers {
		switch a["type"] {
		case "message":
			for _, b := range list(a, "content") {
				block(b)
				out.WriteString(compact(at(b, "input")))
			}
		case "content_block_start":
			block(a["content_block"])
		case "content_block_delta":
			out.WriteString(word(a, "delta", "text") + word(a, "delta", "partial_json"))
		}
	}
	return out.String()
}

func saidResponses(answers []map[string]any) string {
	var out strings.Builder
	last := answers[len(answers)-1]
	if len(answers) == 1 {
		for _, item := range list(last, "output") {
			if word(item, "type") == "function_call" {
				out.WriteString(word(item, "name") + " " + word(item, "call_id") + " " + word(item, "arguments"))
			}
			out.WriteString(word(item, "content", 0, "text"))
		}
		return out.String()
	}
	for i, a := range answers {
		if a["sequence_number"] != float64(i) {
			return "an event out of order"
		}
		if a["type"] == "response.output_item.added" && word(a, "item", "type") == "function_call" {
			out.WriteString(word(a, "item", "name") + " " + word(a, "item", "call_id") + " ")
		}
		out.WriteString(word(a, "delta"))
	}
	if whole := saidResponses([]map[string]any{last["response"].(map[string]any)}); whole != out.String() {
		return "at the end: " + whole
	}
	return out.String()
}

func saidChat(answers []map[string]any) string {
	var out strings.Builder
	for _, a := range answers {
		for _, key := range []string{"message", "delta"} {
			m := at(a, "choices", 0, key)
			out.WriteString(word(m, "content"))
			for _, c := range list(m, "tool_calls") {
				if name := word(c, "function", "name"); name != "" {
					out.WriteString(name + " " + word(c, "id") + " ")
				}
				out.WriteString(word(c, "function", "arguments"))
			}
		}
	}
	return out.String()
}

func saidGemini(answers []map[string]any) string {
	var out strings.Builder
	for _, a := range answers {
		for _, part := range list(a, "candidates", 0, "content", "parts") {
			out.WriteString(word(part, "text"))
			if call := at(part, "functionCall"); call != nil {
				out.WriteString(word(call, "name") + " " + word(call, "id") + " " + compact(at(call, "args")))
			}
		}
	}
	return out.String()
}
