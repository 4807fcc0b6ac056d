package gateway

import (
	"context"
	"fmt"

	"github.com/toolcrib/toolcrib"
)

// plugins says how the plugins are, and keeps what those that were tried list.
func (x *examiner) plugins(ctx context.Context) []Finding {
	f := &findings{area: AreaPlugins}
	set := installed(x.config)
	for _, w := range set.warnings {
		f.add(LevelWarning, w, "plugins", "correct the configuration")
	}
	for _, p := range set.all {
		switch {
		case p.state == toolcrib.StateDisabled:
			f.add(LevelNote, fmt.Sprintf("plugin %s is not in use: %s", p.ID, p.why), p.Dir, "")
		case p.used == nil:
			f.add(LevelError, fmt.Sprintf("plugin %s can't be used: %s", p.ID, p.why), p.Dir, "")
		case x.options.Offline:
		default:
			x.installed = append(x.installed, x.tryPlugin(ctx, f, p))
		}
	}
	return f.list
}

// tryPlugin tries a plugin by a process of its own.
func (x *examiner) tryPlugin(ctx context.Context, f *findings, p foundPlugin) toolcrib.Listing {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	r, l := probePlugin(ctx, x.config, *p.used, x.options.ProbeOptions)
	if !r.OK {
		f.add(LevelError, fmt.Sprintf("plugin %s: %s", p.ID, r.Reason), p.Dir, join(r.Hint, "see more: toolcrib plugins test "+quoted(p.ID)))
		return l
	}
	f.add(LevelOK, fmt.Sprintf("plugin %s: %s and %s, %s", p.ID, count(r.Tools.Count, "tool"), count(len(p.used.Hooks), "hook"), seconds(r.TookMs)), p.Dir, "")
	for _, w := range r.Warnings {
		f.add(LevelWarning, fmt.Sprintf("plugin %s: %s", p.ID, w), p.Dir, "")
	}
	return l
}
