package clientconfig

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
)

func (c codex) read(f File, text []byte) ([]Server, error) {
	data, err := decodeTOML(f, text)
	if err != nil {
		return nil, err
	}
	lines := serverLines(text)
	all, ok := data[codexKey].(map[string]any)
	if !ok && data[codexKey] != nil {
		return nil, toolcrib.NewError(toolcrib.KindConfig, f.Path+": "+codexKey+" is no table, see line "+fmt.Sprint(lines[""]),
			"nothing was changed; mend the file and try again")
	}
	var out []Server
	for _, name := range slices.Sorted(maps.Keys(all)) {
		r := codexReader{out: Server{Name: name, Scope: f.Scope, Line: lines[name]}}
		r.read(all[name])
		out = append(out, r.out)
	}
	slices.SortStableFunc(out, func(a, b Server) int { return cmp.Compare(a.Line, b.Line) })
	return out, nil
}

// serverLines are the lines where the servers begin, and below "" that of the first of all.
func serverLines(text []byte) map[string]int {
	out := map[string]int{}
	d, err := scanTOML(text)
	if err != nil {
		return out
	}
	for _, item := range d.items {
		if len(item.path) == 0 || item.path[0] != codexKey {
			continue
		}
		line := 1 + strings.Count(string(text[:item.keys[0].from]), "\n")
		names := []string{""}
		if len(item.path) > 1 {
			names = append(names, item.path[1])
		}
		for _, name := range names {
			if out[name] == 0 {
				out[name] = line
			}
		}
	}
	return out
}

// codexReader reads one server. Codex has no references in texts: all is plain.
type codexReader struct{ out Server }

func (r *codexReader) note(format string, args ...any) {
	r.out.Notes = append(r.out.Notes, fmt.Sprintf(format, args...))
}

func (r *codexReader) read(v any) {
	table, ok := v.(map[string]any)
	if !ok {
		r.note("is no table and no server")
		r.out.Unresolved = true
		return
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		r.member(key, table[key])
	}
	if r.out.Command == "" && r.out.URL == "" {
		r.note("has no command and no address")
		r.out.Unresolved = true
	}
}

func (r *codexReader) member(key string, v any) {
	switch s := &r.out; key {
	case "command":
		s.Command = r.text(key, v)
	case "args":
		s.Args = r.list(key, v)
	case "cwd":
		s.Cwd = r.text(key, v)
	case "url":
		s.URL = r.text(key, v)
	case "env", "http_headers", "env_http_headers":
		r.table(key, v)
	case "env_vars":
		r.pass(v)
	case "bearer_token_env_var":
		r.header("Authorization", "Bearer "+variable(r.plain(v), "", false))
	case "enabled":
		on, ok := v.(bool)
		s.Disabled = ok && !on
	case "tool_timeout_sec":
		r.timeout(v)
	case "enabled_tools":
		s.Allow = r.list(key, v)
	case "disabled_tools":
		s.Deny = r.list(key, v)
	default:
		r.other(key)
	}
}

// plain is a text that isn't escaped, such as a name.
func (r *codexReader) plain(v any) string {
	text, _ := v.(string)
	return text
}

func (r *codexReader) text(key string, v any) string {
	text, ok := v.(string)
	if !ok {
		r.note("%s is no text and was left out", key)
	}
	return escape(text)
}

func (r *codexReader) list(key string, v any) []string {
	items, ok := v.([]any)
	if !ok {
		r.note("%s is no list and was left out", key)
	}
	var out []string
	for i, item := range items {
		out = append(out, r.text(fmt.Sprintf("%s[%d]", key, i), item))
	}
	return out
}

func (r *codexReader) table(key string, v any) {
	table, ok := v.(map[string]any)
	if !ok {
		r.note("%s is no table and was left out", key)
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		switch key {
		case "env":
			r.env(name, r.text(key+"."+name, table[name]))
		case "http_headers":
			r.header(name, r.text(key+"."+name, table[name]))
		default:
			r.header(name, variable(r.plain(table[name]), "", false))
		}
	}
}

func (r *codexReader) header(name, value string) {
	if r.out.Headers == nil {
		r.out.Headers = map[string]string{}
	}
	r.out.Headers[name] = value
}

func (r *codexReader) env(name, value string) {
	if r.out.Env == nil {
		r.out.Env = map[string]string{}
	}
	r.out.Env[name] = value
}

// pass reads the variables that are handed on. One that isn't set is empty here.
func (r *codexReader) pass(v any) {
	items, _ := v.([]any)
	for _, item := range items {
		name, ok := item.(string)
		if table, isTable := item.(map[string]any); isTable {
			name, ok = table["name"].(string)
			if table["source"] == "remote" {
				r.note("env_vars: %s is of a remote machine", name)
				continue
			}
		}
		if _, set := r.out.Env[name]; ok && !set {
			r.env(name, variable(name, "", true))
		}
	}
}

func (r *codexReader) timeout(v any) {
	seconds := 0.0
	switch v := v.(type) {
	case int64:
		seconds = float64(v)
	case float64:
		seconds = v
	}
	if seconds > 0 && seconds < 1<<21 {
		r.out.TimeoutMs = int(seconds * 1000)
		return
	}
	r.note("tool_timeout_sec can't be taken over")
}

// other says why a key isn't taken over.
func (r *codexReader) other(key string) {
	switch key {
	case "startup_timeout_sec", "startup_timeout_ms", "name", "required", "supports_parallel_tool_calls":
	case "oauth", "oauth_resource", "scopes", "bearer_token":
		r.note("%s: signing in is not taken over; give a token in headers", key)
	case "tools", "default_tools_approval_mode":
		r.note("%s: which calls are approved is Codex's own affair", key)
	default:
		r.note("%q is not taken over", key)
	}
}
