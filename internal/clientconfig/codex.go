package clientconfig

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/toolcrib/toolcrib"
)

// codex is the form of Codex: TOML with a table for each server.
type codex struct{}

// codexKey is the table that holds the servers.
const codexKey = "mcp_servers"

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
