package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcrib/toolcrib/internal/config/json5"
	"github.com/toolcrib/toolcrib/internal/near"
)

const envPrefix = "TOOLCRIB_"

// overlay lays the environment and the flags over the tree of the file.
type overlay struct {
	root *value
	*problems
}

// setting is one value of the environment or a flag, with its path taken apart.
type setting struct {
	path []string
	text string
	at   Origin
}

// environment takes every TOOLCRIB_ variable that names a key. An empty one counts as unset.
func (l *overlay) environment(o Options) {
	settings := l.variables(o)
	slices.SortStableFunc(settings, func(a, b setting) int { // what holds others comes before them
		return cmp.Or(cmp.Compare(len(a.path), len(b.path)), cmp.Compare(a.at.Name, b.at.Name))
	})
	for _, s := range settings {
		l.apply(s)
	}
}

func (l *overlay) variables(o Options) []setting {
	var out []setting
	seen := map[string]bool{"TOOLCRIB_CONFIG": true}
	for _, name := range o.Reserved {
		seen[name] = true
	}
	for _, pair := range o.Environ {
		name, _, _ := strings.Cut(pair, "=")
		if o.goos() == "windows" {
			name = strings.ToUpper(name)
		}
		if !strings.HasPrefix(name, envPrefix) || seen[name] {
			continue
		}
		seen[name] = true
		text, _ := o.env(name)
		s := setting{strings.Split(name[len(envPrefix):], "__"), text, Origin{Layer: LayerEnvironment, Name: name}}
		switch {
		case text == "":
		case name == "TOOLCRIB_LOG_LEVEL":
			if other, _ := o.env("TOOLCRIB_LOG__LEVEL"); other == "" {
				s.path = []string{"log", "level"}
				out = append(out, s)
			}
		case l.knownVariable(s):
			out = append(out, s)
		}
	}
	return out
}

// knownVariable reports whether a variable is about a key. One with "__" that
// names none is an error, and so is one that is a key's but for its underscores.
// Of any other a near miss is warned of; the rest belongs to somebody else.
func (l *overlay) knownVariable(s setting) bool {
	for _, c := range rootSpec().children {
		if strings.EqualFold(c.name, s.path[0]) && c.Type&Object != 0 {
			return true
		}
	}
	near, far := nearestVariable(s.at.Name)
	switch {
	case len(s.path) > 1, far == 0:
		l.fail(s.at, "", "names no key", "did you mean "+near+"?")
	case far <= max(1, len(s.path[0])/4):
		l.warn(s.at, "", "names no key and is ignored; did you mean %s?", near)
	}
	return false
}

// nearestVariable returns the variable of the nearest key, and how far it is
// when underscores don't count.
func nearestVariable(name string) (word string, far int) {
	flat := func(s string) string { return strings.ReplaceAll(s, "_", "") }
	far = 1 << 20
	for _, k := range Keys() {
		if strings.Contains(k.Path, "[]") || strings.Contains(k.Path, "*") || k.Path == "$schema" {
			continue
		}
		v := variableOf(k.Path)
		if d := near.Distance(flat(name), flat(v)); d < far {
			word, far = v, d
		}
	}
	return word, far
}

// variableOf returns the name of the variable that sets the key at path.
func variableOf(path string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(path, ".", "__"))
}

// flags takes PATH=VALUE pairs in their order; names says what else a path is called.
func (l *overlay) flags(pairs []string, names map[string]string) {
	for _, pair := range pairs {
		path, text, ok := cutPair(pair)
		at := Origin{Layer: LayerFlag, Name: strings.TrimSpace(path)}
		if !ok {
			at.Name = "" // it could be a value
			l.fail(at, "", "has no =", "write it as PATH=VALUE, such as gateway.listen="+DefaultListen)
			continue
		}
		keys, err := splitPath(at.Name)
		if name := names[at.Name]; name != "" {
			at.Name = name
		}
		if err != nil {
			l.fail(at, "", err.Error(), "write it as in mcp.servers.github.timeoutMs")
			continue
		}
		l.apply(setting{keys, text, at})
	}
}

