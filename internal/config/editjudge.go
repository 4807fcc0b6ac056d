package config

import (
	"strings"

	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// judgement is what Load would say of a text.
type judgement struct {
	*problems
	root *value
	hide *redactor
}

// judge reads a text as Load does. With layers, environment and flags lie over
// it. The error is that of a text that doesn't parse. name is what errors call the
// file; path is where relative paths start.
func (o Options) judge(name, path string, text []byte, layers bool) (*judgement, error) {
	l := &loader{opts: o, path: path, problems: &problems{}}
	l.root = newObject(Origin{Layer: LayerDefault})
	if text != nil {
		if err := l.parse(text, Origin{Layer: LayerFile, Name: name}); err != nil {
			return nil, err
		}
	}
	if layers {
		over := overlay{root: l.root, problems: l.problems}
		over.environment(o)
		over.flags(o.Flags, o.FlagNames)
	}
	l.check()
	j := &judgement{problems: l.problems, root: l.root, hide: newRedactor(secretsOf(l.root))}
	if len(l.errs) == 0 {
		l.settle()
	}
	return j, nil
}

// refusal is what is wrong with an edited file. Variables that it asked for
// before the edit, and that are not set, are passed over when that is all.
func (j *judgement) refusal(was *judgement) error {
	known := map[string]bool{}
	for _, f := range was.errs {
		known[f.Key+"\x00"+f.Message] = true
	}
	for _, f := range j.errs {
		if !f.unset || !known[f.Key+"\x00"+f.Message] {
			return j.err(j.hide.Replace)
		}
	}
	return nil
}

// news are the warnings that were not there before the edit, and the errors that
// refusal passed over.
func (j *judgement) news(was *judgement, path string) []Warning {
	known := map[string]bool{}
	for _, w := range was.warned(was.hide.Replace) {
		known[w.Key+"\x00"+w.Message] = true
	}
	var out []Warning
	for _, f := range j.errs {
		out = append(out, f.Warning)
	}
	for _, w := range j.warned(j.hide.Replace) {
		if !known[w.Key+"\x00"+w.Message] {
			out = append(out, w)
		}
	}
	for i := range out {
		if out[i].Origin.Layer == LayerFile {
			out[i].Origin.Name = path
		}
	}
	return out
}

// node turns a value back into a tree that can be written.
func (v *value) node() *json5.Node {
	n := &json5.Node{Kind: v.kind, Bool: v.bool, Number: v.num, Text: v.text}
	for _, item := range v.items {
		n.Items = append(n.Items, item.node())
	}
	for _, f := range v.fields {
		n.Members = append(n.Members, json5.Member{Key: f.key, Value: f.val.node()})
	}
	return n
}

// source is v as JSON5 on one line.
func (v *value) source() []byte { return json5.Format(v.node(), json5.Layout{BareKeys: true}, "") }

// isReference reports whether a text is one ${…} without a default, which shows
// where a secret is and not what it is.
func isReference(text string) bool {
	inner, ok := strings.CutPrefix(text, "${")
	inner, closed := strings.CutSuffix(inner, "}")
	return ok && closed && !strings.ContainsAny(inner, "{}") && !strings.Contains(inner, ":-")
}
