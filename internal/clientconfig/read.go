package clientconfig

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config/json5"
)

func (j jsonFormat) read(f File, text []byte) ([]Server, error) {
	root, err := j.parse(f, text)
	if err != nil {
		return nil, err
	}
	at := json5.Find(root, keys(j.block(f, root)...))
	if at == nil || at.Kind == json5.Null {
		return nil, nil
	}
	if at.Kind != json5.Object {
		return nil, notAnObject(f, at)
	}
	inputs := readInputs(root)
	var out []Server
	for _, m := range at.Members {
		r := serverReader{
			refs: j.refs, at: setting{file: f, inputs: inputs},
			out: Server{Name: m.Key, Scope: f.Scope, Line: m.KeyStart.Line},
		}
		r.read(m.Value)
		r.out.Disabled = r.out.Disabled || j.listedOff(f, root, m.Key)
		out = append(out, r.out)
	}
	return out, nil
}

func notAnObject(f File, n *json5.Node) error {
	return toolcrib.NewError(toolcrib.KindConfig,
		fmt.Sprintf("%s: line %d, column %d: the servers are %v, expected an object", f.Path, n.Start.Line, n.Start.Column, n.Kind),
		"nothing was changed; mend the file and try again")
}

// listedOff reports whether a list beside the servers switches one off.
func (j jsonFormat) listedOff(f File, root *json5.Node, name string) bool {
	return j.lists != nil && j.lists.off(root, name) ||
		j.skipped != nil && listed(json5.Find(root, keys(j.skipped(f, root)...)), name)
}

// off reports whether the lists keep a server from running.
func (l *nameLists) off(root *json5.Node, name string) bool {
	allowed := json5.Find(root, keys(l.allowed...))
	return listed(json5.Find(root, keys(l.excluded...)), name) ||
		allowed != nil && allowed.Kind == json5.Array && !listed(allowed, name)
}

// listed reports whether a list of names has one; case and spaces don't count.
func listed(list *json5.Node, name string) bool {
	return list != nil && slices.ContainsFunc(list.Items, func(n *json5.Node) bool {
		return n.Kind == json5.String && strings.EqualFold(strings.TrimSpace(n.Text), strings.TrimSpace(name))
	})
}

// readInputs collects the questions that the file makes an editor ask.
func readInputs(root *json5.Node) map[string]input {
	out := map[string]input{}
	list := root.Get("inputs")
	if list == nil {
		return out
	}
	for _, n := range list.Items {
		id, fallback := n.Get("id"), n.Get("default")
		if id == nil || id.Kind != json5.String {
			continue
		}
		if hidden := n.Get("password"); fallback != nil && fallback.Kind == json5.String && (hidden == nil || !hidden.Bool) {
			out[id.Text] = input{fallback: fallback.Text, known: true}
		}
	}
	return out
}

// serverReader reads one server.
type serverReader struct {
	refs syntax
	at   setting
	out  Server
	// kind is the transport that the server names, "" when it names none.
	kind string
}

func (r *serverReader) read(n *json5.Node) {
	if n.Kind != json5.Object {
		r.note("is %v and no server", n.Kind)
		r.out.Unresolved = true
		return
	}
	for _, m := range n.Members {
		if m.Value.Kind != json5.Null {
			r.member(m.Key, m.Value)
		}
	}
	r.finish()
}

// finish settles what several keys say together.
func (r *serverReader) finish() {
	switch s := &r.out; {
	case s.Command != "" && s.URL != "" && r.kind != "" && r.kind != "stdio" && r.kind != "local":
		s.Command, s.Args = "", nil
		r.note("has a command and an address; the address is taken, as its type says")
	case s.Command != "" && s.URL != "":
		s.URL, s.Headers = "", nil
		r.note("has a command and an address; the command is taken")
	case s.Command == "" && s.URL == "":
		s.Unresolved = true
		r.note("has no command and no address")
	case s.URL != "" && r.kind == "":
		path, _, _ := strings.Cut(s.URL, "?")
		s.SSE = strings.HasSuffix(strings.TrimRight(path, "/"), "/sse")
	}
	r.out.SSE = r.out.SSE && r.out.URL != ""
}

func (r *serverReader) note(format string, args ...any) {
	r.out.Notes = append(r.out.Notes, fmt.Sprintf(format, args...))
}

// text translates one text at a place.
func (r *serverReader) text(key, text string) string {
	r.at.key = key
	out, notes, unresolved := r.refs.translate(text, r.at)
	r.out.Notes = append(r.out.Notes, notes...)
	r.out.Unresolved = r.out.Unresolved || unresolved
	return out
}

