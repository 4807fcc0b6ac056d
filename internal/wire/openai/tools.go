package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/rawjson"
)

func (r *request) readTools() error {
	list := r.all.Get("tools")
	if !rawjson.IsNull(list.In(r.body)) {
		if !list.Is(r.body, '[') {
			return refused("tools: there must be a list of tools")
		}
		for i := range list.Kids {
			t, err := r.readTool(&list.Kids[i])
			if err != nil {
				return refused(fmt.Sprintf("tools[%d]: %v", i, err))
			}
			r.offered = append(r.offered, t)
			if t.IsFunction() {
				r.info.Tools = append(r.info.Tools, t)
			} else {
				r.info.Others = append(r.info.Others, t)
			}
		}
	}
	return r.readChoice()
}

// readTool reads a definition. What it is about stands in a member that is
// named as its type; a type that isn't known has perhaps a name.
func (r *request) readTool(n *rawjson.Node) (model.Tool, error) {
	if !n.Is(r.body, '{') {
		return model.Tool{}, errors.New("it is no object")
	}
	t := model.Tool{Raw: n.In(r.body), Kind: n.Get("type").String(r.body)}
	if t.Kind == "" && n.Get(model.Function) != nil {
		t.Kind = model.Function
	}
	if t.Kind == "" {
		return t, errors.New("it has no type")
	}
	body := n.Get(t.Kind)
	if t.Kind == model.Function && !body.Is(r.body, '{') {
		return t, errors.New("it has no function")
	}
	t.Name = body.Get("name").String(r.body)
	t.Description = body.Get("description").String(r.body)
	if p := body.Get("parameters").In(r.body); !rawjson.IsNull(p) {
		t.Parameters = p
	}
	if t.Name == "" && t.Kind == model.Function {
		return t, errors.New("the function has no name")
	}
	return t, nil
}

// readChoice reads tool_choice: a word, one tool, or some.
func (r *request) readChoice() error {
	raw := r.top.Get("tool_choice")
	members, err := rawjson.Members(raw)
	if err != nil {
		return nil // a word, or nothing
	}
	var kind string
	for _, m := range members {
		if m.Key == "type" {
			kind, _ = rawjson.String(raw[m.From:m.To])
		}
	}
	switch kind {
	case model.Function:
		r.info.Choice, _ = rawjson.String(rawjson.Find(rawjson.Find(raw, model.Function), "name"))
		if r.info.Choice == "" {
			return refused("tool_choice: the function has no name")
		}
	case "allowed_tools":
		list := rawjson.Find(rawjson.Find(raw, kind), "tools")
		spans, err := rawjson.Elements(list)
		if err != nil {
			return refused("tool_choice: allowed_tools has no list of tools")
		}
		r.info.Allowed = []string{}
		for _, s := range spans {
			if name, ok := rawjson.String(rawjson.Find(rawjson.Find(list[s.From:s.To], model.Function), "name")); ok {
				r.info.Allowed = append(r.info.Allowed, name)
			}
		}
	}
	return nil
}

// choice is the tool_choice for the tools that are offered; nil to leave it as it is.
func (r *request) choice(w model.Rewrite) []byte {
	raw := r.top.Get("tool_choice")
	switch {
	case raw == nil:
		return nil
	case r.info.Allowed != nil:
		mode := rawjson.Find(rawjson.Find(raw, "allowed_tools"), "mode")
		if w.Free {
			mode = nil
		}
		hidden := slices.ContainsFunc(r.info.Allowed, func(name string) bool { return !offers(w.Tools, name) })
		if !hidden && !w.Free {
			return nil
		}
		if mode == nil {
			return []byte(`"auto"`)
		}
		return mode
	case w.Free && (r.info.Choice != "" || string(raw) == `"required"`):
		return []byte(`"auto"`)
	}
	return nil
}

func offers(tools []model.Tool, name string) bool {
	return slices.ContainsFunc(tools, func(t model.Tool) bool { return t.IsFunction() && t.Name == name })
}

// setTools writes the tools that are offered, and what depends on them, and
// returns the size of the list. A list that is the caller's stays as it is.
func (r *request) setTools(o *rawjson.Object, tools []model.Tool) int {
	if len(tools) == 0 {
		if len(r.offered) > 0 {
			o.Delete("tools")
			o.Delete("tool_choice")
			o.Delete("parallel_tool_calls")
		}
		return 0
	}
	if r.same(tools) {
		return len(o.Get("tools"))
	}
	written := make([][]byte, 0, len(tools))
	for _, t := range tools {
		written = append(written, writeTool(t))
	}
	list := rawjson.List(written)
	o.Set("tools", list)
	return len(list)
}

// same reports whether tools are those of the caller, in their order.
func (r *request) same(tools []model.Tool) bool {
	return slices.EqualFunc(r.offered, tools, func(a, b model.Tool) bool { return string(a.Raw) == string(b.Raw) })
}

// emptySchema is that of a tool without parameters.
var emptySchema = json.RawMessage(`{"type":"object","properties":{}}`)

func writeTool(t model.Tool) []byte {
	if t.Raw != nil {
		return t.Raw
	}
	if t.Parameters == nil {
		t.Parameters = emptySchema
	}
	return slices.Concat([]byte(`{"type":"function","function":{"name":`), rawjson.Quote(t.Name), []byte(`,"description":`),
		rawjson.Quote(t.Description), []byte(`,"parameters":`), t.Parameters, []byte(`}}`))
}
