package config

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// expander replaces ${NAME}, ${NAME:-default}, ${env:NAME} and ${file:PATH} in
// strings. "$${" stands for "${".
type expander struct {
	opts Options
	dir  string // of the configuration file
	*problems
}

// tree expands every string below v. In a server, a plugin or a hook that is
// switched off an unset variable is no error: the text stays as it is.
func (x *expander) tree(v *value, s *spec, path string, off bool) {
	if s == nil || v == nil {
		return
	}
	if s.Path == "mcp.servers.*" || s.Path == "hooks.*" || s.Path == "plugins.entries.*" {
		x.tree(v.get("enabled"), s.child("enabled"), joinPath(path, "enabled"), off)
		if e := v.get("enabled"); e != nil && e.kind == json5.Bool && !e.bool {
			off = true
		}
	}
	switch v.kind {
	case json5.String:
		x.value(v, s, path, off)
	case json5.Array:
		for i, item := range v.items {
			x.tree(item, s.item, itemPath(path, i), off)
		}
	case json5.Object:
		for _, f := range v.fields {
			x.tree(f.val, s.child(f.key), joinPath(path, f.key), off)
		}
	}
}

// value expands one string in place. Where the key takes no free text, the
// outcome is read as the environment's values are: "${LIMIT}" can be a number.
func (x *expander) value(v *value, s *spec, path string, off bool) {
	if !strings.Contains(v.text, "$") {
		return
	}
	text, pieces, err := x.text(v.text)
	switch {
	case err != nil && off:
		v.bad = s.Type&String == 0 || s.Enum != nil // left out: the server is not in use
		return
	case err != nil:
		v.bad = true
		switch {
		case err.unset && strings.HasPrefix(path, "mcp.servers"):
			err.hint += ", or switch the server off with enabled: false"
		case err.unset && strings.HasPrefix(path, "plugins.entries"):
			err.hint += ", or switch the plugin off with enabled: false"
		case err.unset && strings.HasPrefix(path, "hooks."):
			err.hint += ", or switch the hook off with enabled: false"
		}
		x.fail(v.origin, path, err.message, err.hint)
		x.errs[len(x.errs)-1].unset = err.unset
		return
	case s.Type&String != 0 && s.Enum == nil:
		v.text, v.pieces = text, append(v.pieces, pieces...)
		return
	case text == v.text:
		return
	}
	at := v.origin
	if *v = *readSetting(text, s, at, nil); s.Type&(List|Object|Map) != 0 {
		v.secret(pieces)
	}
}

// secret marks every string below v as made of pieces.
func (v *value) secret(pieces []string) {
	if v.kind == json5.String && len(pieces) > 0 {
		v.pieces = append(v.pieces, v.text)
	}
	for _, item := range v.items {
		item.secret(pieces)
	}
	for _, f := range v.fields {
		f.val.secret(pieces)
	}
}

type expandError struct {
	message, hint string
	unset         bool // a variable is missing, and nothing else is wrong
}

// text expands one string and returns what entered it from outside.
func (x *expander) text(s string) (string, []string, *expandError) {
	var b strings.Builder
	var pieces []string
	for {
		before, rest, ok := strings.Cut(s, "${")
		if !ok {
			b.WriteString(s)
			return b.String(), pieces, nil
		}
		if literal, escaped := strings.CutSuffix(before, "$"); escaped {
			b.WriteString(literal + "${")
			s = rest
			continue
		}
		b.WriteString(before)
		name, after, ok := strings.Cut(rest, "}")
		if !ok {
			return "", nil, &expandError{message: `a "${" has no "}"`, hint: `write "$${" for a plain "${"`}
		}
		text, secret, err := x.reference(name)
		if err != nil {
			return "", nil, err
		}
		b.WriteString(text)
		if secret && text != "" {
			pieces = append(pieces, text)
		}
		s = after
	}
}

// reference resolves what stands between the braces.
func (x *expander) reference(ref string) (text string, secret bool, err *expandError) {
	if path, ok := strings.CutPrefix(ref, "file:"); ok {
		return x.file(path)
	}
	name, prefixed := strings.CutPrefix(ref, "env:")
	name, fallback, hasFallback := strings.Cut(name, ":-")
	if name == "userHome" && !prefixed {
		return x.opts.Home, false, nil
	}
	if !prefixed && !validVariable(name) {
		return "", false, badReference(ref)
	}
	got, set := x.opts.env(name)
	switch {
	case hasFallback && got == "":
		return fallback, secretName(name), nil
	case !set:
		return "", false, unsetVariable(name, prefixed)
	}
	return got, !plainVariables[strings.ToUpper(name)], nil
}

func badReference(ref string) *expandError {
	if kind, _, ok := strings.Cut(ref, ":"); ok && validVariable(kind) {
		return &expandError{
			message: fmt.Sprintf("${%s:…} is not known", kind),
			hint:    `known are ${NAME}, ${NAME:-default}, ${env:NAME} and ${file:PATH}; write "$${" for a plain "${"`,
		}
	}
	return &expandError{
		message: `a "${…}" holds no name of a variable`,
		hint:    `a name is letters, digits and _; write ${env:NAME} for any other, and "$${" for a plain "${"`,
	}
}

func unsetVariable(name string, prefixed bool) *expandError {
	hint := fmt.Sprintf("set it, or write ${%s:-default}", name)
	if !prefixed && strings.HasPrefix(name, "workspaceFolder") {
		hint = "an editor fills it in, and toolcrib has no workspace: write the path"
	}
	return &expandError{message: fmt.Sprintf("the environment variable %s is not set", name), hint: hint, unset: true}
}

// file reads a file's text without the newline at its end.
func (x *expander) file(path string) (string, bool, *expandError) {
	full := x.opts.resolve(path, x.dir)
	if path == "" {
		return "", false, &expandError{message: "${file:} names no file", hint: "write ${file:PATH}"}
	}
	data, err := x.opts.readFile(full, true)
	if err != nil {
		return "", false, &expandError{
			message: fmt.Sprintf("${file:%s}: %v", path, err),
			hint:    "a relative path starts at " + filepath.ToSlash(x.dir),
		}
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	return text, true, nil
}

// validVariable reports whether s is a name that ${NAME} takes.
func validVariable(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
