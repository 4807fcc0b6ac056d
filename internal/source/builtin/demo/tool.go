package demo

import (
	"encoding/json"

	"github.com/toolcrib/toolcrib"
)

// effect is what a tool does to the service's state; its annotations follow from it.
type effect struct{ readOnly, destructive, idempotent bool }

var (
	reads    = effect{readOnly: true, idempotent: true}
	adds     = effect{}                                     // only adds, or can be undone
	puts     = effect{idempotent: true}                     // sets what can be set back
	destroys = effect{destructive: true, idempotent: true}  // what was there is gone
	consumes = effect{destructive: true, idempotent: false} // gone, and more each time
)

// tool is one line of a service's table of tools.
type tool struct {
	name, about string
	example     string // arguments that work on fresh seed data
	in          []field
	least       int // fewest arguments, where more than the required ones are wanted
	out         any // a schema; nil when the tool promises no shape
	effect      effect
	catalog     toolcrib.CatalogMode
	execution   toolcrib.ExecutionMode
	run         func(*call) (any, error)
}

// do is a tool with a function of its own.
func do(e effect, name, about, example string, in []field, out any, run func(*call) (any, error)) tool {
	return tool{name: name, about: about, example: example, in: in, out: out, effect: e, run: run}
}

// alone makes calls of the tool run one at a time.
func (t tool) alone() tool { t.execution = toolcrib.ExecutionSequential; return t }

// direct keeps the tool out of the catalog, in the model's view.
func (t tool) direct() tool { t.catalog = toolcrib.CatalogDirectOnly; return t }

func (t tool) describe(owner string) toolcrib.Tool {
	in := arguments(t.in)
	if t.least > 0 {
		in["minProperties"] = t.least
	}
	label := title(t.name)
	return toolcrib.Tool{
		Source: toolcrib.SourcePlugin, Owner: owner, Name: t.name,
		Label: label, Description: t.about,
		Parameters: encode(in), OutputSchema: encode(t.out),
		Annotations: toolcrib.Annotations{
			Title: label, ReadOnly: &t.effect.readOnly, Destructive: &t.effect.destructive,
			Idempotent: &t.effect.idempotent, OpenWorld: new(false),
		},
		CatalogMode: t.catalog, ExecutionMode: t.execution, Trusted: true,
	}
}

func encode(s any) json.RawMessage {
	if s == nil {
		return nil
	}
	if raw, done := s.(json.RawMessage); done {
		return raw
	}
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // a schema of this package that is no JSON
	}
	return raw
}
