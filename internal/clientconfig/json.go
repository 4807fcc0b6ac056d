package clientconfig

import (
	"errors"
	"fmt"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// jsonFormat is a file of JSON, with comments or without.
type jsonFormat struct {
	// block is the path of the object that holds the servers.
	block func(f File, root *json5.Node) []string
	refs  syntax
	// entry is how the program wants toolcrib's entry.
	entry func(e Entry) object
	// off is the key that switches a server off with which value; without a key a
	// server is taken out.
	off    string
	offVal string
	// lists are lists of names beside the servers that switch them on and off.
	lists *nameLists
	// skipped is the path of a list of servers that don't run, which is read only.
	skipped func(f File, root *json5.Node) []string
	// fresh are the members of a new file before the servers.
	fresh object
}

// nameLists are paths of lists: of servers that alone run, if it's there, and of
// servers that don't run.
type nameLists struct{ allowed, excluded []string }

func block(path ...string) func(File, *json5.Node) []string {
	return func(File, *json5.Node) []string { return path }
}

func claudeDesktop() jsonFormat {
	return jsonFormat{block: block("mcpServers"), entry: plainEntry}
}

func claudeCode() jsonFormat {
	return jsonFormat{block: claudeBlock, refs: dollars, entry: typedEntry, skipped: claudeSkipped}
}

func cursor() jsonFormat {
	return jsonFormat{block: block("mcpServers"), refs: editor, entry: plainEntry}
}

func vscode() jsonFormat {
	return jsonFormat{block: vscodeBlock, refs: editor, entry: typedEntry}
}

func windsurf() jsonFormat {
	return jsonFormat{block: block("mcpServers"), refs: prefixed, entry: plainEntry, off: "disabled", offVal: "true"}
}

func gemini() jsonFormat {
	return jsonFormat{
		block: block("mcpServers"), refs: loose, entry: plainEntry,
		lists: &nameLists{allowed: []string{"mcp", "allowed"}, excluded: []string{"mcp", "excluded"}},
	}
}

func opencode() jsonFormat {
	return jsonFormat{
		block: opencodeBlock, refs: braces, entry: opencodeEntry, off: "enabled", offVal: "false",
		fresh: object{{"$schema", "https://opencode.ai/config.json"}},
	}
}

// claudeBlock is the top of the file, or the project's part of it.
func claudeBlock(f File, root *json5.Node) []string {
	if f.Scope != scopeLocal {
		return []string{"mcpServers"}
	}
	key := f.Project
	for _, m := range members(root.Get("projects")) {
		if slashed(m.Key) == slashed(f.Project) {
			key = m.Key
		}
	}
	return []string{"projects", key, "mcpServers"}
}

// claudeSkipped is the project's list of servers that were switched off for it.
func claudeSkipped(f File, root *json5.Node) []string {
	path := claudeBlock(f, root)
	path[len(path)-1] = "disabledMcpServers"
	return path
}

// vscodeBlock is "servers" in mcp.json, and below "mcp" in settings of old.
func vscodeBlock(f File, root *json5.Node) []string {
	switch {
	case baseName(f.Path) != "settings.json":
		return []string{"servers"}
	case root.Get("mcp.servers") != nil:
		return []string{"mcp.servers"}
	}
	return []string{"mcp", "servers"}
}

// opencodeBlock is "mcp", or "servers" below it, where version 2 has them.
func opencodeBlock(_ File, root *json5.Node) []string {
	if newer(root) {
		return []string{"mcp", "servers"}
	}
	return []string{"mcp"}
}

func newer(root *json5.Node) bool {
	in := root.Get("mcp").Get("servers")
	return in != nil && in.Kind == json5.Object && in.Get("type") == nil
}

// switchOff is the key that switches a server off in this file.
func (j jsonFormat) switchOff(root *json5.Node) (key, value string) {
	if j.off == "enabled" && newer(root) {
		return "disabled", "true"
	}
	return j.off, j.offVal
}

func members(n *json5.Node) []json5.Member {
	if n == nil {
		return nil
	}
	return n.Members
}

func keys(path ...string) []json5.Step {
	out := make([]json5.Step, len(path))
	for i, k := range path {
		out[i] = json5.Key(k)
	}
	return out
}

// parse reads a text whose top has to be an object; a blank text has none.
func (j jsonFormat) parse(f File, text []byte) (*json5.Node, error) {
	if json5.Blank(text) {
		return &json5.Node{Kind: json5.Object}, nil
	}
	root, err := json5.Parse(text)
	if root == nil { // a key that stands twice leaves a tree, and no program minds
		return nil, unreadable(f, err)
	}
	if root.Kind != json5.Object {
		return nil, toolcrib.NewError(toolcrib.KindConfig,
			fmt.Sprintf("%s: line %d: found %v, expected an object", f.Path, root.Start.Line, root.Kind), "mend the file by hand")
	}
	return root, nil
}

// unreadable says where a text doesn't parse, and quotes nothing of it but keys.
func unreadable(f File, err error) error {
	what := "it can't be read"
	if one := (*json5.Error)(nil); errors.As(err, &one) {
		what = one.Error()
	}
	return toolcrib.NewError(toolcrib.KindConfig, f.Path+": "+what,
		"nothing was changed; mend the file and try again").WithCause(err)
}
