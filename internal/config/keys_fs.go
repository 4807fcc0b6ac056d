package config

import "strings"

// FS says where the built-in file tools work.
type FS struct {
	// Workspace is their folder, absolute, or empty for the usual one.
	Workspace string
}

func fsKeys() []Key {
	return []Key{
		{Path: "tools.fs", Type: Object, Doc: "Where the built-in file tools work: read, write, edit, list, find and grep."},
		{
			Path: "tools.fs.workspace", Type: String,
			Doc: "The folder that they can't leave. A relative path starts at the configuration file, and ~/ at the home folder. The first write makes it. Absent: workspace in the state folder. toolcrib's own files are out of reach, even where this folder holds them.",
		},
	}
}

// workspaceKeys are those of one agent.
func workspaceKeys() []Key {
	return []Key{{
		Path: "agents.list.[].workspace", Type: String,
		Doc: "The folder of the built-in file tools for this agent, in place of tools.fs.workspace.",
	}}
}

// workspaces checks and completes the folders of the file tools.
func (c crossChecker) workspaces(root *value) {
	c.workspace(root.get("tools").get("fs").get("workspace"), "tools.fs.workspace")
	if list := root.get("agents").get("list"); list != nil {
		for i, agent := range list.items {
			if !agent.bad {
				c.workspace(agent.get("workspace"), itemPath("agents.list", i)+".workspace")
			}
		}
	}
}

func (c crossChecker) workspace(v *value, path string) {
	switch {
	case v == nil || v.bad:
	case strings.TrimSpace(v.text) == "":
		c.fail(v.origin, path, "is empty", "name a folder, or leave it out for the usual one")
	case strings.ContainsRune(v.text, 0):
		c.fail(v.origin, path, "holds a NUL character, which no path can", "")
	default:
		v.text = c.opts.resolve(v.text, c.dir)
	}
}
