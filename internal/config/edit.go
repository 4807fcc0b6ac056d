package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// Edited is a changed configuration file that has not been written yet.
type Edited struct {
	// Path is the file as it was named, absolute. A link stays a link.
	Path string
	// Before is nil when there is no file yet.
	Before, After []byte
	// Warnings are those that the edit brings with it.
	Warnings []Warning
	// Changes are the keys that were asked for, without secrets.
	Changes []Change
	// Overridden says which variable or flag stands over what was set; its Layer
	// is empty when none does.
	Overridden Origin

	hide *redactor
}

// Change is what happens to one key. Old and New are JSON5 on one line with
// secrets hidden, and empty where the key is not set.
type Change struct {
	Path, Old, New string
}

// Changed reports whether the file becomes another.
func (e *Edited) Changed() bool { return e.Before == nil || !bytes.Equal(e.Before, e.After) }

// EditSet sets the key at path, which is read as those of flags are, to value:
// JSON5, or a bare text where the key takes one. The item behind the last of a
// list is added. Only the file counts and changes; neither environment nor flags
// enter it.
//
// The whole file must be valid after the edit: the error joins what would be
// wrong, each a *toolcrib.Error of kind KindConfig that says where. A variable
// that the file asked for before, and that is not set here, is but warned of. A path that
// can't be is KindNotFound or KindInput. Nothing of an error holds a secret.
func EditSet(o Options, path, value string) (*Edited, error) {
	f, err := openFile(o)
	if err != nil {
		return nil, err
	}
	t, err := f.resolve(path, true)
	if err != nil {
		return nil, err
	}
	if err := f.serverOf(t); err != nil {
		return nil, err
	}
	at := Origin{Layer: LayerFile, Name: t.path + " = …"}
	p := &problems{}
	v := readSetting(value, t.spec, at, p)
	if len(p.errs) > 0 {
		return nil, p.err(func(string) string { return "the value does not parse" })
	}
	steps, source, err := t.source(f.text, v, value)
	if err != nil {
		return nil, err
	}
	return f.edited([]target{t}, func(text []byte) ([]byte, error) {
		return json5.Set(text, steps, source, f.style())
	})
}

// serverOf refuses to set a key of a server that isn't there, unless that is the
// one which makes it a server.
func (f *file) serverOf(t target) error {
	keys, err := splitPath(t.path)
	if err != nil || len(keys) < 4 || keys[0] != "mcp" || keys[1] != "servers" || keys[3] == "command" || keys[3] == "url" {
		return nil
	}
	var names []string
	list, err := FileServers(f.opts)
	if err != nil {
		return nil // what is wrong with the file is said elsewhere
	}
	for _, s := range list {
		if s.Name == keys[2] || s.Name == CleanName(keys[2], nil) {
			return nil
		}
		names = append(names, s.Name)
	}
	hint := "add it first: toolcrib config set " + joinPath("mcp.servers", keys[2]) + " '{command: \"PROGRAM\"}'"
	if near := Nearest(keys[2], names); near != "" {
		hint = "did you mean " + near + "?"
	} else if len(names) > 0 {
		hint = "there are: " + strings.Join(names, ", ") + "; or " + hint
	}
	return toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("there is no server %q in %s", keys[2], f.path), hint)
}

// EditUnset takes the key or item at path out of the file. What isn't there is
// KindNotFound; else the errors are those of EditSet.
func EditUnset(o Options, path string) (*Edited, error) {
	f, err := openFile(o)
	if err != nil {
		return nil, err
	}
	t, err := f.resolve(path, false)
	if err != nil {
		return nil, err
	}
	return f.edited([]target{t}, func(text []byte) ([]byte, error) { return json5.Unset(text, t.steps) })
}

// EditServers adds servers in one edit, to the block mcpServers where the file has
// one. A name that is there already is KindInput; else the errors are those of EditSet.
func EditServers(o Options, add []ServerEntry) (*Edited, error) {
	f, err := openFile(o)
	if err != nil {
		return nil, err
	}
	var targets []target
	for _, entry := range add {
		t, err := f.resolve(joinPath("mcp.servers", entry.Name), true)
		if err != nil {
			return nil, err
		}
		if t.value != nil || slices.ContainsFunc(targets, func(other target) bool { return other.path == t.path }) {
			return nil, toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("there is a server %q already", entry.Name), "give it another name")
		}
		targets = append(targets, t)
	}
	return f.edited(targets, func(text []byte) ([]byte, error) {
		for i, t := range targets {
			if text, err = json5.Set(text, t.steps, add[i].Source(), f.style()); err != nil {
				return nil, err
			}
		}
		return text, nil
	})
}

