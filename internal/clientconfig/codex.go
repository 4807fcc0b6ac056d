package clientconfig

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/toolcrib/toolcrib"
)

// codex is the form of Codex: TOML with a table for each server.
type codex struct{}

// codexKey is the table that holds the servers.
const codexKey = "mcp_servers"

// tomlEdit is a text on its way, with the record of what was done to it.
type tomlEdit struct {
	file File
	text []byte
	undo Undo
}

func (c codex) connect(f File, text []byte, e Entry, takeOver []string) ([]byte, Undo, error) {
	if err := e.check(); err != nil {
		return nil, Undo{}, err
	}
	servers, err := c.read(f, text)
	if err != nil {
		return nil, Undo{}, err
	}
	names, err := toTakeOver(f, servers, takeOver)
	if err != nil {
		return nil, Undo{}, err
	}
	w := &tomlEdit{file: f, text: text}
	if err := w.enter(e, servers); err != nil {
		return nil, Undo{}, w.refuse(err, e)
	}
	for _, name := range names {
		if err := w.switchOff(name); err != nil {
			return nil, Undo{}, w.refuse(err, e)
		}
	}
	w.undo.Created = text == nil
	return w.text, w.undo.seal(text, w.text), nil
}

// refuse says that an edit can't be done, and what to add by hand.
func (w *tomlEdit) refuse(err error, e Entry) error {
	var whole *toolcrib.Error
	if errors.As(err, &whole) {
		return err
	}
	return toolcrib.NewError(toolcrib.KindConfig, w.file.Path+": "+err.Error(),
		fmt.Sprintf("nothing was changed; add it by hand: [%s.%s] with the lines command = %s and args = %s (and enabled = false in the tables of servers to switch off)",
			codexKey, tomlName(e.Name), tomlValue(e.Command), tomlValue(list(e.Args)))).WithCause(err)
}

// codexEntry are the members of toolcrib's table.
func codexEntry(e Entry) object {
	out := object{{"command", e.Command}, {"args", list(e.Args)}}
	if len(e.Env) > 0 {
		out = append(out, pair{"env", e.Env})
	}
	return out
}

// enter puts the entry into the file, in place of those that are toolcrib's already.
func (w *tomlEdit) enter(e Entry, servers []Server) error {
	old := ""
	var ours []Server
	for _, s := range servers {
		if s.Name == e.Name || IsToolcrib(s) {
			ours = append(ours, s)
		}
	}
	if slices.ContainsFunc(ours, e.same) {
		return nil
	}
	if len(servers) == 0 && !w.has(codexKey) {
		w.did(change{Do: didMake, Path: []string{codexKey}})
	}
	for _, s := range ours {
		source := w.source(s.Name)
		if s.Name == e.Name {
			old = source
		} else {
			w.did(change{Do: didRemove, Path: []string{codexKey, s.Name}, Old: source})
		}
		if err := w.remove(codexKey, s.Name); err != nil {
			return err
		}
	}
	w.did(change{Do: didEntry, Path: []string{codexKey, e.Name}, Old: old})
	return w.add(e.Name, codexEntry(e))
}

func (w *tomlEdit) did(c change) { w.undo.Changes = append(w.undo.Changes, c) }

// data is what the text says; it decodes at any time between two edits.
func (w *tomlEdit) data() map[string]any {
	out, err := decodeTOML(w.file, w.text)
	if err != nil {
		return map[string]any{}
	}
	return out
}

// table is the server's table as data.
func (w *tomlEdit) table(name string) map[string]any {
	servers, _ := w.data()[codexKey].(map[string]any)
	table, _ := servers[name].(map[string]any)
	return table
}

func (w *tomlEdit) has(key string) bool {
	_, ok := w.data()[key]
	return ok
}

// source is a server as an inline table, "" when there is none.
func (w *tomlEdit) source(name string) string {
	if table := w.table(name); table != nil {
		return tomlValue(table)
	}
	return ""
}

// edit makes one change and holds the outcome against what it should say.
func (w *tomlEdit) edit(change func(*tomlDoc) ([]byte, error), want func(servers map[string]any)) error {
	d, err := scanTOML(w.text)
	if err != nil {
		return errByHand
	}
	text, err := change(d)
	if err != nil {
		return err
	}
	got, err := decodeTOML(w.file, text)
	if err != nil {
		return errByHand
	}
	expected := w.data()
	servers, _ := expected[codexKey].(map[string]any)
	if servers == nil {
		servers = map[string]any{}
		expected[codexKey] = servers
	}
	want(servers)
	for _, data := range []map[string]any{expected, got} {
		if s, ok := data[codexKey].(map[string]any); ok && len(s) == 0 {
			delete(data, codexKey)
		}
	}
	if !reflect.DeepEqual(expected, got) {
		return errByHand
	}
	if string(text) != string(w.text) {
		w.undo.Splices = append(w.undo.Splices, spliceOf(w.text, text))
	}
	w.text = text
	return nil
}

