package toolsearch

import (
	"bytes"
	"encoding/json"

	"github.com/toolcrib/toolcrib"
)

// waitField is a property that Gemini CLI adds to the schema of every tool and
// hands on with the call: whether the call waits for those before it in the
// same turn. The client has obeyed it by then.
const waitField = "wait_for_previous"

// forgetClientFields takes out what the client asked the model for its own use,
// from the arguments and from beside them.
func (s *Surface) forgetClientFields(ref string, in *input) {
	args := in.values["args"]
	if in.beside[waitField] == nil && !bytes.Contains(args, []byte(waitField)) {
		return
	}
	t, err := s.opt.Catalog.Resolve(ref)
	if err != nil || hasProperty(t, waitField) {
		return
	}
	delete(in.beside, waitField)
	if args != nil {
		in.values["args"] = withoutClientFields(t, args)
	}
}

// withoutClientFields is the arguments of a call without what the client asked
// the model for its own use, unless the tool has a parameter of that name.
// Arguments without it, and those that are no object, stay as they are.
func withoutClientFields(t *toolcrib.Tool, args json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if !bytes.Contains(args, []byte(waitField)) || json.Unmarshal(args, &object) != nil ||
		object[waitField] == nil || hasProperty(t, waitField) {
		return args
	}
	delete(object, waitField)
	rest, err := json.Marshal(object)
	if err != nil {
		return args
	}
	return rest
}

// hasProperty reports whether a tool's schema has a property at its top.
func hasProperty(t *toolcrib.Tool, name string) bool {
	var shape struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	return json.Unmarshal(t.Parameters, &shape) == nil && shape.Properties[name] != nil
}
