package signature_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolcrib/toolcrib/internal/signature"
)

// parse reads a signature as its grammar says and holds every bound on the way.
func parse(text string, bounds signature.Bounds) error {
	for _, r := range text {
		if !unicode.IsPrint(r) || r == utf8.RuneError && !strings.Contains(text, "\uFFFD") {
			return fmt.Errorf("%q is not printable", r)
		}
	}
	p := &parser{rest: text, bounds: bounds}
	p.union(0)
	if p.err == nil && p.rest != "" {
		p.failf("unread text")
	}
	return p.err
}

type parser struct {
	rest   string
	bounds signature.Bounds
	err    error
}

var (
	wordPattern   = regexp.MustCompile(`^(string|number|boolean|null|unknown|never)\b`)
	scalarPattern = regexp.MustCompile(`^("(\\.|[^"\\])*"|-?[0-9][0-9.eE+-]*|true|false)`)
	keyPattern    = regexp.MustCompile(`^([A-Za-z_$][A-Za-z0-9_$]*|"(\\.|[^"\\])*")`)
)

func (p *parser) failf(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("at %q: %s", p.rest, fmt.Sprintf(format, args...))
	}
	p.rest = ""
}

func (p *parser) take(text string) bool {
	after, ok := strings.CutPrefix(p.rest, text)
	if ok {
		p.rest = after
	}
	return ok
}

func (p *parser) want(text string) {
	if !p.take(text) {
		p.failf("want %q", text)
	}
}

func (p *parser) union(depth int) {
	members, literals := 0, 0
	for {
		if p.single(depth) {
			literals++
		} else {
			members++
		}
		if p.err != nil || !p.take(" | ") {
			break
		}
	}
	if members > p.bounds.UnionMembers || literals > p.bounds.Literals {
		p.failf("%d members and %d literals", members, literals)
	}
}

// single reads one member of a union and reports whether it is a literal.
func (p *parser) single(depth int) bool {
	switch {
	case p.take("{}"), p.take("{ ... }"):
		return false
	case p.take("{ "):
		p.object(depth + 1)
	case p.take("Array<"):
		p.nested(depth + 1)
		p.want(">")
	case p.take("Record<string, "):
		p.nested(depth + 1)
		p.want(">")
	case p.take("["):
		p.tuple(depth + 1)
	default:
		return p.leaf()
	}
	return false
}

func (p *parser) leaf() bool {
	if word := wordPattern.FindString(p.rest); word != "" {
		p.take(word)
		return false
	}
	literal := scalarPattern.FindString(p.rest)
	if !json.Valid([]byte(literal)) || utf8.RuneCountInString(literal) > p.bounds.LiteralChars {
		p.failf("bad literal %q", literal)
	}
	p.take(literal)
	return true
}

// nested reads the inside of an array; Array<unknown> may stand one level too deep.
func (p *parser) nested(depth int) {
	if depth > p.bounds.Depth && !strings.HasPrefix(p.rest, "unknown>") {
		p.failf("too deep")
		return
	}
	p.union(depth)
}

func (p *parser) tuple(depth int) {
	if depth > p.bounds.Depth {
		p.failf("too deep")
	}
	for p.err == nil && !p.take("]") {
		repeats := p.take("...Array<")
		p.union(depth)
		if repeats {
			p.want(">")
		}
		p.take(", ")
	}
}

func (p *parser) object(depth int) {
	if depth > p.bounds.Depth {
		p.failf("too deep")
	}
	var required, optional []string
	for p.err == nil {
		if p.take("... }") {
			break
		}
		key := keyPattern.FindString(p.rest)
		name := key
		if strings.HasPrefix(key, `"`) && json.Unmarshal([]byte(key), &name) != nil || key == "" {
			p.failf("bad key %q", key)
		}
		p.take(key)
		if p.take("?") {
			optional = append(optional, name)
		} else {
			required = append(required, name)
			if len(optional) > 0 {
				p.failf("required %q after an optional property", name)
			}
		}
		p.want(": ")
		p.union(depth)
		if p.take(" }") {
			break
		}
		p.want("; ")
	}
	if len(required)+len(optional) > p.bounds.Properties || !sorted(required) || !sorted(optional) {
		p.failf("properties %q, %q", required, optional)
	}
}

func sorted(names []string) bool {
	return slices.IsSortedFunc(names, func(a, b string) int {
		if a == b {
			return 1 // a double is out of order as well
		}
		return strings.Compare(a, b)
	})
}
