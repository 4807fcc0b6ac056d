package exec

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of a line that can run by the allow-list.
const (
	maxSimple = 32   // simple commands
	maxWords  = 1024 // words of one of them
)

// Simple is one simple command: the program and its arguments.
type Simple struct {
	Words []string `json:"words"`
	// Join says that its standard error goes where its standard output goes.
	Join bool `json:"join,omitempty"`
}

// Pipeline is what runs at once, the output of each the input of the next.
type Pipeline struct {
	// After is "", "&&" or "||": whether it runs depends on the pipeline before.
	After    string   `json:"after,omitempty"`
	Commands []Simple `json:"commands"`
}

// parse reads a line of literal words. Its error says why a line is none.
func parse(line string) ([]Pipeline, error) {
	if what := odd(line); what != "" {
		return nil, fmt.Errorf("it holds %s", what)
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(line), "")
	if err != nil {
		return nil, fmt.Errorf("it is not read as a command line: %w", bare(err))
	}
	if len(file.Last) > 0 {
		return nil, errors.New("it holds a comment")
	}
	var r reader
	for i, s := range file.Stmts {
		after := ""
		if i > 0 {
			after = ";"
		}
		if err := r.statement(s, after); err != nil {
			return nil, err
		}
	}
	if len(r.lines) == 0 {
		return nil, errors.New("it holds no command")
	}
	return r.lines, nil
}

// bare is a parser's error without a place, which is of no use in one line.
func bare(err error) error {
	text := err.Error()
	if _, rest, ok := strings.Cut(text, ": "); ok {
		text = rest
	}
	return errors.New(text)
}

// odd names the first character of a line that could be read in two ways, or not
// be seen; empty when there is none.
func odd(line string) string {
	if !utf8.ValidString(line) {
		return "bytes that are not UTF-8"
	}
	for _, r := range line {
		switch {
		case r >= ' ' && r <= '~':
		case r == '\n' || r == '\r':
			return "a line break"
		case r < ' ' || r == 0x7f:
			return fmt.Sprintf("a control character (U+%04X)", r)
		case !unicode.IsPrint(r), unicode.Is(unicode.Variation_Selector, r), unicode.In(r, unicode.Bidi_Control), unicode.IsSpace(r),
			r == utf8.RuneError, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0:
			return fmt.Sprintf("a character that isn't seen, or changes how others are (U+%04X)", r)
		}
	}
	return ""
}

// reader collects the pipelines of a line.
type reader struct {
	lines []Pipeline
	count int
}

// statement adds one statement, and fails for all but lists, pipelines and
// simple commands.
func (r *reader) statement(s *syntax.Stmt, after string) error {
	if err := plain(s); err != nil {
		return err
	}
	if b, ok := s.Cmd.(*syntax.BinaryCmd); ok && (b.Op == syntax.AndStmt || b.Op == syntax.OrStmt) {
		if len(s.Redirs) > 0 {
			return errors.New("it redirects a group of commands")
		}
		if err := r.statement(b.X, after); err != nil {
			return err
		}
		return r.statement(b.Y, b.Op.String())
	}
	var commands []Simple
	if err := r.pipeline(s, &commands); err != nil {
		return err
	}
	if after == ";" {
		after = ""
	}
	r.lines = append(r.lines, Pipeline{After: after, Commands: commands})
	return nil
}

// plain refuses what a statement has around its command.
func plain(s *syntax.Stmt) error {
	switch {
	case len(s.Comments) > 0:
		return errors.New("it holds a comment")
	case s.Background || s.Coprocess || s.Disown:
		return errors.New("it starts something in the background")
	case s.Negated:
		return errors.New("it negates a command")
	case s.Cmd == nil:
		return errors.New("it redirects without a command")
	}
	return nil
}

func (r *reader) pipeline(s *syntax.Stmt, into *[]Simple) error {
	if err := plain(s); err != nil {
		return err
	}
	b, ok := s.Cmd.(*syntax.BinaryCmd)
	if !ok {
		simple, err := r.simple(s)
		*into = append(*into, simple)
		return err
	}
	if b.Op != syntax.Pipe || len(s.Redirs) > 0 {
		return fmt.Errorf("it joins commands by %s", b.Op)
	}
	if err := r.pipeline(b.X, into); err != nil {
		return err
	}
	return r.pipeline(b.Y, into)
}

func (r *reader) simple(s *syntax.Stmt) (Simple, error) {
	call, ok := s.Cmd.(*syntax.CallExpr)
	switch {
	case !ok:
		return Simple{}, errors.New("it is more than simple commands")
	case len(call.Assigns) > 0:
		return Simple{}, errors.New("it sets a variable")
	case len(call.Args) == 0:
		return Simple{}, errors.New("it holds no command")
	case len(call.Args) > maxWords:
		return Simple{}, fmt.Errorf("it has more than %d words", maxWords)
	}
	if r.count++; r.count > maxSimple {
		return Simple{}, fmt.Errorf("it has more than %d commands", maxSimple)
	}
	var c Simple
	for _, redirect := range s.Redirs {
		if !joins(redirect) || c.Join {
			return Simple{}, errors.New("it redirects to or from a file")
		}
		c.Join = true
	}
	for i, word := range call.Args {
		text, err := literal(word, i == 0)
		if err != nil {
			return Simple{}, err
		}
		c.Words = append(c.Words, text)
	}
	if neverListed(c.Words[0]) {
		return Simple{}, fmt.Errorf("%s is a part of the shell's language", c.Words[0])
	}
	return c, nil
}

// joins reports whether a redirection is 2>&1.
func joins(r *syntax.Redirect) bool {
	return r.Op == syntax.DplOut && r.N != nil && r.N.Value == "2" && r.Word != nil && r.Word.Lit() == "1" && r.Hdoc == nil
}

// literal is a word as it will run. The first one must be bare; the others may be
// quoted, but not escape anything, nor be more than one text to any shell.
func literal(word *syntax.Word, program bool) (string, error) {
	var b strings.Builder
	for i, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if err := unquoted(p.Value, i == 0, program); err != nil {
				return "", err
			}
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar || program {
				return "", errors.New("it quotes what should be plain")
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			text, err := quoted(p)
			if err != nil || program {
				return "", errors.New("it quotes what should be plain, or has something in quotes that the shell would change")
			}
			b.WriteString(text)
		default:
			return "", errors.New("it has something that the shell would replace")
		}
	}
	return b.String(), nil
}

// unquoted refuses what a shell would change in a word outside quotes.
func unquoted(text string, first, program bool) error {
	if at := strings.IndexAny(text, "\\$`*?[]{}<>|&;()\"'"); at >= 0 {
		return fmt.Errorf("it has %q outside quotes, which the shell may change", text[at])
	}
	if first && strings.HasPrefix(text, "~") || strings.Contains(text, "=~") || strings.Contains(text, ":~") {
		return errors.New("it has a ~ that the shell would replace")
	}
	if first && strings.HasPrefix(text, "#") || strings.HasPrefix(text, "!") {
		return fmt.Errorf("it has a %q that some shells would change", text[0])
	}
	if program && strings.IndexFunc(text, func(r rune) bool { return r > '~' }) >= 0 {
		return errors.New("the program's name has letters beyond ASCII")
	}
	return nil
}

// quoted is the text in double quotes.
func quoted(q *syntax.DblQuoted) (string, error) {
	if q.Dollar {
		return "", errors.New("translated")
	}
	var b strings.Builder
	for _, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || strings.ContainsAny(lit.Value, "\\$`!") {
			return "", errors.New("dynamic")
		}
		b.WriteString(lit.Value)
	}
	return b.String(), nil
}
