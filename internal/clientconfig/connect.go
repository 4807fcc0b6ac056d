package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// jsonEdit is a text on its way, with the record of what was done to it.
type jsonEdit struct {
	jsonFormat
	file File
	text []byte
	undo Undo
}

func (j jsonFormat) connect(f File, text []byte, e Entry, takeOver []string) ([]byte, Undo, error) {
	if err := e.check(); err != nil {
		return nil, Undo{}, err
	}
	servers, err := j.read(f, text)
	if err != nil {
		return nil, Undo{}, err
	}
	names, err := toTakeOver(f, servers, takeOver)
	if err != nil {
		return nil, Undo{}, err
	}
	w := &jsonEdit{jsonFormat: j, file: f, text: text}
	if err := w.enter(e, servers); err != nil {
		return nil, Undo{}, w.refuse(err, e)
	}
	for _, name := range names {
		if err := w.takeOver(name); err != nil {
			return nil, Undo{}, w.refuse(err, e)
		}
	}
	return w.text, w.undo.seal(text, w.text), nil
}

// seal notes which texts the record stands between.
func (u Undo) seal(before, after []byte) Undo {
	if u.Empty() {
		return Undo{}
	}
	u.Before, u.After = hash(before), hash(after)
	return u
}

// toTakeOver are the servers to switch off: those that are named and not off already.
func toTakeOver(f File, servers []Server, names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		i := slices.IndexFunc(servers, func(s Server) bool { return s.Name == name })
		switch {
		case i < 0:
			return nil, toolcrib.NewError(toolcrib.KindNotFound,
				fmt.Sprintf("%s has no server %q", f.Path, name), "take a name that the file has")
		case !servers[i].Disabled && !IsToolcrib(servers[i]) && !slices.Contains(out, name):
			out = append(out, name)
		}
	}
	return out, nil
}

// refuse says that an edit can't be done, and what to add by hand.
func (w *jsonEdit) refuse(err error, e Entry) error {
	var whole *toolcrib.Error
	if errors.As(err, &whole) {
		return err
	}
	path := w.block(w.file, w.root())
	e.Env = nil
	what := "it can't be edited safely: " + err.Error()
	if one := (*json5.Error)(nil); errors.As(err, &one) {
		what = one.Error()
	}
	return toolcrib.NewError(toolcrib.KindConfig, w.file.Path+": "+what,
		fmt.Sprintf("nothing was changed; add it by hand below %s: %s: %s", source(path), source(e.Name), source(w.entry(e)))).WithCause(err)
}

func (w *jsonEdit) root() *json5.Node {
	root, err := w.parse(w.file, w.text)
	if err != nil {
		return &json5.Node{Kind: json5.Object} // the text was read before
	}
	return root
}

// enter puts the entry into the file, in place of those that are toolcrib's already.
func (w *jsonEdit) enter(e Entry, servers []Server) error {
	var ours []Server
	for _, s := range servers {
		if s.Name == e.Name || IsToolcrib(s) {
			ours = append(ours, s)
		}
	}
	if slices.ContainsFunc(ours, e.same) {
		return nil
	}
	if w.text == nil {
		return w.create(e)
	}
	block := w.block(w.file, w.root())
	for _, s := range ours {
		if s.Name != e.Name {
			if err := w.remove(append(slices.Clone(block), s.Name)); err != nil {
				return err
			}
		}
	}
	if err := w.set(append(slices.Clone(block), e.Name), string(source(w.entry(e))), didEntry); err != nil {
		return err
	}
	return w.list(e.Name)
}

// create writes a new file.
func (w *jsonEdit) create(e Entry) error {
	block := w.block(w.file, w.root())
	top := object{{e.Name, w.entry(e)}}
	for i, key := range slices.Backward(block) {
		top = object{{key, top}}
		if i == 0 {
			top = append(slices.Clone(w.fresh), top...)
		}
	}
	var b bytes.Buffer
	if err := json.Indent(&b, source(top), "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	for _, p := range w.fresh {
		w.did(change{Do: didAdd, Path: []string{p.key}, New: string(source(p.value))})
	}
	for i := range block {
		w.did(change{Do: didMake, Path: block[:i+1]})
	}
	w.did(change{Do: didEntry, Path: append(slices.Clone(block), e.Name)})
	w.undo.Created = true
	w.become(b.Bytes())
	return nil
}