// file is the configuration file that is edited.
type file struct {
	opts Options
	path string
	text []byte // nil when there is none
	root *value // as written: nothing adopted, nothing expanded
	was  *judgement
}

// openFile reads the file that ConfigPath names. It need not be there.
func openFile(o Options) (*file, error) {
	path, _, err := ConfigPath(o)
	if err != nil {
		return nil, err
	}
	f := &file{opts: o, path: absolutePath(path)}
	f.text, err = o.readFile(path, false)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.text = nil
	case err != nil:
		return nil, err
	case f.text == nil:
		f.text = []byte{}
	}
	if f.was, err = o.judge(f.path, f.path, f.text, false); err != nil {
		return nil, err
	}
	if f.root, err = f.tree(f.text); err != nil {
		return nil, err
	}
	return f, nil
}

// tree is text as a tree; a blank text is an empty object.
func (f *file) tree(text []byte) (*value, error) {
	if json5.Blank(text) {
		return newObject(Origin{Layer: LayerDefault}), nil
	}
	node, err := json5.Parse(text) // a key that stands twice is for judge to say
	if node == nil {
		return nil, configError(f.path+" does not parse", "see: toolcrib config validate", err)
	}
	if node.Kind != json5.Object {
		return nil, configError(fmt.Sprintf("%s holds %v in place of an object", f.path, node.Kind), "write {…}", nil)
	}
	return fromNode(node, func(p json5.Pos) Origin {
		return Origin{Layer: LayerFile, Name: f.path, Line: p.Line, Column: p.Column}
	}), nil
}

// style is how the file wants what is added: a .json file, and one that is plain
// JSON and says something, take plain JSON.
func (f *file) style() json5.Style {
	ext := strings.ToLower(filepath.Ext(f.path))
	text := bytes.TrimPrefix(f.text, []byte("\ufeff"))
	plain := len(f.root.fields) > 0 && json.Valid(text)
	return json5.Style{Strict: plain || ext == ".json" || ext == ".jsonc", Pretty: true}
}

// edited runs an edit and judges the outcome.
func (f *file) edited(targets []target, edit func([]byte) ([]byte, error)) (*Edited, error) {
	after, err := edit(f.text)
	if err != nil {
		return nil, toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("%s can't be changed like this: %v", f.path, err), "see: toolcrib config validate")
	}
	if len(after) > MaxFileBytes {
		return nil, configError(fmt.Sprintf("%s would be larger than %d MiB, and could not be read any more; nothing was written", f.path, MaxFileBytes>>20), "leave out what is so large", nil)
	}
	is, err := f.opts.judge(f.path+" (edited)", f.path, after, false)
	if err != nil {
		return nil, err
	}
	if err := is.refusal(f.was); err != nil {
		return nil, err
	}
	root, err := f.tree(after)
	if err != nil {
		return nil, err
	}
	e := &Edited{Path: f.path, Before: f.text, After: after, Warnings: is.news(f.was, f.path)}
	e.hide = newRedactor(slices.Concat(rawSecrets(f.root), rawSecrets(root), f.was.hide.secrets, is.hide.secrets))
	for _, t := range targets {
		e.Changes = append(e.Changes, t.change(f.root, root, e.hide))
	}
	if len(targets) == 1 {
		e.Overridden = f.overridden(after, targets[0])
	}
	return e, nil
}

// overridden finds the variable or flag that stands over a key or a part of it.
func (f *file) overridden(after []byte, t target) Origin {
	all, err := f.opts.judge(f.path, f.path, after, true)
	if err != nil {
		return Origin{}
	}
	c := &Config{state: &state{root: all.root}}
	v, _, _, err := c.find(t.path)
	if err != nil || v == nil {
		return Origin{}
	}
	return v.stronger()
}

// stronger is the first origin at or below v that stands over the file's.
func (v *value) stronger() Origin {
	if v.origin.Layer == LayerEnvironment || v.origin.Layer == LayerFlag {
		return v.origin
	}
	for _, item := range v.items {
		if at := item.stronger(); at.Layer != "" {
			return at
		}
	}
	for _, f := range v.fields {
		if at := f.val.stronger(); at.Layer != "" {
			return at
		}
	}
	return Origin{}
}
