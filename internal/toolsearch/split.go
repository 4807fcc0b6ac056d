package toolsearch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
)

// Names of the controls that stand in place of CallControl where calls are split by
// what they may do.
const (
	CallReadControl        = "tool_call_read"
	CallWriteControl       = "tool_call_write"
	CallDestructiveControl = "tool_call_destructive"
)

// splitNames are those controls. No tool is ever shown under one of these names: in
// a client's rules they stand for what the controls promise.
var splitNames = []string{CallReadControl, CallWriteControl, CallDestructiveControl}

// writing says of a control that it changes things, and runs nothing that is said
// to destroy.
var writing = toolcrib.Annotations{ReadOnly: &no, Destructive: &no, OpenWorld: &yes}

// readingAnything says of a control that it only reads, here or elsewhere.
var readingAnything = toolcrib.Annotations{ReadOnly: &yes, OpenWorld: &yes}

// split puts the three controls in the place of the one that runs all.
func split(all []control) []control {
	i := slices.IndexFunc(all, func(c control) bool { return c.name == CallControl })
	one := all[i]
	of := func(name, what string, hints toolcrib.Annotations) control {
		c := one
		c.name, c.annotations = name, hints
		c.description = "Run " + what + "."
		if name != CallReadControl { // said once
			c.fields = slices.Clone(one.fields)
			c.fields[1].doc = ""
		}
		return c
	}
	return slices.Concat(all[:i], []control{
		of(CallReadControl, "a tool that only reads; hits name the control in \"call\". Answers {tool, result}", readingAnything),
		of(CallWriteControl, "a tool that changes things, or doesn't say", writing),
		of(CallDestructiveControl, "a tool that may destroy things", anything),
	}, all[i+1:])
}

// isCall reports whether a name is that of a control that runs tools.
func isCall(name string) bool { return name == CallControl || slices.Contains(splitNames, name) }

// callControl names the control that runs a tool. Split, a tool of which nobody who
// is believed says anything counts as one that writes.
func (s *Surface) callControl(t *toolcrib.Tool) string {
	if !s.opt.Split {
		return CallControl
	}
	switch t.Effect() {
	case toolcrib.EffectRead:
		return CallReadControl
	case toolcrib.EffectDestructive:
		return CallDestructiveControl
	}
	return CallWriteControl
}

// misdirected refuses a call through a control that is not for the tool, which it
// returns. A ref that means no tool is left to the Caller, who knows why.
func (s *Surface) misdirected(control, ref string) (*toolcrib.Tool, error) {
	t, err := s.opt.Catalog.Resolve(ref)
	known := err == nil
	if !known || s.callControl(t) == control {
		return nil, nil
	}
	return t, toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("%s doesn't run %s, which %s; it did not run", control, clipText(safe(t.ID), maxTarget), does(t)),
		"call "+s.callControl(t)+" with the same input")
}

// does says what a tool may do, in the words of the controls.
func does(t *toolcrib.Tool) string {
	switch t.Effect() {
	case toolcrib.EffectRead:
		return "only reads"
	case toolcrib.EffectDestructive:
		return "may destroy things"
	case toolcrib.EffectWrite:
		return "changes things"
	}
	return "may change things, for all that is known"
}

// callWords are the controls that run tools, for a sentence.
func (s *Surface) callWords() string {
	if !s.opt.Split {
		return CallControl
	}
	return strings.Join(splitNames[:2], ", ") + " or " + splitNames[2]
}
