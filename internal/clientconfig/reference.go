package clientconfig

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// syntax is how a program writes references to variables. The zero syntax knows
// none: all text is plain.
type syntax struct {
	// find matches one reference.
	find *regexp.Regexp
	// refer says what toolcrib writes for the groups of a match.
	refer func(groups []string, in setting) reference
}

// setting is where a text stands.
type setting struct {
	// file is the file, and key the place of the text within its server.
	file File
	key  string
	// alone says that the text is the reference and nothing else.
	alone bool
	// inputs are the questions that the file makes an editor ask.
	inputs map[string]input
}

// input is a question of an editor; its answer may have a default.
type input struct {
	fallback string
	known    bool
}

// reference is the outcome for one match.
type reference struct {
	// text is toolcrib's source; plain says that it is text to be escaped.
	text  string
	plain bool
	note  string
	// unresolved says that the text can't work as it is.
	unresolved bool
}

// translate turns a text of the program into one of toolcrib. It returns notes
// for people and whether something can't work as it is.
func (x syntax) translate(text string, in setting) (string, []string, bool) {
	if x.find == nil {
		return escape(text), nil, false
	}
	var b strings.Builder
	var notes []string
	unresolved, at := false, 0
	for _, m := range x.find.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(escape(text[at:m[0]]))
		at = m[1]
		in.alone = m[0] == 0 && m[1] == len(text)
		r := x.refer(groups(text, m), in)
		if r.plain {
			r.text = escape(r.text)
		}
		if strings.HasPrefix(r.text, "${") && strings.HasSuffix(b.String(), "$") {
			r.note, r.unresolved = "has a $ right before a variable, which toolcrib can't write: change it by hand", true
		}
		b.WriteString(r.text)
		if r.note != "" {
			notes = append(notes, in.key+" "+r.note)
		}
		unresolved = unresolved || r.unresolved
	}
	b.WriteString(escape(text[at:]))
	return b.String(), notes, unresolved
}

func groups(text string, m []int) []string {
	out := make([]string, len(m)/2)
	for i := range out {
		if m[2*i] >= 0 {
			out[i] = text[m[2*i]:m[2*i+1]]
		}
	}
	return out
}

// escape writes plain text as toolcrib wants it.
func escape(text string) string { return strings.ReplaceAll(text, "${", "$${") }

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// variable is toolcrib's reference to an environment variable.
func variable(name, fallback string, hasFallback bool) string {
	if !plainName.MatchString(name) {
		name = "env:" + name
	}
	if hasFallback {
		name += ":-" + fallback
	}
	return "${" + name + "}"
}

// dollars is ${NAME} and ${NAME:-default}, as Claude Code has it.
var dollars = syntax{regexp.MustCompile(`\$\{([^}]+)\}`), func(g []string, in setting) reference {
	name, fallback, has := strings.Cut(g[1], ":-")
	switch name, _ = strings.CutPrefix(name, "env:"); name {
	case "CLAUDE_PROJECT_DIR":
		return projectFolder(in, g[0])
	case "CLAUDE_PLUGIN_ROOT":
		return onlyThere(name)
	}
	return reference{text: variable(name, fallback, has)}
}}

// loose is $NAME, ${NAME} and ${NAME:-default}, as Gemini CLI has it. A variable
// that isn't set stays as text there; for names that no one gives to a variable,
// such as in "pa$word", that is kept.
var loose = syntax{regexp.MustCompile(`\$(?:(\w+)|\{([^}]+?)(?::-([^}]*))?\})`), func(g []string, _ setting) reference {
	switch {
	case g[2] != "":
		return reference{text: variable(g[2], g[3], strings.Contains(g[0], ":-"))}
	case !plainName.MatchString(g[1]):
		return reference{text: g[0], plain: true}
	case g[1] != strings.ToUpper(g[1]):
		return reference{text: variable(g[1], g[0], true)}
	}
	return reference{text: variable(g[1], "", false)}
}}

// prefixed is ${env:NAME} and ${file:PATH}, as Windsurf has it.
var prefixed = syntax{regexp.MustCompile(`\$\{(env|file):([^}]+)\}`), func(g []string, in setting) reference {
	if g[1] == "file" {
		return reference{text: "${file:" + beside(in.file, g[2]) + "}"}
	}
	return reference{text: variable(g[2], "", false)}
}}