// apply puts one setting into the tree.
func (l *overlay) apply(s setting) {
	at, sp, path := l.root, rootSpec(), ""
	for i, name := range s.path {
		last := i == len(s.path)-1
		if sp.Type&List != 0 {
			n, ok := l.index(at, name)
			if !ok {
				l.fail(s.at, path, fmt.Sprintf("has no item %q", name), "name an item by its number from 0 or by its id; whole lists are written [\"a\", \"b\"]")
				return
			}
			sp, path = sp.item, itemPath(path, n)
			if last {
				at.items[n] = readSetting(s.text, sp, s.at, l.problems)
			}
			at = at.items[n]
			continue
		}
		key, child := l.match(at, sp, name, s.at.Layer)
		if child == nil {
			l.fail(s.at, joinPath(path, name), "unknown key", didYouMean(sp, path, name))
			return
		}
		sp, path = child, joinPath(path, key)
		if last {
			at.set(key, readSetting(s.text, sp, s.at, l.problems))
			return
		}
		at = l.enter(at, key, sp, s.at)
	}
}

// enter returns the container at key, and makes one where there is none or only
// the short form of Tool Search.
func (l *overlay) enter(at *value, key string, sp *spec, origin Origin) *value {
	child := at.get(key)
	switch {
	case child == nil && sp.Type&List != 0:
		child = &value{kind: json5.Array, origin: origin}
	case child == nil:
		child = newObject(origin)
	case sp.name == "toolSearch" && child.kind != json5.Object:
		child = longToolSearch(child)
	default:
		return child
	}
	at.set(key, child)
	return child
}

// match finds the key that name means: as it is written, else whatever its case.
// In a map a variable's "_" also stands for any character that a variable can't hold.
func (l *overlay) match(at *value, sp *spec, name string, layer Layer) (string, *spec) {
	for _, c := range sp.children {
		if strings.EqualFold(c.name, name) {
			return c.name, c
		}
	}
	if sp.any == nil {
		return "", nil
	}
	if at.field(name) != nil {
		return name, sp.any
	}
	for _, f := range at.fields {
		if layer == LayerEnvironment && fold(f.key) == fold(name) {
			return f.key, sp.any
		}
	}
	if layer == LayerEnvironment && sp.any.Type&Object != 0 {
		name = strings.ToLower(name)
	}
	return name, sp.any
}

// fold makes names comparable that a variable writes alike.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
}

// index finds an item by its number or by its id.
func (l *overlay) index(list *value, name string) (int, bool) {
	if n, err := strconv.Atoi(name); err == nil {
		return n, n >= 0 && n < len(list.items)
	}
	i := slices.IndexFunc(list.items, func(item *value) bool {
		id := item.get("id")
		return id != nil && strings.EqualFold(id.text, name)
	})
	return i, i >= 0
}

// readSetting reads the text of a variable or a flag: JSON5 where that is of the
// key's type, else a bare string, which for a list is split at its commas. A
// broken JSON5 container is reported to p, which may be nil.
func readSetting(text string, s *spec, at Origin, p *problems) *value {
	trimmed := strings.TrimSpace(text)
	node, err := json5.Parse([]byte(trimmed))
	free := s.Type&String != 0 && s.Enum == nil // takes any text, so "8080" is text too
	if err == nil && s.takes(node.Kind) && (!free || node.Kind == json5.String || node.Kind == json5.Bool && s.Type&Whole == 0) {
		return fromNode(node, func(json5.Pos) Origin { return at })
	}
	container := strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[")
	switch {
	case err != nil && container && s.Type&(List|Object|Map) != 0 && p != nil:
		p.fail(at, s.Path, err.Error(), "write it as JSON5")
		return &value{bad: true, origin: at}
	case s.Type&String != 0:
		return newString(text, at)
	case s.Type&List != 0 && !container:
		list := &value{kind: json5.Array, origin: at}
		for item := range strings.SplitSeq(trimmed, ",") {
			if item = strings.TrimSpace(item); item != "" {
				list.items = append(list.items, newString(item, at))
			}
		}
		return list
	case err == nil:
		return fromNode(node, func(json5.Pos) Origin { return at })
	}
	return newString(text, at)
}