// add puts a server into the file.
func (w *tomlEdit) add(name string, members object) error {
	return w.edit(
		func(d *tomlDoc) ([]byte, error) { return d.addTable(name, members) },
		func(servers map[string]any) { servers[name] = asData(tomlMembers(members)) },
	)
}

// asData reads an inline table.
func asData(source string) map[string]any {
	out, err := decodeTOML(File{}, []byte("v = "+source+"\n"))
	if err != nil {
		return nil
	}
	table, _ := out["v"].(map[string]any)
	return table
}

func (w *tomlEdit) remove(path ...string) error {
	return w.edit(
		func(d *tomlDoc) ([]byte, error) { return d.removeAll(path), nil },
		func(servers map[string]any) {
			at := servers
			for i, key := range path[1:] {
				if i == len(path)-2 {
					delete(at, key)
					return
				}
				at, _ = at[key].(map[string]any)
			}
		},
	)
}

// switchOff sets enabled = false.
func (w *tomlEdit) switchOff(name string) error {
	path := []string{codexKey, name, "enabled"}
	if _, ok := w.table(name)["enabled"]; ok {
		w.did(change{Do: didSet, Path: path, Old: "true", New: "false"})
		return w.setEnabled(name, "false")
	}
	w.did(change{Do: didAdd, Path: path, New: "false"})
	return w.edit(
		func(d *tomlDoc) ([]byte, error) { return d.addMember(path[:2], "enabled", false) },
		func(servers map[string]any) { servers[name].(map[string]any)["enabled"] = false },
	)
}

// setEnabled replaces the value of a key enabled.
func (w *tomlEdit) setEnabled(name, value string) error {
	return w.edit(
		func(d *tomlDoc) ([]byte, error) {
			i := d.find(codexKey, name, "enabled")
			if i < 0 {
				return nil, errByHand
			}
			return d.replace(d.items[i].value, value), nil
		},
		func(servers map[string]any) { servers[name].(map[string]any)["enabled"] = value == "true" },
	)
}

func (c codex) disconnect(f File, text []byte, u Undo) ([]byte, error) {
	out, exact := u.exact(text)
	w := &tomlEdit{file: f, text: out}
	if !exact {
		if _, err := decodeTOML(f, text); err != nil {
			return nil, err
		}
		w.text = text
		for _, one := range slices.Backward(u.Changes) {
			if err := w.take(one); err != nil {
				return nil, w.stuck(err)
			}
		}
	}
	if !u.entered() {
		servers, err := c.read(f, w.text)
		if err != nil {
			return nil, err
		}
		for _, s := range oursAmong(servers) {
			if err := w.remove(codexKey, s.Name); err != nil {
				return nil, w.stuck(err)
			}
		}
	}
	if u.Created && len(w.data()) == 0 {
		return nil, nil
	}
	return w.text, nil
}

func (w *tomlEdit) stuck(err error) error {
	return toolcrib.NewError(toolcrib.KindConfig, w.file.Path+": "+err.Error(),
		"nothing was changed; take the table of toolcrib out by hand").WithCause(err)
}

// take takes one change back, unless somebody has changed the same since.
func (w *tomlEdit) take(c change) error {
	if len(c.Path) == 0 {
		return nil
	}
	if len(c.Path) == 1 {
		return w.unmake()
	}
	name := c.Path[1]
	table := w.table(name)
	enabled, has := table["enabled"].(bool)
	switch c.Do {
	case didEntry:
		if table != nil {
			if err := w.remove(c.Path...); err != nil {
				return err
			}
		}
		return w.restore(name, c.Old)
	case didRemove:
		if table == nil {
			return w.restore(name, c.Old)
		}
	case didAdd:
		if has && !enabled {
			return w.remove(c.Path...)
		}
	case didSet:
		if has && !enabled {
			return w.setEnabled(name, "true")
		}
	}
	return nil
}

// restore puts a server back that was taken out.
func (w *tomlEdit) restore(name, source string) error {
	if source == "" {
		return nil
	}
	var members object
	table := asData(source)
	for _, key := range slices.Sorted(maps.Keys(table)) {
		members = append(members, pair{key, table[key]})
	}
	return w.add(name, members)
}

// unmake takes the header of the servers out when none is left.
func (w *tomlEdit) unmake() error {
	if servers, ok := w.data()[codexKey].(map[string]any); !ok || len(servers) > 0 {
		return nil
	}
	return w.edit(func(d *tomlDoc) ([]byte, error) { return d.removeAll([]string{codexKey}), nil }, func(map[string]any) {})
}
