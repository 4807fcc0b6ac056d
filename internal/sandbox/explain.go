package sandbox

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var functionName = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*(\.[A-Za-z_$][A-Za-z0-9_$]*){0,7}$`)

// ValidFunction reports whether a script can be given a function of that name.
func ValidFunction(name string) bool {
	return len(name) <= 200 && functionName.MatchString(name) && !strings.Contains(name, "__proto__")
}

// TooMuchCode is the failure of a script over its limit.
func TooMuchCode(has, most int) *Failure {
	return &Failure{Kind: KindLimit, Limit: LimitCode, Message: fmt.Sprintf("the code has %d bytes, at most %d: split the work over several scripts", has, most)}
}

// Explain is for runtimes: it puts a failure into words that the script's
// author can act on, with the line of the code. Line, Column and Stack must be
// in the script's own lines.
func Explain(f Failure, s Script) *Failure {
	limits := s.Limits.WithDefaults()
	// Without memory even for an error, an engine throws null.
	if f.Kind == KindRuntime && strings.HasSuffix(f.Message, "the script threw null") && !throwsNull.MatchString(s.Code) {
		f.Kind, f.Limit = KindLimit, LimitMemory
	}
	switch f.Limit {
	case LimitMemory:
		f.Message = fmt.Sprintf("the script used more than %s of memory: keep less, such as a count or some fields of each item", size(limits.Memory))
	case LimitLogs:
		f.Message = fmt.Sprintf("the script logged more than %s: log less, or return what is needed", size(int64(limits.Logs)))
	case LimitResult:
		f.Message = fmt.Sprintf("the result is larger than %s of JSON: return only what is needed, such as some fields or the first items", size(int64(limits.Result)))
	case LimitWall, LimitTotal:
		f.Message += timeHint(s.Code)
	}
	lines := strings.Split(s.Code, "\n")
	if f.Line > len(lines) { // the end of the code, where a bracket was still open
		f.Line = len(lines)
		f.Column = len(lines[f.Line-1]) + 1
	}
	if f.Line > 0 {
		f.Excerpt = excerpt(lines[f.Line-1], f.Column)
		f.Message = nameCallee(f.Message, lines[f.Line-1], f.Column)
	} else {
		f.Line, f.Column = 0, 0
	}
	if hint := hint(f, s); hint != "" {
		f.Message += ". " + hint
	}
	return &f
}

var throwsNull = regexp.MustCompile(`throw\s*\(?\s*null|reject\(\s*(null)?\s*\)`)

func size(bytes int64) string {
	if bytes >= 1<<20 && bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	if bytes >= 1<<10 && bytes%(1<<10) == 0 {
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

var callee = regexp.MustCompile(`[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$`)

// nameCallee says what it was that could not be called, where the engine
// points to the bracket behind its name.
func nameCallee(message, line string, column int) string {
	runes := []rune(line)
	if message != "TypeError: not a function" || column < 2 || column > len(runes) || runes[column-1] != '(' {
		return message
	}
	name := callee.FindString(string(runes[:column-1]))
	if name == "" || len(name) > 100 {
		return message
	}
	return "TypeError: " + name + " is not a function"
}

// excerpt cuts a long line down to what is around the column.
func excerpt(line string, column int) string {
	const most = 160
	line = strings.TrimRight(line, "\r")
	runes := []rune(line)
	if len(runes) <= most {
		return strings.TrimSpace(line)
	}
	from := min(max(column-most/2, 0), len(runes)-most)
	cut := string(runes[from : from+most])
	if from > 0 {
		cut = "…" + cut
	}
	if from+most < len(runes) {
		cut += "…"
	}
	return cut
}

func timeHint(code string) string {
	if strings.Contains(code, "Date") && strings.Contains(code, "while") {
		return "; the clock of Date stands still in a script, so that a loop can't wait for it"
	}
	return ""
}

// hint says what to do about the mistakes that are often made.
func hint(f Failure, s Script) string {
	if f.Kind != KindSyntax && f.Kind != KindRuntime {
		return ""
	}
	if f.Kind == KindSyntax && imports.MatchString(f.Excerpt) || strings.Contains(f.Message, "could not load module") {
		return "Nothing can be imported. " + available(s)
	}
	missing := strings.Contains(f.Message, "is not defined")
	if f.Kind == KindSyntax || missing {
		if what := mistaken(s.Code); what != "" {
			return fmt.Sprintf("The code must be the body of an async JavaScript function, such as %q; this looks like %s", example(s), what)
		}
	}
	switch {
	case f.Kind == KindSyntax && typed.MatchString(f.Excerpt):
		return "It must be JavaScript, without TypeScript's types"
	case missing, strings.Contains(f.Message, "not a function"):
		return available(s)
	}
	return ""
}

var (
	typed   = regexp.MustCompile(`(\w\s*:\s*(string|number|boolean|any|unknown|void|Promise|Record|Array)\b|^\s*(interface|type|enum)\s+\w|\bas\s+\w+\s*;|<\w+>\()`)
	imports = regexp.MustCompile(`^\s*(import\b.*['"]|export\s+(default|const|function|class|async|\{|\*))`)
)

func available(s Script) string {
	text := "A script has the language, console.log"
	if len(s.Functions) > 0 {
		text += ", " + strings.Join(s.Functions[:min(len(s.Functions), 12)], ", ")
	}
	return text + ", and nothing else: no timers, modules, files, network or process"
}

func example(s Script) string {
	if len(s.Functions) == 0 {
		return "return 1 + 1"
	}
	return "const found = await " + s.Functions[0] + "(…); return found"
}

var commands = strings.Fields("ls cd cat curl wget git npm npx node python python3 pip bash sh sudo echo grep sed awk find mkdir rm cp mv touch export " +
	"docker kubectl chmod chown head tail ps kill ssh go make cargo jq apt apt-get brew which pwd env source")

// mistaken says what the code is, when it isn't JavaScript; "" when it may be.
func mistaken(code string) string {
	text := strings.TrimSpace(code)
	first, _, _ := strings.Cut(text, "\n")
	words := strings.Fields(first)
	if len(words) == 0 {
		return ""
	}
	switch {
	case strings.HasPrefix(text, "#!"), strings.HasPrefix(text, "$ "), slices.Contains(commands, words[0]) && shellLike(words):
		return "a shell command"
	case strings.HasPrefix(text, "<"):
		return "XML or HTML"
	case slices.Contains([]string{"def", "from", "print", "SELECT", "select", "elif"}, words[0]), words[0] == "import" && !strings.ContainsAny(first, "'\"({*"), pythonBlock.MatchString(first):
		return "another language"
	case prose.MatchString(first) && len(words) >= 3:
		return "prose"
	}
	return ""
}

var (
	pythonBlock = regexp.MustCompile(`^(async )?(def|class|for|if|with|while)\b[^{(]*[^{]*:\s*$`)
	prose       = regexp.MustCompile(`^["']?[A-Za-z][a-z']* [A-Za-z][A-Za-z']*,? [A-Za-z][A-Za-z' ,.:?!-]*$`)
)

// shellLike tells "find -name x" from "find(x)" and "find = 1".
func shellLike(words []string) bool {
	return len(words) == 1 || !strings.HasPrefix(words[1], "=") && !strings.HasPrefix(words[1], "(")
}
