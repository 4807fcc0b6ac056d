package config

import (
	"regexp"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// maxShown is how many characters of a value are shown on a line.
const maxShown = 200

// rawSecrets are the secrets of a tree as the file has it. References are none.
func rawSecrets(root *value) []string {
	root = root.clone()
	if block := root.get("mcpServers"); block != nil {
		mcp := newObject(block.origin)
		mcp.set("servers", block)
		root.set("mcp", mcp)
	}
	return slices.DeleteFunc(secretsOf(root), isReference)
}

// change says what a target was and is.
func (t target) change(before, after *value, hide *redactor) Change {
	show := func(root *value) string {
		v := root
		for _, s := range t.steps {
			if v != nil && v.kind == json5.Array {
				if s.Index >= len(v.items) {
					return ""
				}
				v = v.items[s.Index]
			} else {
				v = v.get(s.Key)
			}
		}
		if v == nil {
			return ""
		}
		m := masker{hide: hide}
		if t.inverted && v.kind == json5.Bool {
			v = newBool(!v.bool, v.origin)
		}
		return shortened(string(m.masked(v, t.spec, lastKey(t.steps)).source()))
	}
	c := Change{Path: t.path, Old: show(before), New: show(after)}
	if n := len(t.steps); t.steps[n-1].Key == "" && t.steps[n-1].Index >= 0 && c.Old != "" && t.gone(before, after) {
		c.New = "" // the items behind it moved up
	}
	return c
}

// gone reports whether the target's list is shorter than it was.
func (t target) gone(before, after *value) bool {
	length := func(root *value) int {
		n := root.node()
		if list := json5.Find(n, t.steps[:len(t.steps)-1]); list != nil {
			return len(list.Items)
		}
		return 0
	}
	return length(after) < length(before)
}

func lastKey(steps []json5.Step) string {
	for _, s := range slices.Backward(steps) {
		if s.Key != "" {
			return s.Key
		}
	}
	return ""
}

func shortened(s string) string {
	if runes := []rune(s); len(runes) > maxShown {
		return string(runes[:maxShown-1]) + "…"
	}
	return s
}

// masker hides the secrets of a tree as the file has it: every value of env and
// headers, and what a redactor knows.
type masker struct{ hide *redactor }

// masked is a copy of v without secrets.
func (m masker) masked(v *value, s *spec, key string) *value {
	out := v.clone()
	m.mask(out, s, key)
	return out
}

func (m masker) mask(v *value, s *spec, key string) {
	if text, ok := m.replacement(v, s, key); ok {
		*v = *newString(text, v.origin)
	}
	for _, item := range v.items {
		m.mask(item, below(s, ""), key)
	}
	for _, f := range v.fields {
		m.mask(f.val, below(s, f.key), f.key)
	}
}

// replacement is what is shown in place of a value that can't be shown.
func (m masker) replacement(v *value, s *spec, key string) (string, bool) {
	if v.kind != json5.String && v.kind != json5.Number || v.kind == json5.String && isReference(v.text) {
		return "", false
	}
	if s == nil && secretName(key) || s != nil && (s.Secret || s.SecretNames) {
		return redacted, true
	}
	text := m.hide.Replace(v.text)
	return text, text != v.text
}

// below is the spec of a key or item below s. The block mcpServers is mcp.servers,
// and the environment of another program is env.
func below(s *spec, key string) *spec {
	switch {
	case s == nil:
		return nil
	case s == rootSpec() && key == "mcpServers":
		return s.child("mcp").child("servers")
	case s.Path == "mcp.servers.*" && key == "environment":
		return s.child("env")
	}
	return s.child(key)
}

// secretComment finds what a comment says of something with a secret's name.
var secretComment = regexp.MustCompile(`(?i)((?:token|secret|passw|key|auth|credential|cookie)[\w-]*["']?\s*[:=]\s*|bearer\s+)["']?[^\s"',]{6,}.*`)

// shownLines are the lines of text without secrets, as many as text has.
func (m masker) shownLines(text []byte) []string {
	root, err := json5.Parse(text)
	if err != nil {
		return nil
	}
	var b strings.Builder
	at := 0
	for _, c := range m.cuts(root, rootSpec(), "", nil) {
		b.Write(text[at:c.from])
		b.WriteString(c.text)
		for range strings.Count(string(text[c.from:c.to]), "\n") {
			b.WriteByte('\n')
		}
		at = c.to
	}
	b.Write(text[at:])
	lines := strings.SplitAfter(b.String(), "\n")
	for i, line := range lines {
		line = m.hide.Replace(line)
		if _, note, ok := strings.Cut(line, "//"); ok && secretComment.MatchString(note) || strings.Contains(line, "/*") {
			line = secretComment.ReplaceAllString(line, "${1}"+redacted)
		}
		lines[i] = strings.TrimRight(line, "\r\n")
	}
	return lines
}

// cut is a value of the text that something else is shown for.
type cut struct {
	from, to int
	text     string
}

func (m masker) cuts(n *json5.Node, s *spec, key string, out []cut) []cut {
	v := &value{kind: n.Kind, text: n.Text}
	if text, ok := m.replacement(v, s, key); ok {
		return append(out, cut{n.Start.Offset, n.End.Offset, string(newString(text, Origin{}).source())})
	}
	for _, item := range n.Items {
		out = m.cuts(item, below(s, ""), key, out)
	}
	for _, member := range n.Members {
		out = m.cuts(member.Value, below(s, member.Key), member.Key, out)
	}
	return out
}
