package gofunc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolcrib/toolcrib"
)

// Handler runs one call. It must be safe for concurrent use unless the tool is
// sequential, and should return soon after ctx is done.
//
// A failure of the tool's own is a Result with IsError set. A *toolcrib.Error
// is passed on as it is; any other error becomes one of KindTool whose message
// holds the error's text, so that text must be fit to be shown.
type Handler func(ctx context.Context, call toolcrib.Call) (toolcrib.Result, error)

// Tool is a description and the function behind it.
type Tool struct {
	// Tool describes it. ID is filled in. Source is core or plugin (plugin when
	// empty); an empty Owner becomes the source's default one.
	toolcrib.Tool
	// Handler is required.
	Handler Handler

	fault error // found while the tool was being built; reported by New and Add
}

// check returns the tool with its id, or what is wrong with it.
func (t Tool) check(defaultOwner string) (Tool, error) {
	if t.Source == "" {
		t.Source = toolcrib.SourcePlugin
	}
	if t.Owner == "" {
		t.Owner = defaultOwner
	}
	t.ID = toolcrib.MakeID(t.Source, t.Owner, t.Name)
	if problem := t.problem(); problem != "" {
		return t, toolcrib.NewError(toolcrib.KindConfig, fmt.Sprintf("tool %q can't be offered: %s", t.ID, problem), "").WithCause(t.fault)
	}
	return t, nil
}

func (t *Tool) problem() string {
	switch {
	case t.fault != nil:
		return t.fault.Error()
	case t.Source != toolcrib.SourceCore && t.Source != toolcrib.SourcePlugin:
		return fmt.Sprintf("a Go function has the source core or plugin, not %q", t.Source)
	case !toolcrib.ValidOwner(t.Owner):
		return fmt.Sprintf("%q can't be an owner: want a letter or digit, then at most 63 letters, digits, \"_\", \".\" or \"-\"", t.Owner)
	case t.Name == "":
		return "it has no name"
	case t.Handler == nil:
		return "it has no handler"
	case !isObject(t.Parameters):
		return "its input schema is not a JSON object"
	case !isObject(t.OutputSchema):
		return "its output schema is not a JSON object"
	case t.Meta != nil && !isObject(t.Meta):
		return "its _meta is not a JSON object"
	}
	return ""
}

// isObject reports whether raw is absent or a JSON object.
func isObject(raw json.RawMessage) bool {
	if raw == nil {
		return true
	}
	return bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{")) && json.Valid(raw)
}
