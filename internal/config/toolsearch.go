package config

import "github.com/toolcrib/toolcrib/internal/config/json5"

// ToolSearch says whether and how tools are searched rather than shown.
type ToolSearch struct {
	// Enabled is nil when nobody decided: then Mode is "auto".
	Enabled *bool
	// Mode is "auto", "code", "tools", "directory" or "native".
	Mode string
	// CodeTimeoutMs is 1000 to 60000.
	CodeTimeoutMs int
	// SearchDefaultLimit is 1 to MaxSearchLimit, and that is at most 50.
	SearchDefaultLimit int
	MaxSearchLimit     int
	// CodeRuntime is "auto", "embedded" or "node".
	CodeRuntime string
	// CodeIsolation is "kernel" or "process".
	CodeIsolation string
	// SplitCalls offers a control for each effect of a call, in modes tools and
	// directory; then Mode is "tools" unless another is written.
	SplitCalls bool
	Directory  Directory
}

// Directory says what the list of mode "directory" shows.
type Directory struct {
	// Untrusted is "names", "full" or "none".
	Untrusted string
}

// Effective is the mode that the configuration asks for: "direct" when Tool
// Search is off, else Mode.
func (t ToolSearch) Effective() string {
	if t.Enabled != nil && !*t.Enabled {
		return "direct"
	}
	return t.Mode
}

// longToolSearch writes true, false and "auto" as an object.
func longToolSearch(v *value) *value {
	if v == nil || v.kind == json5.Object {
		return v
	}
	o := newObject(v.origin)
	switch v.kind {
	case json5.Bool:
		o.set("enabled", v)
	case json5.String:
		o.set("mode", v)
	}
	return o
}

// settleToolSearch brings tools.toolSearch, and that of each agent, into their
// long form. An agent's keys stand over those of tools.toolSearch.
func settleToolSearch(root *value, p *problems) {
	tools := root.get("tools")
	base := longToolSearch(tools.get("toolSearch"))
	if base == nil {
		base = newObject(Origin{Layer: LayerDefault})
		base.set("mode", newString("auto", base.origin))
	}
	if list := root.get("agents").get("list"); list != nil {
		for i, agent := range list.items {
			own := longToolSearch(agent.get("tools").get("toolSearch"))
			if own == nil {
				continue
			}
			path := itemPath("agents.list", i) + ".tools.toolSearch"
			merged := overBase(base, own)
			settleSplit(merged, path, p)
			limitDefault(merged, path, p)
			fillDefaults(merged, rootSpec().child("tools").child("toolSearch"))
			agent.get("tools").set("toolSearch", merged)
		}
	}
	warnOff(base, p)
	settleSplit(base, "tools.toolSearch", p)
	limitDefault(base, "tools.toolSearch", p)
	tools.set("toolSearch", base)
}

// overBase lays an agent's own keys over those of tools.toolSearch. What the
// agent writes says that it is on unless it says enabled: false; a base that
// left the mode open gives it the mode of an object, "code".
func overBase(base, own *value) *value {
	merged := base.clone()
	merged.origin = own.origin
	on, mode := own.get("enabled"), merged.get("mode")
	if on == nil {
		merged.drop("enabled")
	}
	if (on == nil || on.bool) && mode != nil && mode.text == "auto" {
		merged.drop("mode")
	}
	lay(merged, own)
	return merged
}

// lay puts the fields of over into v, object by object.
func lay(v, over *value) {
	for _, f := range over.fields {
		if have := v.get(f.key); have != nil && have.kind == json5.Object && f.val.kind == json5.Object {
			lay(have, f.val)
			continue
		}
		v.set(f.key, f.val)
	}
}

// warnOff warns of a mode from the environment or a flag that has no effect
// because the file switches Tool Search off.
func warnOff(v *value, p *problems) {
	on, mode := v.get("enabled"), v.get("mode")
	if on != nil && !on.bool && on.origin.Layer == LayerFile && mode != nil && mode.origin.Layer != LayerFile && mode.origin.Layer != LayerDefault {
		p.warn(mode.origin, "tools.toolSearch.mode", "has no effect, because Tool Search is off (%s)", on.origin)
	}
}

// settleSplit gives splitCalls the mode that it is for, unless another is written.
func settleSplit(v *value, path string, p *problems) {
	split := v.get("splitCalls")
	if split == nil || !split.bool {
		return
	}
	switch mode := v.get("mode"); {
	case mode == nil:
		v.set("mode", newString("tools", split.origin))
	case mode.text == "code":
		p.warn(split.origin, path+".splitCalls", "has no effect in mode code, whose one control runs everything")
	}
}

// limitDefault keeps searchDefaultLimit under maxSearchLimit.
func limitDefault(v *value, path string, p *problems) {
	def, most := v.get("searchDefaultLimit"), v.get("maxSearchLimit")
	top, own := number(most, defaultWhole("tools.toolSearch.maxSearchLimit")), number(def, defaultWhole("tools.toolSearch.searchDefaultLimit"))
	if own <= top {
		return
	}
	at := Origin{Layer: LayerDefault}
	if def != nil {
		at = def.origin
		p.warn(at, path+".searchDefaultLimit", "%d is above maxSearchLimit; %d is used", own, top)
	}
	v.set("searchDefaultLimit", newNumber(int64(top), at))
}

func number(v *value, def int) int {
	if v == nil {
		return def
	}
	return int(v.num)
}
