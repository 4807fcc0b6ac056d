package gateway

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/hook"
	"github.com/toolcrib/toolcrib/internal/plugin"
	plugins "github.com/toolcrib/toolcrib/internal/source/plugin"
)

// pluginSet is what was found where plugins are looked for, and what became of
// it. It is immutable.
type pluginSet struct {
	glance string // of the files when they were read
	all    []foundPlugin
	// warnings are about the configuration of plugins, not about one of them.
	warnings []string
}

// foundPlugin is one folder with a manifest.
type foundPlugin struct {
	plugin.Found
	// used is what runs; nil when it is not in use, and why says why not.
	used *plugins.Plugin
	// state is toolcrib.StateDisabled or toolcrib.StateDown of one that is not in use.
	state toolcrib.State
	// why is what is wrong; of one in use, that a former manifest stays in force.
	why string
}

// used are the plugins that run.
func (s pluginSet) used() []plugins.Plugin {
	var all []plugins.Plugin
	for _, f := range s.all {
		if f.used != nil {
			all = append(all, *f.used)
		}
	}
	return all
}

// find returns the plugin of an id that is in use.
func (s pluginSet) find(id string) *plugins.Plugin {
	for _, f := range s.all {
		if f.used != nil && f.used.ID == id {
			return f.used
		}
	}
	return nil
}

// chooser decides which of the plugins that are found are used.
type chooser struct {
	config config.Plugins
	former pluginSet
	// taken reports whether something else owns plugin:ID already.
	taken func(id string) bool
	// check says what is wrong with hooks.
	check func([]hook.Hook) error
	first map[string]string // folder of the first plugin with an id, in small letters
}

// choose looks for plugins and decides.
func (c chooser) choose() pluginSet {
	set := pluginSet{glance: plugin.Glance(c.config.Paths)}
	c.first = map[string]string{}
	found, problems := plugin.Find(c.config.Paths, func(path string) bool { return slices.Index(c.config.Paths, path) < c.config.Named })
	for _, err := range problems {
		set.warnings = append(set.warnings, oneLine(err))
	}
	for _, f := range found {
		set.all = append(set.all, c.judge(f))
	}
	set.warnings = append(set.warnings, c.unknown(set.all)...)
	slices.SortStableFunc(set.all, func(a, b foundPlugin) int { return strings.Compare(a.ID, b.ID) })
	return set
}

// judge decides about one.
func (c chooser) judge(f plugin.Found) foundPlugin {
	out := foundPlugin{Found: f, state: toolcrib.StateDown}
	entry := c.config.Entry(f.ID)
	key := strings.ToLower(f.ID)
	other := c.first[key]
	if other == "" {
		c.first[key] = f.Dir
	}
	switch {
	case other != "":
		out.why = fmt.Sprintf("the plugin in %s has the same id, and comes first", other)
		return out
	case !c.config.Allows(f.ID):
		out.state, out.why = toolcrib.StateDisabled, "plugins.allow doesn't name it"
		return out
	case !entry.Enabled:
		out.state, out.why = toolcrib.StateDisabled, "it is switched off in plugins.entries."+f.ID
		return out
	case c.taken(f.ID):
		out.why = fmt.Sprintf("plugin:%s belongs to other tools already: give the plugin another id", f.ID)
		return out
	}
	err := f.Err
	if err == nil {
		used := &plugins.Plugin{Manifest: f.Manifest, Env: entry.Env, Timeout: entry.Timeout()}
		if err = c.hooks(used); err == nil {
			out.used, out.state = used, ""
			return out
		}
	}
	out.why = oneLine(err)
	if before := c.before(f.Dir); before != nil { // its hooks may be guards: they stay, as the former configuration does
		kept := &plugins.Plugin{Manifest: before.Manifest, Env: entry.Env, Timeout: entry.Timeout()}
		if c.hooks(kept) == nil {
			out.used, out.state, out.ID = kept, "", kept.ID
			out.why = "its manifest can't be used, and the former one stays in force: " + out.why
		}
	}
	return out
}

// before is the plugin of a folder that is in use so far.
func (c chooser) before(dir string) *plugins.Plugin {
	for _, f := range c.former.all {
		if f.Dir == dir {
			return f.used
		}
	}
	return nil
}

// hooks checks a plugin's hooks.
func (c chooser) hooks(p *plugins.Plugin) error {
	all, err := pluginHooks(*p)
	if err != nil {
		return err
	}
	return c.check(all)
}

// unknown names ids of the configuration that no plugin has.
func (c chooser) unknown(all []foundPlugin) []string {
	has := func(id string) bool {
		return slices.ContainsFunc(all, func(f foundPlugin) bool { return strings.EqualFold(f.ID, id) })
	}
	var ids []string
	for _, f := range all {
		ids = append(ids, f.ID)
	}
	warn := func(key, id string) string {
		text := fmt.Sprintf("%s: no plugin with the id %q is found", key, id)
		if near := config.Nearest(id, ids); near != "" {
			text += ": did you mean " + near + "?"
		}
		return text
	}
	var texts []string
	for _, id := range c.config.Allow {
		if !has(id) {
			texts = append(texts, warn("plugins.allow", id))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(c.config.Entries)) {
		if !has(id) {
			texts = append(texts, warn("plugins.entries."+id, id))
		}
	}
	return texts
}

// oneLine is an error, of which there may be several in one, with its hints.
func oneLine(err error) string {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		var texts []string
		for _, e := range joined.Unwrap() {
			texts = append(texts, oneLine(e))
		}
		return strings.Join(texts, "; ")
	}
	return err.Error()
}

// pluginHooks are the hooks of a plugin that are in use, named PLUGIN/NAME.
func pluginHooks(p plugins.Plugin) ([]hook.Hook, error) {
	var all []hook.Hook
	for _, h := range p.Hooks {
		if !h.Enabled {
			continue
		}
		env := p.Environ()
		for name, value := range h.Env {
			if _, own := p.Env[name]; !own {
				env[name] = value
			}
		}
		made := hook.Hook{
			Name: p.ID + "/" + h.Name, Event: hook.Event(h.Event), Match: h.Match, Priority: h.Priority, Timeout: h.Timeout,
			Command: h.Command, Args: h.Args, Cwd: h.Cwd, URL: h.URL, Secret: h.Secret, Headers: maps.Clone(h.Headers),
		}
		if h.Command != "" {
			made.Env = env
		}
		at := filepath.Join(p.Dir, plugin.File) + ": hooks." + h.Name
		err := errors.Join(fill(&made.URL, env, at+".url"), fill(&made.Secret, env, at+".secret"))
		for name, value := range made.Headers {
			err = errors.Join(err, fill(&value, env, at+".headers."+name))
			made.Headers[name] = value
		}
		if err != nil {
			return nil, err
		}
		all = append(all, made)
	}
	return all, nil
}

// fill puts variables of the plugin into a text, where it says ${NAME}.
func fill(text *string, env map[string]string, at string) error {
	var b strings.Builder
	rest := *text
	for {
		before, after, ok := strings.Cut(rest, "${")
		b.WriteString(before)
		if !ok {
			*text = b.String()
			return nil
		}
		name, tail, closed := strings.Cut(after, "}")
		value, set := env[name]
		switch {
		case !closed:
			return toolcrib.NewError(toolcrib.KindConfig, at+`: "${" has no "}"`, "")
		case !set:
			return toolcrib.NewError(toolcrib.KindConfig, fmt.Sprintf("%s: the plugin has no variable %s", at, name), "give it in env of the manifest, or in plugins.entries.ID.env of the configuration")
		}
		b.WriteString(value)
		rest = tail
	}
}
