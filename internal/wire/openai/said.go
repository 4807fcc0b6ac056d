package openai

import (
	"encoding/json"
	"slices"

	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/rawjson"
)

// readSaid reads the message of the model. Calls without an id, or with one
// that another has, get one.
func readSaid(message []byte) (model.Said, error) {
	s := model.Said{Raw: message, Text: text(rawjson.Find(message, "content"))}
	list := rawjson.Find(message, "tool_calls")
	if rawjson.IsNull(list) {
		return s, nil
	}
	spans, err := rawjson.Elements(list)
	if err != nil {
		return s, err
	}
	var edits []rawjson.Edit
	seen := map[string]bool{}
	for _, span := range spans {
		raw := list[span.From:span.To]
		c := readCall(raw)
		if c.ID == "" || seen[c.ID] {
			c.ID = model.NewID()
			named := with(raw, "id", rawjson.Quote(c.ID))
			edits = append(edits, rawjson.Edit{From: span.From, To: span.To, With: named})
			if c.Raw != nil {
				c.Raw = named
			}
		}
		seen[c.ID] = true
		s.Calls = append(s.Calls, c)
	}
	if len(edits) > 0 {
		s.Raw = with(message, "tool_calls", rawjson.Splice(list, edits...))
	}
	return s, nil
}

func readCall(raw []byte) model.Call {
	c := model.Call{Raw: slices.Clone(raw)}
	members, err := rawjson.Members(raw)
	if err != nil {
		return c
	}
	for _, m := range members {
		value := raw[m.From:m.To]
		switch m.Key {
		case "id":
			c.ID, _ = rawjson.String(value)
		case "type":
			c.Kind, _ = rawjson.String(value)
		case model.Function:
			c.Name, _ = rawjson.String(rawjson.Find(value, "name"))
			args := rawjson.Find(value, "arguments")
			var isText bool
			if c.Args, isText = rawjson.String(args); !isText && !rawjson.IsNull(args) {
				c.Args, c.Raw = string(args), nil // some providers send the object itself
			}
		case "custom":
			c.Name, _ = rawjson.String(rawjson.Find(value, "name"))
			c.Args, _ = rawjson.String(rawjson.Find(value, "input"))
		}
	}
	return c
}

// with is an object in which one member is another.
func with(text []byte, key string, value []byte) []byte {
	o, err := rawjson.Open(text)
	if err != nil {
		return text
	}
	o.Set(key, value)
	return o.Bytes()
}

// readUsage reads what a provider says of its usage; nil for nothing.
func readUsage(raw []byte) *model.Usage {
	if rawjson.IsNull(raw) {
		return nil
	}
	var u struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
		Details    struct {
			Cached int64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	}
	if json.Unmarshal(raw, &u) != nil {
		return nil
	}
	return &model.Usage{Input: max(0, u.Prompt), Output: max(0, u.Completion), Cached: max(0, u.Details.Cached), Raw: slices.Clone(raw)}
}

// cut reports whether a reason means that the model had not finished.
func cut(reason string) bool { return reason == "length" || reason == "content_filter" }
