package clientconfig

import "reflect"

// tomlEdit is a text on its way, with the record of what was done to it.
type tomlEdit struct {
	file File
	text []byte
	undo Undo
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
