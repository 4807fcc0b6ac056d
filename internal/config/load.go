package config

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// Load reads the file that ConfigPath names and lays the environment and the
// flags over it. A default file that is missing counts as empty; one that
// somebody named must be there.
//
// The error joins everything that is wrong, each a *toolcrib.Error of kind
// KindConfig that says where; there is no Config then. Warnings come with and
// without an error. Neither holds a secret.
func Load(o Options) (*Config, []Warning, error) {
	l := &loader{opts: o, problems: &problems{}}
	if err := l.read(); err != nil {
		return nil, nil, err
	}
	layers := overlay{root: l.root, problems: l.problems}
	layers.environment(o)
	layers.flags(o.Flags, o.FlagNames)

	l.check()
	hide := newRedactor(secretsOf(l.root))
	if len(l.errs) == 0 {
		l.settle()
	}
	if err := l.err(hide.Replace); err != nil {
		return nil, l.warned(hide.Replace), err
	}
	return newConfig(l, hide), l.warned(hide.Replace), nil
}

// loader carries the tree from layer to layer.
type loader struct {
	opts Options
	path string
	// found is false when the default file isn't there.
	found bool
	// blank is true when the file is there and holds nothing at all.
	blank bool
	root  *value
	*problems
}

// read makes the tree of the file.
func (l *loader) read() error {
	path, explicit, err := ConfigPath(l.opts)
	if err != nil { // no home folder, as in some containers: environment and flags count alone
		l.root = newObject(Origin{Layer: LayerDefault})
		return nil
	}
	l.path = absolutePath(path)
	at := Origin{Layer: LayerFile, Name: l.path}
	text, err := l.opts.readFile(path, explicit && !l.opts.Again)
	if errors.Is(err, fs.ErrNotExist) && !explicit {
		l.root = newObject(Origin{Layer: LayerDefault})
		return nil
	}
	if err != nil {
		return err
	}
	l.found = true
	return l.parse(text, at)
}

func absolutePath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// parse fills the tree from the text of the file.
func (l *loader) parse(text []byte, at Origin) error {
	place := func(p json5.Pos) Origin {
		return Origin{Layer: LayerFile, Name: at.Name, Line: p.Line, Column: p.Column}
	}
	if len(text) > 1 && (text[0] == 0xff && text[1] == 0xfe || text[0] == 0xfe && text[1] == 0xff) {
		return configError(at.Name+":1:1: the file is UTF-16", "save it as UTF-8", nil)
	}
	if json5.Blank(text) {
		l.blank = len(bytes.TrimSpace(text)) == 0
		l.warn(at, "", "the file is empty, so everything is as by default; write {} to say so")
		l.root = newObject(at)
		return nil
	}
	node, err := json5.Parse(text)
	var faults json5.Errors
	errors.As(err, &faults)
	for _, f := range faults {
		l.fail(place(f.Pos), "", f.Message(), grammarHint(text, f))
	}
	if node == nil {
		return l.err(func(s string) string { return s })
	}
	l.root = fromNode(node, place)
	if node.Kind == json5.Object {
		l.adopt()
	}
	return nil
}

func grammarHint(text []byte, f *json5.Error) string {
	if !utf8.Valid(text) && f.Expected == "UTF-8 text" {
		return "save the file as UTF-8"
	}
	return ""
}

// check fills in references and holds the tree against the table.
func (l *loader) check() {
	dir := filepath.Dir(l.path)
	(&expander{opts: l.opts, dir: dir, problems: l.problems}).tree(l.root, rootSpec(), "", false)
	checker{l.problems}.tree(l.root, rootSpec(), "")
	crossChecker{opts: l.opts, dir: dir, problems: l.problems}.all(l.root)
}

// settle turns a tree without errors into its full form.
func (l *loader) settle() {
	prune(l.root)
	for _, name := range []string{"tools", "agents", "mcp", "gateway", "log"} {
		if l.root.get(name) == nil {
			l.root.set(name, newObject(Origin{Layer: LayerDefault}))
		}
	}
	settleToolSearch(l.root, l.problems)
	fillDefaults(l.root, rootSpec())
}

// prune takes away what could not be filled in, in servers that are switched off.
func prune(v *value) {
	v.items = slices.DeleteFunc(v.items, func(item *value) bool { return item.bad })
	v.fields = slices.DeleteFunc(v.fields, func(f field) bool { return f.val.bad })
	for _, item := range v.items {
		prune(item)
	}
	for _, f := range v.fields {
		prune(f.val)
	}
}
