package config

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Plugins says which plugins there are.
type Plugins struct {
	// Paths are absolute: plugins' folders, or folders that hold such. The last one is
	// that beside the configuration file, where there is one.
	Paths []string
	// Named is how many of them, at the front, are those of load.paths.
	Named int
	// Allow are ids, small and large letters alike; empty allows all.
	Allow []string
	// Entries are settings by id.
	Entries map[string]PluginEntry
}

// PluginEntry is what the operator says of one plugin.
type PluginEntry struct {
	Enabled bool
	// Env is added to the variables of the manifest, and wins over them.
	Env map[string]string
	// TimeoutMs bounds a call, 1000 to 3600000.
	TimeoutMs int
}

// Timeout is TimeoutMs as a duration.
func (e PluginEntry) Timeout() time.Duration { return time.Duration(e.TimeoutMs) * time.Millisecond }

// Entry is what holds for a plugin; one without an entry is enabled.
func (p Plugins) Entry(id string) PluginEntry {
	for name, e := range p.Entries {
		if strings.EqualFold(name, id) {
			return e
		}
	}
	return PluginEntry{Enabled: true, TimeoutMs: DefaultTimeoutMs}
}

// Allows reports whether a plugin may be used.
func (p Plugins) Allows(id string) bool {
	return len(p.Allow) == 0 || slices.ContainsFunc(p.Allow, func(a string) bool { return strings.EqualFold(a, id) })
}

// pluginsFolder is the one beside the configuration file.
const pluginsFolder = "plugins"

func pluginKeys() []Key {
	const e = "plugins.entries.*"
	return []Key{
		{Path: "plugins", Type: Object, Doc: "Plugins: folders with a plugin.json5 and a program, whose tools are trusted as toolcrib's own. docs/plugins.md says how to write one."},
		{Path: "plugins.load", Type: Object, Doc: "Where they are looked for."},
		{
			Path: "plugins.load.paths", Type: List,
			Doc: "Folders that hold the folders of plugins, or such folders themselves. A relative path starts at the configuration file. The folder plugins beside that file is looked into last. What is in these folders runs as you do.",
		},
		{Path: "plugins.load.paths.[]", Type: String, Doc: "A folder."},
		{Path: "plugins.allow", Type: List, Doc: "Only the plugins with these ids are used. Empty or absent: all that are found."},
		{Path: "plugins.allow.[]", Type: String, Doc: "The id of a plugin."},
		{Path: "plugins.entries", Type: Map, Doc: "Settings of single plugins, by id."},
		{Path: e, Type: Object, Doc: "Settings of one plugin."},
		{Path: e + ".enabled", Type: Bool, Default: "true", Doc: "false keeps the plugin installed and out of use: its tools and its hooks."},
		{Path: e + ".env", Type: Map, Doc: "Variables for the plugin's program and its hooks, added to those of its manifest and stronger than they are. Write ${env:NAME} or ${file:PATH} rather than a secret itself."},
		{Path: e + ".env.*", Type: String | Whole | Bool, SecretNames: true, Doc: "A variable. Numbers and booleans become text."},
		{Path: e + ".timeoutMs", Type: Whole, Default: "60000", Min: 1000, Max: 3_600_000, Doc: "How long a call may take, in milliseconds."},
	}
}

// pluginsOf reads the keys of pluginKeys; file is the configuration file.
func pluginsOf(v *value, file string) Plugins {
	p := Plugins{Paths: texts(v.get("load").get("paths")), Allow: texts(v.get("allow"))}
	p.Named = len(p.Paths)
	if file != "" {
		p.Paths = append(p.Paths, filepath.Join(filepath.Dir(file), pluginsFolder))
	}
	entries := v.get("entries")
	if entries == nil {
		return p
	}
	p.Entries = make(map[string]PluginEntry, len(entries.fields))
	for _, f := range entries.fields {
		on := f.val.get("enabled")
		p.Entries[f.key] = PluginEntry{
			Enabled: on == nil || on.bool, Env: textMap(f.val.get("env")),
			TimeoutMs: cmp.Or(number(f.val.get("timeoutMs"), DefaultTimeoutMs), DefaultTimeoutMs),
		}
	}
	return p
}

// plugins checks what no single row of the table can.
func (c crossChecker) plugins(v *value) {
	if paths := v.get("load").get("paths"); paths != nil {
		for i, p := range paths.items {
			if !p.bad && strings.TrimSpace(p.text) == "" {
				c.fail(p.origin, itemPath("plugins.load.paths", i), "is empty", "name a folder")
			}
			p.text = c.opts.resolve(p.text, c.dir)
		}
	}
	if allow := v.get("allow"); allow != nil {
		for i, id := range allow.items {
			if !id.bad && !toolcrib.ValidOwner(id.text) {
				c.fail(id.origin, itemPath("plugins.allow", i), "is no id of a plugin", "an id is a letter or digit, then at most 63 letters, digits, _, . or -; patterns belong into tools.allow")
			}
		}
	}
	entries := v.get("entries")
	if entries == nil {
		return
	}
	first := map[string]string{}
	for _, f := range entries.fields {
		path := joinPath("plugins.entries", f.key)
		if !toolcrib.ValidOwner(f.key) {
			c.fail(f.at, path, "is no id of a plugin", "an id is a letter or digit, then at most 63 letters, digits, _, . or -")
		}
		if other, twice := first[strings.ToLower(f.key)]; twice {
			c.fail(f.at, path, "differs from "+other+" in case only", "keep one")
		}
		first[strings.ToLower(f.key)] = f.key
		if !f.val.bad {
			c.variables(f.val.get("env"), path+".env")
		}
	}
}
