package config

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// envFile reads the variables of the file that a server names in envFile.
// Those that stand in env win. All of them count as secrets. The file of a
// server that is switched off is left alone.
func (a adopter) envFile(v, out *value) {
	f := v.field("envFile")
	if f == nil || f.val.kind == json5.Null {
		return
	}
	if on := out.get("enabled"); on != nil && on.kind == json5.Bool && !on.bool {
		return
	}
	path := joinPath(a.path, "envFile")
	if f.val.kind != json5.String {
		a.fail(f.val.origin, path, fmt.Sprintf("found %v, expected a string", f.val.kind), "")
		return
	}
	dir := filepath.Dir(a.loader.path)
	name, _, bad := (&expander{opts: a.opts, dir: dir, problems: a.problems}).text(f.val.text)
	if bad != nil {
		a.fail(f.val.origin, path, bad.message, bad.hint)
		return
	}
	data, err := a.opts.readFile(a.opts.resolve(name, dir), true)
	if err != nil {
		a.fail(f.val.origin, path, err.Error(), "")
		return
	}
	env := out.get("env")
	if env == nil {
		env = newObject(f.val.origin)
		out.set("env", env)
	}
	for i, line := range strings.Split(string(data), "\n") {
		key, text, ok, err := envLine(line)
		switch {
		case err != "":
			a.fail(f.val.origin, path, fmt.Sprintf("line %d of the file %s", i+1, err), "write NAME=VALUE")
		case ok && env.get(key) == nil:
			val := newString(strings.ReplaceAll(text, "${", "$${"), f.val.origin) // as it is: no references in it
			val.pieces = []string{text}
			env.set(key, val)
		}
	}
}

// envLine reads NAME=VALUE, with "export" before it and quotes around the
// value if there are any. Empty lines and comments are not ok and no error.
func envLine(line string) (key, text string, ok bool, err string) {
	line = strings.TrimSpace(line)
	if line == "" || strings.HasPrefix(line, "#") {
		return "", "", false, ""
	}
	key, text, ok = strings.Cut(strings.TrimPrefix(line, "export "), "=")
	key, text = strings.TrimSpace(key), strings.TrimSpace(text)
	if !ok || !validVariable(key) {
		return "", "", false, "is not NAME=VALUE"
	}
	if text == "" {
		return key, "", true, ""
	}
	switch quote := text[0]; quote {
	case '\'', '"':
		end := strings.LastIndexByte(text, quote)
		if end == 0 {
			return "", "", false, "has a quote that is not closed"
		}
		text = text[1:end]
		if quote == '"' {
			text = strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t", `\"`, `"`, `\\`, `\`).Replace(text)
		}
	default:
		text, _, _ = strings.Cut(text, " #")
		text = strings.TrimSpace(text)
	}
	return key, text, true, ""
}