func (r *serverReader) member(key string, n *json5.Node) {
	switch key {
	case "command":
		r.command(n)
	case "args":
		r.out.Args = append(r.out.Args, r.texts(key, n, true)...)
	case "env", "environment":
		r.out.Env = r.table("env", n)
	case "headers":
		r.out.Headers = r.table(key, n)
	case "cwd":
		r.out.Cwd = r.single(key, n)
	case "url", "serverUrl", "httpUrl":
		if u := r.single(key, n); r.out.URL == "" || key == "httpUrl" {
			r.out.URL = u
		}
	case "type", "transport", "transportType":
		r.transport(n)
	case "disabled", "enabled":
		if n.Kind == json5.Bool {
			r.out.Disabled = n.Bool == (key == "disabled")
		}
	case "timeout":
		r.timeout(n)
	case "disabledTools", "excludeTools":
		r.out.Deny = append(r.out.Deny, r.texts(key, n, false)...)
	case "includeTools", "enabledTools", "tools":
		r.out.Allow = append(r.out.Allow, allTools(r.texts(key, n, false))...)
	default:
		if n.Kind != json5.Bool || n.Bool {
			r.other(key)
		}
	}
}

// allTools drops a list that says "all of them".
func allTools(names []string) []string {
	if slices.Equal(names, []string{"*"}) {
		return nil
	}
	return names
}

// command reads the program; a list has its arguments too.
func (r *serverReader) command(n *json5.Node) {
	if n.Kind != json5.Array {
		r.out.Command = r.single("command", n)
		return
	}
	if line := r.texts("command", n, true); len(line) > 0 {
		r.out.Command = line[0]
		r.out.Args = append(slices.Clone(line[1:]), r.out.Args...)
	}
}

func (r *serverReader) single(key string, n *json5.Node) string {
	text, ok := scalar(n)
	if !ok {
		r.note("%s is %v and was left out", key, n.Kind)
		return ""
	}
	return r.text(key, text)
}

// scalar is the text of a value that programs give to a process as text.
func scalar(n *json5.Node) (string, bool) {
	switch n.Kind {
	case json5.String, json5.Number:
		return n.Text, true
	case json5.Bool:
		return fmt.Sprint(n.Bool), true
	}
	return "", false
}

func (r *serverReader) texts(key string, n *json5.Node, refs bool) []string {
	if n.Kind != json5.Array {
		r.note("%s is %v and was left out; it should be a list", key, n.Kind)
		return nil
	}
	var out []string
	for i, item := range n.Items {
		text, ok := scalar(item)
		at := fmt.Sprintf("%s[%d]", key, i)
		switch {
		case !ok:
			r.note("%s is %v and was left out", at, item.Kind)
			continue
		case refs:
			text = r.text(at, text)
		}
		out = append(out, text)
	}
	return out
}

func (r *serverReader) table(key string, n *json5.Node) map[string]string {
	if n.Kind != json5.Object {
		r.note("%s is %v and was left out; it should be an object", key, n.Kind)
		return nil
	}
	var out map[string]string
	for _, m := range n.Members {
		at := key + "." + m.Key
		text, ok := scalar(m.Value)
		if !ok {
			r.note("%s is %v and was left out", at, m.Value.Kind)
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[m.Key] = r.text(at, text)
	}
	return out
}

func (r *serverReader) transport(n *json5.Node) {
	if n.Kind != json5.String {
		return
	}
	switch r.kind = strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(n.Text)); r.kind {
	case "sse":
		r.out.SSE = true
	case "stdio", "local", "http", "streamablehttp", "remote":
	default:
		r.note("has a transport that toolcrib doesn't know")
		r.out.Unresolved = true
	}
}

func (r *serverReader) timeout(n *json5.Node) {
	if n.Kind == json5.Number && n.Number >= 1 && n.Number <= 1<<31 {
		r.out.TimeoutMs = int(n.Number)
		return
	}
	r.note("timeout can't be taken over")
}

// silent are keys that say nothing of the server itself.
var silent = []string{"description", "name", "icon", "gallery", "version", "autoApprove", "alwaysAllow", "alwaysLoad", "trust", "dev", "$schema"}

// other says why a key isn't taken over.
func (r *serverReader) other(key string) {
	switch {
	case slices.Contains(silent, key):
	case key == "oauth", key == "auth", key == "authProviderType", key == "targetAudience", key == "targetServiceAccount":
		r.note("%s: signing in is not taken over; give a token in headers", key)
	case key == "envFile":
		r.note("envFile: the variables of that file are not taken over; put those that are needed into env")
	case key == "headersHelper":
		r.note("headersHelper: no program is run for headers; give them in headers")
	case key == "sandboxEnabled":
		r.note("sandboxEnabled: toolcrib starts the server without that sandbox")
	case key == "tcp":
		r.note("tcp: a web socket can't be used")
	default:
		r.note("%q is not taken over", key)
	}
}
