package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// target is a path of the configuration with its place in the file.
type target struct {
	// path is in toolcrib's words; steps are the file's own.
	path  string
	steps []json5.Step
	spec  *spec
	// value is what stands there, nil when nothing does.
	value *value
	// short is the number of steps to a toolSearch that is no object, -1 when none
	// is on the way; shortValue is what stands there.
	short      int
	shortValue *value
	// inverted says that the file has the opposite of the key: disabled.
	inverted bool
}

// walker goes along a path in the file as it is written.
type walker struct {
	target
	at *value // nil below what isn't there
	// foreign says that the way goes through a block mcpServers.
	foreign bool
}

// resolve finds a path in the file. Only a path that is made may lead to what
// isn't there.
func (f *file) resolve(path string, making bool) (target, error) {
	keys, err := splitPath(path)
	if err != nil {
		return target{}, toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("%q %v", path, err), "write it as in mcp.servers.github.timeoutMs")
	}
	if keys[0] == "mcpServers" {
		keys = slices.Concat([]string{"mcp", "servers"}, keys[1:])
	}
	w := &walker{target: target{spec: rootSpec(), short: -1}, at: f.root}
	if block := f.root.get("mcpServers"); block != nil && len(keys) > 1 && keys[0] == "mcp" && strings.EqualFold(keys[1], "servers") {
		w.enterBlock(block)
		keys = keys[2:]
	}
	for i, name := range keys {
		if err := w.step(name, i == len(keys)-1); err != nil {
			return target{}, err
		}
	}
	w.value = w.at
	if !making && w.value == nil {
		return target{}, toolcrib.NewError(toolcrib.KindNotFound, w.path+" is not set in "+f.path, "see: toolcrib config get")
	}
	return w.target, nil
}

// enterBlock takes mcpServers for mcp.servers.
func (w *walker) enterBlock(block *value) {
	w.spec = rootSpec().child("mcp").child("servers")
	w.at, w.path, w.foreign = block, "mcp.servers", true
	w.steps = []json5.Step{json5.Key("mcpServers")}
}

// step goes one key or item further.
func (w *walker) step(name string, last bool) error {
	if w.spec.name == "toolSearch" && w.at != nil && w.at.kind != json5.Object && w.short < 0 {
		w.short, w.shortValue, w.at = len(w.steps), w.at, nil
	}
	if w.spec.Type&List != 0 {
		return w.item(name, last)
	}
	holder := w.at
	if holder == nil {
		holder = &value{}
	}
	if w.foreign && w.spec.Path == "mcp.servers" {
		name = foreignName(holder, name)
	}
	key, child := (&overlay{}).match(holder, w.spec, name, LayerFlag)
	if child == nil {
		return toolcrib.NewError(toolcrib.KindNotFound, "there is no key "+joinPath(w.path, name), didYouMean(w.spec, w.path, name))
	}
	written := key
	if w.foreign && w.spec.Path == "mcp.servers.*" {
		written = foreignKey(holder, key)
		w.inverted = written == "disabled"
	}
	w.spec, w.path, w.at = child, joinPath(w.path, key), w.at.get(written)
	w.steps = append(w.steps, json5.Key(written))
	return nil
}

// item goes to an item of a list. The one behind the last is there to be made.
func (w *walker) item(name string, last bool) error {
	list := w.at
	if list == nil {
		list = &value{}
	}
	i, ok := (&overlay{}).index(list, name)
	if n, err := strconv.Atoi(name); !ok && (err != nil || n != len(list.items)) {
		return toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("%s has no item %q", w.path, name),
			fmt.Sprintf("name an item by its number from 0 or by its id; [%d] adds one", len(list.items)))
	}
	w.spec, w.path, w.at = w.spec.item, itemPath(w.path, i), nil
	w.steps = append(w.steps, json5.Item(i))
	if ok {
		w.at = list.items[i]
	}
	return nil
}

// foreignName is the name under which a block mcpServers has the server that
// toolcrib calls name.
func foreignName(block *value, name string) string {
	if block.field(name) != nil {
		return name
	}
	l := &loader{problems: &problems{}}
	for i, f := range l.adoptServers(block.clone()).fields {
		if f.key == name {
			return block.fields[i].key
		}
	}
	return name
}

// foreignKey is the name under which a server of mcpServers has key: that of
// another program where that one counts.
func foreignKey(server *value, key string) string {
	names := map[string][]string{
		"enabled": {"disabled"}, "url": {"httpUrl", "serverUrl"}, "env": {"environment"},
		"allow": {"includeTools", "enabledTools", "tools"}, "deny": {"disabledTools", "excludeTools"},
	}[key]
	if server.get(key) != nil && key != "url" && key != "enabled" {
		return key
	}
	for _, name := range names {
		if server.get(name) != nil {
			return name
		}
	}
	return key
}

// source is the steps to what must be set so that the target has the value v,
// and its source. given is what v was read from, and is kept with its comments
// where it is a list or an object.
func (t target) source(text []byte, v *value, given string) ([]json5.Step, []byte, error) {
	if t.inverted && v.kind == json5.Bool {
		v = newBool(!v.bool, v.origin)
	}
	source := v.source()
	if node, err := json5.Parse([]byte(given)); err == nil && node.Kind == v.kind && (v.kind == json5.Object || v.kind == json5.Array) {
		source = []byte(given)
	}
	if t.short < 0 {
		return t.steps, source, nil
	}
	long := longToolSearch(t.shortValue.clone())
	if on := long.get("enabled"); on != nil && on.bool {
		long.drop("enabled") // an object is on
	}
	whole, err := json5.Set(long.source(), t.steps[t.short:], source, json5.Style{})
	return t.steps[:t.short], whole, err
}
