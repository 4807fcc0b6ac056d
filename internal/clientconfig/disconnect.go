package clientconfig

import (
	"slices"

	"github.com/toolcrib/toolcrib/internal/config/json5"
)

func (j jsonFormat) disconnect(f File, text []byte, u Undo) ([]byte, error) {
	out, exact := u.exact(text)
	w := &jsonEdit{jsonFormat: j, file: f, text: out}
	if !exact {
		if _, err := j.parse(f, text); err != nil {
			return nil, err
		}
		w.text = text
		for _, c := range slices.Backward(u.Changes) {
			if err := w.take(c); err != nil {
				return nil, unreadable(f, err)
			}
		}
	}
	if !u.entered() {
		if err := w.leave(); err != nil {
			return nil, err
		}
	}
	if u.Created && len(w.root().Members) == 0 {
		return nil, nil
	}
	return w.text, nil
}

// leave takes out the entries that are toolcrib's.
func (w *jsonEdit) leave() error {
	servers, err := w.read(w.file, w.text)
	if err != nil {
		return err
	}
	block := w.block(w.file, w.root())
	for _, s := range oursAmong(servers) {
		if err := w.remove(append(slices.Clone(block), s.Name)); err != nil {
			return unreadable(w.file, err)
		}
	}
	return nil
}

// oursAmong are the servers that are called toolcrib, or else those that are toolcrib.
func oursAmong(servers []Server) []Server {
	var named, other []Server
	for _, s := range servers {
		switch {
		case s.Name == "toolcrib":
			named = append(named, s)
		case IsToolcrib(s):
			other = append(other, s)
		}
	}
	if len(named) > 0 {
		return named
	}
	return other
}

// take takes one change back, unless somebody has changed the same since.
func (w *jsonEdit) take(c change) error {
	if len(c.Path) == 0 {
		return nil
	}
	at := json5.Find(w.root(), keys(c.Path...))
	switch c.Do {
	case didEntry:
		if c.Old != "" {
			return w.set(c.Path, c.Old, "")
		}
		return w.unset(c.Path, at)
	case didRemove:
		if at == nil {
			return w.set(c.Path, c.Old, "")
		}
	case didAdd:
		if at != nil && w.says(at, c.New) {
			return w.unset(c.Path, at)
		}
	case didSet:
		if at != nil && w.says(at, c.New) {
			return w.set(c.Path, c.Old, "")
		}
	case didAppend:
		return w.pull(c.Path, c.New, "")
	case didDelist:
		if at != nil && at.Kind == json5.Array && !listed(at, c.Old) {
			return w.push(c.Path, c.Old)
		}
	case didMake:
		return w.unmake(c, at)
	}
	return nil
}

func (w *jsonEdit) unset(path []string, at *json5.Node) error {
	if at == nil {
		return nil
	}
	text, err := json5.Unset(w.text, keys(path...))
	if err != nil {
		return err
	}
	w.become(text)
	return nil
}

// unmake takes a container out that is empty again.
func (w *jsonEdit) unmake(c change, at *json5.Node) error {
	switch {
	case at == nil || len(at.Members)+len(at.Items) > 0 || at.Kind != json5.Object && at.Kind != json5.Array:
		return nil
	case c.Old != "":
		return w.set(c.Path, c.Old, "")
	}
	return w.unset(c.Path, at)
}

// says reports whether a value is the one of a source: true, false or a text.
func (w *jsonEdit) says(at *json5.Node, text string) bool {
	n, err := json5.Parse([]byte(text))
	return err == nil && n.Kind == at.Kind && n.Bool == at.Bool && n.Text == at.Text
}