// braces is {env:NAME} and {file:PATH}, as opencode has it.
var braces = syntax{regexp.MustCompile(`\{(env|file):([^}]+)\}`), prefixed.refer}

var rooted = regexp.MustCompile(`^(?:[/\\~]|[A-Za-z]:)`)

// beside is a path that stands in a file: a relative one starts in the file's folder.
func beside(f File, path string) string {
	if rooted.MatchString(path) {
		return path
	}
	i := strings.LastIndexAny(f.Path, `/\`)
	if i < 0 {
		return path
	}
	return f.Path[:i+1] + strings.TrimPrefix(path, "./")
}

// editor is the ${…} of VS Code, and of Cursor, which took it over.
var editor = syntax{regexp.MustCompile(`\$\{([^}]*)\}`), func(g []string, in setting) reference {
	kind, rest, hasRest := strings.Cut(g[1], ":")
	switch {
	case kind == "env" && hasRest && rest != "":
		name, fallback, has := strings.Cut(rest, ":-")
		return reference{text: variable(name, fallback, has)}
	case kind == "input" && hasRest:
		return in.ask(rest)
	case kind == "userHome":
		return reference{text: "${userHome}"}
	case kind == "workspaceFolder", kind == "workspaceRoot", kind == "cwd":
		return projectFolder(in, g[0])
	case kind == "workspaceFolderBasename":
		r := projectFolder(in, g[0])
		if r.plain {
			r.text = r.text[strings.LastIndexAny(r.text, `/\`)+1:]
		}
		return r
	case kind == "pathSeparator", kind == "/":
		return reference{text: "/", plain: true}
	case hasRest && (kind == "config" || kind == "command" || kind == "extensionInstallFolder"):
		return onlyThere(g[1])
	}
	return reference{text: g[0], plain: true, note: "has a ${…} that is plain text there, and is kept so"}
}}

// onlyThere is a variable that the program itself fills in.
func onlyThere(name string) reference {
	stand := name
	if !plainName.MatchString(name) {
		stand = slug(name)
	}
	return reference{
		text:       variable(stand, "", false),
		note:       fmt.Sprintf("uses ${%s}, which only the program itself knows: write the value", name),
		unresolved: true,
	}
}

// projectFolder is the folder of the project, which is known for a project's own file.
func projectFolder(in setting, ref string) reference {
	if dir := in.file.project(); dir != "" {
		return reference{text: dir, plain: true}
	}
	return onlyThere(strings.Trim(ref, "${}"))
}

// projectFolders are those in which programs keep files within a project.
var projectFolders = []string{".cursor", ".vscode", ".gemini", ".codex", ".opencode"}

// project is the folder of the project that a file belongs to, "" when it isn't known.
func (f File) project() string {
	switch f.Scope {
	case scopeLocal:
		return f.Project
	case scopeProject:
		dir := strings.ReplaceAll(f.Path, `\`, "/")
		dir = dir[:max(strings.LastIndex(dir, "/"), 0)]
		if base := dir[strings.LastIndex(dir, "/")+1:]; slices.Contains(projectFolders, base) {
			dir = dir[:max(len(dir)-len(base)-1, 0)]
		}
		return f.Path[:len(dir)]
	}
	return ""
}

// ask is the answer to a question of an editor: a variable of the same name, or
// of that which the answer is given to.
func (in setting) ask(id string) reference {
	name := slug(id)
	if key, ok := strings.CutPrefix(in.key, "env."); ok && in.alone && plainName.MatchString(key) {
		name = key
	}
	q := in.inputs[id]
	if q.known && !strings.Contains(q.fallback, "}") {
		return reference{
			text: variable(name, q.fallback, true),
			note: fmt.Sprintf("is asked for by the editor (input %q): it is the variable %s now, or else the question's default", id, name),
		}
	}
	return reference{
		text:       variable(name, "", false),
		note:       fmt.Sprintf("is asked for by the editor (input %q): set the environment variable %s", id, name),
		unresolved: true,
	}
}

// slug makes the name of a variable.
func slug(text string) string {
	out := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, text)
	if !plainName.MatchString(out) {
		out = "_" + out
	}
	return out
}
