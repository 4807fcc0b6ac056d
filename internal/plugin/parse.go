package plugin

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// Bounds of a manifest.
const (
	maxFile  = 4 << 20 // bytes
	maxTools = 20_000
	maxName  = 1024 // bytes of a tool's name
)

// Parse reads the text of the manifest at path. The error joins all that is wrong,
// each of KindConfig with FILE:LINE:COLUMN; the manifest is then nil, and id what
// the text gives as its id, if that can be told.
func Parse(path string, text []byte) (m *Manifest, id string, err error) {
	r := &reader{path: path}
	root, err := json5.Parse(text)
	if faults := json5.Errors(nil); errors.As(err, &faults) {
		for _, f := range faults {
			hint := ""
			if !utf8.Valid(text) {
				hint = "save the file as UTF-8"
			}
			r.fail(f.Pos, "", f.Message(), hint)
		}
	}
	if root == nil {
		return nil, "", r.err()
	}
	hash := sha256.Sum256(text)
	m = &Manifest{Dir: filepath.Dir(path), Hash: hex.EncodeToString(hash[:])}
	r.manifest(m, root)
	if err := r.err(); err != nil {
		if n := root.Get("id"); n != nil && toolcrib.ValidOwner(n.Text) {
			id = n.Text
		}
		return nil, id, err
	}
	return m, m.ID, nil
}

// manifest reads the whole tree.
func (r *reader) manifest(m *Manifest, root *json5.Node) {
	ignored := ""
	r.fields(root, "", map[string]func(*json5.Node, string){
		"$schema": r.text(&ignored),
		"id":      r.text(&m.ID), "version": r.text(&m.Version), "description": r.text(&m.Description),
		"command": r.text(&m.Command), "args": r.texts(&m.Args), "env": r.variables(&m.Env),
		"tools": func(n *json5.Node, key string) { r.tools(m, n, key) },
		"hooks": func(n *json5.Node, key string) { r.hooks(m, n, key) },
	})
	if root.Kind != json5.Object {
		return
	}
	switch id := root.Get("id"); {
	case id == nil:
		r.fail(root.Start, "id", "is missing", `give the plugin one, such as id: "notes"`)
	case id.Kind == json5.String && !toolcrib.ValidOwner(id.Text):
		r.fail(id.Start, "id", "is not a letter or digit, then at most 63 letters, digits, _, . or -", "")
	}
	command := root.Get("command")
	switch blank := strings.TrimSpace(m.Command) == ""; {
	case command != nil && command.Kind == json5.String && blank:
		r.fail(command.Start, "command", "is empty", "name the program to start")
	case command == nil && (len(m.Hooks) == 0 || len(m.Tools) > 0):
		r.fail(root.Start, "command", "is missing", "name the program to start, one that speaks MCP on its standard input and output")
	}
	m.Command = within(m.Dir, m.Command)
}

