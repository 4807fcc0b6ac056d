package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// ServerEntry is an MCP server as a file holds it: its texts are not expanded,
// so that "${TOKEN}" in them stays a reference. What is empty is left out of
// the file. Printing an entry would print secrets.
type ServerEntry struct {
	Name     string
	Command  string
	Args     []string
	Env      map[string]string
	Cwd      string
	URL      string
	Headers  map[string]string
	SSE      bool
	Disabled bool
	// TimeoutMs is 0 for the default.
	TimeoutMs   int
	Allow, Deny []string
}

// String names the server and nothing else of it.
func (e ServerEntry) String() string { return e.Name }

// GoString is String: %#v shows no secrets either.
func (e ServerEntry) GoString() string { return fmt.Sprintf("config.ServerEntry{Name: %q}", e.Name) }

// Source is the value of mcp.servers.NAME, as plain JSON on one line.
func (e ServerEntry) Source() []byte {
	entry := struct {
		Command   string            `json:"command,omitempty"`
		Args      []string          `json:"args,omitempty"`
		Env       map[string]string `json:"env,omitempty"`
		Cwd       string            `json:"cwd,omitempty"`
		URL       string            `json:"url,omitempty"`
		Headers   map[string]string `json:"headers,omitempty"`
		SSE       bool              `json:"sse,omitempty"`
		Enabled   *bool             `json:"enabled,omitempty"`
		TimeoutMs int               `json:"timeoutMs,omitempty"`
		Allow     []string          `json:"allow,omitempty"`
		Deny      []string          `json:"deny,omitempty"`
	}{e.Command, e.Args, e.Env, e.Cwd, e.URL, e.Headers, e.SSE, nil, e.TimeoutMs, e.Allow, e.Deny}
	if e.Disabled {
		entry.Enabled = new(false)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(entry) // texts and numbers: it can't fail
	return bytes.TrimRight(b.Bytes(), "\n")
}

// SameTarget reports whether both start the same program with the same
// arguments, or go to the same address.
func (e ServerEntry) SameTarget(f ServerEntry) bool {
	if e.URL != "" || f.URL != "" {
		return e.URL == f.URL
	}
	return e.Command == f.Command && slices.Equal(e.Args, f.Args)
}

// Same reports whether both are the same server in all that it is given. How
// toolcrib treats it (enabled, allow, deny, timeoutMs) doesn't count.
func (e ServerEntry) Same(f ServerEntry) bool { return len(e.Differs(f)) == 0 }

// Differs names the keys of what the two servers are given that are not the same.
// A server with an address has no command, arguments, folder and variables, and
// one without has no headers.
func (e ServerEntry) Differs(f ServerEntry) []string {
	var keys []string
	add := func(key string, same bool) {
		if !same {
			keys = append(keys, key)
		}
	}
	if e.URL != "" || f.URL != "" {
		add("url", e.URL == f.URL)
		add("headers", maps.Equal(e.Headers, f.Headers))
		return keys
	}
	add("command", e.Command == f.Command)
	add("args", slices.Equal(e.Args, f.Args))
	add("env", maps.Equal(e.Env, f.Env))
	add("cwd", e.Cwd == f.Cwd)
	return keys
}

// Check says what Load would find wrong with the server, such as a variable
// that is not set: errors of kind KindConfig whose messages start with the key
// inside of the server. It is nil for a server that can be used as it is.
func (e ServerEntry) Check(o Options) error {
	text := fmt.Appendf(nil, `{"mcp":{"servers":{%s:%s}}}`, quoted(e.Name), e.Source())
	node, err := json5.Parse(text)
	if err != nil {
		return configError("it can't be written down", "", err)
	}
	l := &loader{opts: o, problems: &problems{}}
	if path, _, err := ConfigPath(o); err == nil {
		l.path = absolutePath(path)
	}
	l.root = fromNode(node, func(json5.Pos) Origin { return Origin{Layer: LayerDefault} })
	l.check()
	redact := newRedactor(secretsOf(l.root)).Replace
	var out []error
	for _, f := range l.errs {
		key := strings.TrimPrefix(strings.TrimPrefix(f.Key, joinPath("mcp.servers", e.Name)), ".")
		out = append(out, configError(strings.TrimPrefix(redact(key+": "+f.Message), ": "), redact(f.hint), nil))
	}
	return errors.Join(out...)
}

func quoted(name string) []byte {
	text, _ := json.Marshal(name)
	return text
}

// FileServers returns the servers of the file that ConfigPath names, in its
// order and as they are written there: neither environment nor flags count. A
// file that is missing has none. It fails when the file can't be parsed.
func FileServers(o Options) ([]ServerEntry, error) {
	if p, err := Locate(o); err == nil && !p.Exists {
		return nil, nil
	}
	l := &loader{opts: o, problems: &problems{}}
	if err := l.read(); err != nil {
		return nil, err
	}
	if err := l.err(newRedactor(secretsOf(l.root)).Replace); err != nil {
		return nil, err
	}
	var list []ServerEntry
	servers := l.root.get("mcp").get("servers")
	if servers == nil {
		return nil, nil
	}
	for _, f := range servers.fields {
		list = append(list, entryOf(f.key, f.val))
	}
	return list, nil
}

func entryOf(name string, v *value) ServerEntry {
	on := v.get("enabled")
	return ServerEntry{
		Name: name, Command: text(v.get("command")), Args: texts(v.get("args")), Env: writtenMap(v.get("env")),
		Cwd: text(v.get("cwd")), URL: text(v.get("url")), Headers: writtenMap(v.get("headers")), SSE: yes(v.get("sse")),
		Disabled: on != nil && !on.bool, TimeoutMs: number(v.get("timeoutMs"), 0),
		Allow: texts(v.get("allow")), Deny: texts(v.get("deny")),
	}
}

// writtenMap is textMap for values that no check has turned into text yet.
func writtenMap(v *value) map[string]string {
	if v == nil {
		return nil
	}
	out := make(map[string]string, len(v.fields))
	for _, f := range v.fields {
		val := *f.val
		asText(&val)
		out[f.key] = val.text
	}
	return out
}

// CleanName returns name as a server may be called, and unlike those taken:
// also where letters are large or small, or signs other than letters differ.
func CleanName(name string, taken []string) string {
	clean := name
	if !toolcrib.ValidOwner(name) {
		clean = slug(name)
	}
	used := map[string]int{}
	for _, other := range taken {
		used[fold(other)] = 1
	}
	if used[fold(clean)] > 0 {
		clean = clean[:min(len(clean), 56)]
	}
	return freeName(clean, used)
}

// Variables lists the variables of the environment that the server's texts
// refer to, sorted.
func (e ServerEntry) Variables() []string {
	found := map[string]bool{}
	all := slices.Concat([]string{e.Command, e.Cwd, e.URL}, e.Args, slices.Collect(maps.Values(e.Env)), slices.Collect(maps.Values(e.Headers)))
	for _, s := range all {
		for _, rest := range strings.Split(strings.ReplaceAll(s, "$${", ""), "${")[1:] {
			name, _, closed := strings.Cut(rest, "}")
			name = strings.TrimPrefix(name, "env:")
			if _, _, fallback := strings.Cut(name, ":-"); closed && !fallback && validVariable(name) && name != "userHome" {
				found[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}