// list lets the name through the lists beside the servers.
func (w *jsonEdit) list(name string) error {
	if w.lists == nil {
		return nil
	}
	allowed := json5.Find(w.root(), keys(w.lists.allowed...))
	if allowed != nil && allowed.Kind == json5.Array && !listed(allowed, name) {
		if err := w.push(w.lists.allowed, name); err != nil {
			return err
		}
	}
	if listed(json5.Find(w.root(), keys(w.lists.excluded...)), name) {
		return w.pull(w.lists.excluded, name, didDelist)
	}
	return nil
}

func (w *jsonEdit) takeOver(name string) error {
	root := w.root()
	path := append(slices.Clone(w.block(w.file, root)), name)
	switch key, value := w.switchOff(root); {
	case w.lists != nil:
		return w.push(w.lists.excluded, name)
	case key != "":
		path = append(path, key)
		if json5.Find(root, keys(path...)) != nil {
			return w.set(path, value, didSet)
		}
		return w.set(path, value, didAdd)
	}
	return w.remove(path)
}

func (w *jsonEdit) did(c change) {
	if c.Do != "" {
		w.undo.Changes = append(w.undo.Changes, c)
	}
}

// become makes text the next state.
func (w *jsonEdit) become(text []byte) {
	if !bytes.Equal(w.text, text) {
		w.undo.Splices = append(w.undo.Splices, spliceOf(w.text, text))
	}
	w.text = text
}

// source is what stands at path, "" when nothing does.
func (w *jsonEdit) source(path []json5.Step) string {
	n := json5.Find(w.root(), path)
	if n == nil {
		return ""
	}
	return string(w.text[n.Start.Offset:n.End.Offset])
}

var strict = json5.Style{Strict: true, Pretty: true}

// set puts a value at a path and records it as what was done; "" records nothing.
func (w *jsonEdit) set(path []string, value, do string) error {
	old := w.source(keys(path...))
	text, err := json5.Set(w.text, keys(path...), []byte(value), strict)
	if err != nil {
		return err
	}
	if do != "" {
		w.made(path[:len(path)-1])
		w.did(change{Do: do, Path: path, Old: old, New: value})
	}
	w.become(text)
	return nil
}

// made records which containers on the way to a path are missing.
func (w *jsonEdit) made(path []string) {
	for i := range path {
		if n := json5.Find(w.root(), keys(path[:i+1]...)); n == nil || n.Kind == json5.Null {
			w.did(change{Do: didMake, Path: path[:i+1], Old: w.source(keys(path[:i+1]...))})
		}
	}
}

func (w *jsonEdit) remove(path []string) error {
	old := w.source(keys(path...))
	text, err := json5.Unset(w.text, keys(path...))
	if err != nil {
		return err
	}
	w.did(change{Do: didRemove, Path: path, Old: old})
	w.become(text)
	return nil
}

// push puts a text at the end of a list.
func (w *jsonEdit) push(path []string, text string) error {
	item := append(keys(path...), json5.Item(0))
	if n := json5.Find(w.root(), keys(path...)); n != nil {
		item[len(path)].Index = len(n.Items)
	}
	out, err := json5.Set(w.text, item, source(text), strict)
	if err != nil {
		return err
	}
	w.made(path)
	w.did(change{Do: didAppend, Path: path, New: text})
	w.become(out)
	return nil
}

// pull takes a text out of a list.
func (w *jsonEdit) pull(path []string, text, do string) error {
	n := json5.Find(w.root(), keys(path...))
	for i := 0; n != nil && i < len(n.Items); i++ {
		if !listed(&json5.Node{Items: n.Items[i : i+1]}, text) {
			continue
		}
		out, err := json5.Unset(w.text, append(keys(path...), json5.Item(i)))
		if err != nil {
			return err
		}
		if do != "" {
			w.did(change{Do: do, Path: path, Old: n.Items[i].Text})
		}
		w.become(out)
		return nil
	}
	return nil
}