// tools reads the declarations.
func (r *reader) tools(m *Manifest, n *json5.Node, key string) {
	if !r.is(n, json5.Array, key) {
		return
	}
	m.Declared = true
	if len(n.Items) > maxTools {
		r.fail(n.Start, key, fmt.Sprintf("declares more than %d tools", maxTools), "")
		return
	}
	seen := map[string]bool{}
	for i, item := range n.Items {
		at := fmt.Sprintf("%s[%d]", key, i)
		t := r.tool(item, at)
		if item.Kind != json5.Object {
			continue
		}
		name := item.Get("name")
		switch {
		case name == nil:
			r.fail(item.Start, at+".name", "is missing", "write the name under which the program lists the tool")
		case name.Kind != json5.String:
		case strings.TrimSpace(t.Name) == "" || len(t.Name) > maxName:
			r.fail(name.Start, at+".name", fmt.Sprintf("is empty or over %d bytes", maxName), "")
		case seen[t.Name]:
			r.fail(name.Start, at+".name", "stands twice", "keep one")
		}
		seen[t.Name] = true
		m.Tools = append(m.Tools, t)
	}
	slices.SortFunc(m.Tools, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
}

// tool reads one declaration.
func (r *reader) tool(n *json5.Node, at string) Tool {
	var t Tool
	r.fields(n, at, map[string]func(*json5.Node, string){
		"name": r.text(&t.Name), "title": r.text(&t.Title), "description": r.text(&t.Description),
		"parameters": r.schema(&t.Parameters), "outputSchema": r.schema(&t.OutputSchema),
		"annotations":   func(n *json5.Node, key string) { t.Annotations = r.annotations(n, key) },
		"catalogMode":   r.word((*string)(&t.CatalogMode), string(toolcrib.CatalogDirectOnly)),
		"executionMode": r.word((*string)(&t.ExecutionMode), string(toolcrib.ExecutionSequential)),
		"ownerOnly":     r.yes(&t.OwnerOnly),
	})
	return t
}

// annotations reads MCP's hints.
func (r *reader) annotations(n *json5.Node, at string) *toolcrib.Annotations {
	a := new(toolcrib.Annotations)
	hint := func(into **bool) func(*json5.Node, string) {
		return func(n *json5.Node, key string) {
			*into = new(bool)
			r.yes(*into)(n, key)
		}
	}
	r.fields(n, at, map[string]func(*json5.Node, string){
		"title": r.text(&a.Title), "readOnlyHint": hint(&a.ReadOnly), "destructiveHint": hint(&a.Destructive),
		"idempotentHint": hint(&a.Idempotent), "openWorldHint": hint(&a.OpenWorld),
	})
	return a
}

// hooks reads the hooks by name.
func (r *reader) hooks(m *Manifest, n *json5.Node, key string) {
	if !r.is(n, json5.Object, key) {
		return
	}
	for _, one := range n.Members {
		at := join(key, one.Key)
		if !toolcrib.ValidOwner(one.Key) {
			r.fail(one.KeyStart, at, "the name of a hook is a letter or digit, then at most 63 letters, digits, _, . or -", "")
		}
		h := r.hook(one, at)
		h.Command, h.Cwd = within(m.Dir, h.Command), in(m.Dir, h.Cwd)
		m.Hooks = append(m.Hooks, h)
	}
	slices.SortFunc(m.Hooks, func(a, b Hook) int { return strings.Compare(a.Name, b.Name) })
}

// in resolves a folder against the plugin's.
func in(dir, folder string) string {
	if filepath.IsAbs(folder) {
		return folder
	}
	return filepath.Join(dir, filepath.FromSlash(folder))
}

// hook reads one hook.
func (r *reader) hook(m json5.Member, at string) Hook {
	h := Hook{Name: m.Key, Enabled: true}
	timeout := 5000
	r.fields(m.Value, at, map[string]func(*json5.Node, string){
		"event": r.word(&h.Event, "before_tool_call", "after_tool_call"), "match": r.texts(&h.Match),
		"command": r.text(&h.Command), "args": r.texts(&h.Args), "env": r.variables(&h.Env), "cwd": r.text(&h.Cwd),
		"url": r.text(&h.URL), "secret": r.text(&h.Secret), "headers": r.variables(&h.Headers),
		"timeoutMs": r.whole(&timeout, 100, 60_000), "priority": r.whole(&h.Priority, -1_000_000, 1_000_000), "enabled": r.yes(&h.Enabled),
	})
	h.Timeout = time.Duration(timeout) * time.Millisecond
	if m.Value.Kind != json5.Object {
		return h
	}
	command, addr := m.Value.Get("command"), m.Value.Get("url")
	switch {
	case command != nil && addr != nil:
		r.fail(m.KeyStart, at, "has both command and url", "keep the one that is meant")
	case command == nil && addr == nil:
		r.fail(m.KeyStart, at, "has neither command nor url", "name the program to start, or the address to post to")
	case command != nil && command.Kind == json5.String && strings.TrimSpace(command.Text) == "":
		r.fail(command.Start, at+".command", "is empty", "name the program to start")
	case addr != nil && addr.Kind == json5.String && !webAddress(addr.Text):
		r.fail(addr.Start, at+".url", "is not an address of the web", "write it as https://HOST/PATH or http://HOST/PATH")
	}
	if m.Value.Get("event") == nil {
		r.fail(m.KeyStart, at, "has no event", `write event: "before_tool_call" or event: "after_tool_call"`)
	}
	for i, p := range h.Match {
		if strings.TrimSpace(p) == "" {
			r.fail(m.Value.Get("match").Start, fmt.Sprintf("%s.match[%d]", at, i), "is an empty pattern", `"*" matches every tool`)
		}
	}
	return h
}

func webAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}
