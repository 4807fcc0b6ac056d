package files

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxGlob bounds a pattern, in bytes.
const maxGlob = 512

// glob is a compiled pattern for paths: * and ? stay within a name, ** goes
// through folders, [abc] and [!abc] are classes, {a,b} are alternatives, \ takes
// the next sign literally. A pattern without / is for names at any depth.
// It's matched in time linear to the path.
type glob struct {
	re    *regexp.Regexp
	under string // stands in front of each path
}

func globOf(pattern string) (*glob, error) {
	p := strings.TrimPrefix(pattern, "./")
	if p == "" || len(p) > maxGlob {
		return nil, refused("", "a pattern has 1 to %d bytes", maxGlob)
	}
	if strings.HasPrefix(p, "/") || strings.HasPrefix(p, "../") || strings.Contains(p, "/../") {
		return nil, refused("name the folder in path, and match what is below it", "the pattern %s leads out of the folder", shown(pattern))
	}
	if !strings.Contains(p, "/") {
		p = "**/" + p
	}
	g := globber{rest: p}
	if problem := g.all(); problem != "" {
		return nil, refused("", "the pattern %s %s", shown(pattern), problem)
	}
	re, err := regexp.Compile(`\A(?:` + g.out.String() + `)\z`)
	if err != nil {
		return nil, refused("", "the pattern %s can't be used", shown(pattern))
	}
	return &glob{re: re}, nil
}

// match reports whether a path, from the folder that is walked, fits.
func (g *glob) match(path string) bool { return g.re.MatchString(g.under + path) }

// globber translates a pattern into a regular expression.
type globber struct {
	rest  string
	out   strings.Builder
	depth int // of braces
}

func (g *globber) all() (problem string) {
	start := true // of a name
	for g.rest != "" {
		if start && strings.HasPrefix(g.rest, "**/") {
			g.rest = g.rest[3:]
			g.out.WriteString(`(?:[^/]+/)*`)
			continue
		}
		if start && g.rest == "**" {
			g.rest = ""
			g.out.WriteString(`.*`)
			break
		}
		r, size := utf8.DecodeRuneInString(g.rest)
		g.rest = g.rest[size:]
		start = r == '/' || start && (r == '{' || r == ',')
		if problem := g.sign(r); problem != "" {
			return problem
		}
	}
	if g.depth > 0 {
		return "has a { without its }"
	}
	return ""
}

func (g *globber) sign(r rune) (problem string) {
	switch {
	case r == '*':
		g.rest = strings.TrimLeft(g.rest, "*")
		g.out.WriteString(`[^/]*`)
	case r == '?':
		g.out.WriteString(`[^/]`)
	case r == '[':
		return g.class()
	case r == '{':
		g.depth++
		g.out.WriteString(`(?:`)
	case r == '}' && g.depth > 0:
		g.depth--
		g.out.WriteString(`)`)
	case r == ',' && g.depth > 0:
		g.out.WriteString(`|`)
	case r == '\\' && g.rest != "":
		next, size := utf8.DecodeRuneInString(g.rest)
		g.rest = g.rest[size:]
		g.out.WriteString(regexp.QuoteMeta(string(next)))
	default:
		g.out.WriteString(regexp.QuoteMeta(string(r)))
	}
	return ""
}

// class translates what stands between brackets.
func (g *globber) class() (problem string) {
	body := g.rest
	not := strings.HasPrefix(body, "!") || strings.HasPrefix(body, "^")
	if not {
		body = body[1:]
	}
	end := strings.IndexByte(body[min(1, len(body)):], ']')
	if end < 0 {
		return "has a [ without its ]"
	}
	body, g.rest = body[:end+1], body[end+2:]
	if strings.Contains(body, "/") {
		return "has a / between brackets"
	}
	quoted := strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, `^`, `\^`, `&`, `\&`, `~`, `\~`).Replace(body)
	if not {
		g.out.WriteString(`[^/` + quoted + `]`)
	} else {
		g.out.WriteString(`[` + quoted + `]`)
	}
	return ""
}
