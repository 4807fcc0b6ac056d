package files

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/builtin/gofunc"
)

const grepText = "Search the text of files of the workspace, line by line, by a regular expression (RE2: no look-around, no back references). " +
	"Binary files are left out, and what .gitignore files name."

const grepInput = `{
  "type": "object",
  "properties": {
    "pattern": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "Regular expression for one line."},
    "path": {"type": "string", "minLength": 1, "maxLength": 4096, "default": ".", "description": "File, or folder to start in."},
    "include": {"type": "string", "minLength": 1, "maxLength": 512, "description": "Searches only files that fit this pattern, such as *.go or src/**/*.ts."},
    "literal": {"type": "boolean", "default": false, "description": "Takes pattern as plain text."},
    "ignoreCase": {"type": "boolean", "default": false, "description": "Small and large letters are the same."},
    "context": {"type": "integer", "minimum": 0, "maximum": 10, "default": 0, "description": "How many lines to show before and after each match."},
    "hidden": {"type": "boolean", "default": false, "description": "Looks too at names that start with a dot."},
    "ignored": {"type": "boolean", "default": false, "description": "Looks too at what .gitignore files name."},
    "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100, "description": "How many matching lines at most."}
  },
  "required": ["pattern"],
  "additionalProperties": false
}`

const grepOutput = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "Where it started."},
    "matches": {
      "type": "array", "description": "Lines that match, by file and line.",
      "items": {
        "type": "object",
        "properties": {
          "path": {"type": "string", "description": "The file."},
          "line": {"type": "integer", "description": "Number of the line, from 1."},
          "column": {"type": "integer", "description": "Byte of the line at which the match starts, from 1."},
          "text": {"type": "string", "description": "The line; of a long one the part around the match."},
          "before": {"type": "array", "items": {"type": "string"}, "description": "Lines before it."},
          "after": {"type": "array", "items": {"type": "string"}, "description": "Lines after it."}
        },
        "required": ["path", "line", "column", "text"],
        "additionalProperties": false
      }
    },
    "files": {"type": "integer", "description": "How many text files were searched."},
    "binary": {"type": "integer", "description": "How many binary files were left out."},
    "partly": {"type": "integer", "description": "How many files were too large and searched only at the start."},
    "unread": {"type": "integer", "description": "How many files could not be read."},
    "stopped": {"enum": ["limit", "reply", "entries", "bytes", "time"], "description": "Why there may be more; absent when that is all."}
  },
  "required": ["path", "matches", "files"],
  "additionalProperties": false
}`

// longLine is how much of a line is shown, in bytes.
const longLine = 400

type grepArgs struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`
	Include    string `json:"include"`
	Literal    bool   `json:"literal"`
	IgnoreCase bool   `json:"ignoreCase"`
	Context    int    `json:"context"`
	Hidden     bool   `json:"hidden"`
	Ignored    bool   `json:"ignored"`
	Limit      *int   `json:"limit"`
}

type grepMatch struct {
	Path   string   `json:"path"`
	Line   int      `json:"line"`
	Column int      `json:"column"`
	Text   string   `json:"text"`
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
}

type grepAnswer struct {
	Path    string      `json:"path"`
	Matches []grepMatch `json:"matches"`
	Files   int         `json:"files"`
	Binary  int         `json:"binary,omitempty"`
	Partly  int         `json:"partly,omitempty"`
	Unread  int         `json:"unread,omitempty"`
	Stopped string      `json:"stopped,omitempty"`
}

func (s *Source) grepTool() gofunc.Tool {
	return described("grep", "Search in files", grepText, grepInput, grepOutput, s.grep, reading()...)
}

// search is one search under way.
type search struct {
	ctx     context.Context
	bounds  Bounds
	re      *regexp.Regexp
	must    []byte // what each match starts with; nil when that isn't known
	include *glob
	context int
	limit   int
	read    int // bytes

	answer grepAnswer
	lines  listing
	file   string // the one whose matches are being written
	last   int    // the line of it that was written last
}

func (s *Source) grep(ctx context.Context, call toolcrib.Call, in grepArgs) (toolcrib.Result, error) {
	x, err := s.search(ctx, in)
	if err != nil {
		return toolcrib.Result{}, err
	}
	w, at, err := s.look(call, in.Path)
	if barren(in.Path, err) {
		return answer(x.answer, "[no match: the workspace is empty]")
	}
	if err != nil {
		return toolcrib.Result{}, err
	}
	defer w.close()
	x.answer.Path = shownOr(at.path)
	note := ""
	if at.isFolder() {
		k := s.walk(ctx, w, func(e entry) (string, error) {
			if !e.info.Mode().IsRegular() || x.include != nil && !x.include.match(e.from(at)) {
				return "", nil
			}
			return x.in(e.spot())
		})
		k.hidden, k.ignored = in.Hidden, in.Ignored
		x.answer.Stopped, err = k.run(at.in, at.path)
		note = k.note(x.answer.Stopped)
	} else if err = at.regular(); err == nil {
		if x.answer.Stopped, err = x.in(at); x.answer.Stopped != "" {
			note = "[" + stopWords[x.answer.Stopped] + "]"
		}
	}
	if err != nil {
		return toolcrib.Result{}, ended(ctx, "search", at.path, err)
	}
	if len(x.answer.Matches) == 0 && x.answer.Stopped == "" {
		return answer(x.answer, fmt.Sprintf("[no match in %d text files]", x.answer.Files), note)
	}
	return answer(x.answer, x.lines.out.String(), note)
}

// search checks what is asked for.
func (s *Source) search(ctx context.Context, in grepArgs) (*search, error) {
	x := &search{
		ctx: ctx, bounds: s.opts.Bounds, context: in.Context, limit: valueOr(in.Limit, 100),
		answer: grepAnswer{Path: ".", Matches: []grepMatch{}}, lines: listing{left: s.opts.reply() - 1024},
	}
	if x.limit < 1 || x.limit > 1000 || x.context < 0 || x.context > 10 || len(in.Pattern) > 1000 || in.Pattern == "" {
		return nil, refused("limit is 1 to 1000, context 0 to 10, pattern 1 to 1000 bytes", "can't search like that")
	}
	expression := in.Pattern
	if in.Literal {
		expression = regexp.QuoteMeta(expression)
	}
	if in.IgnoreCase {
		expression = "(?i)" + expression
	}
	var err error
	if x.re, err = regexp.Compile(expression); err != nil {
		return nil, refused("set literal to search for plain text", "the pattern is no regular expression that can be used: %v", err)
	}
	if prefix, _ := x.re.LiteralPrefix(); prefix != "" {
		x.must = []byte(prefix)
	}
	if in.Include != "" {
		x.include, err = globOf(in.Include)
	}
	return x, err
}

// in searches one file, and returns why the search is to stop.
func (x *search) in(at spot) (string, error) {
	if x.read >= x.bounds.SearchBytes {
		return stoppedBytes, nil
	}
	data, _, whole, err := at.load(x.ctx, min(x.bounds.FileBytes, x.bounds.SearchBytes-x.read))
	if x.ctx.Err() != nil {
		return "", x.ctx.Err()
	}
	if err != nil {
		x.answer.Unread++
		return "", nil
	}
	x.read += len(data)
	if binary(data) != "" {
		x.answer.Binary++
		return "", nil
	}
	x.answer.Files++
	if !whole {
		x.answer.Partly++
	}
	return x.text(at.path, bytes.TrimPrefix(data, []byte(byteOrderMark)))
}

// text searches the lines of one text.
func (x *search) text(path string, data []byte) (string, error) {
	if !bytes.Contains(data, x.must) {
		return "", nil
	}
	var before [][]byte // at most x.context lines
	for n := 1; len(data) > 0; n++ {
		if n%1000 == 0 && x.ctx.Err() != nil {
			return "", x.ctx.Err()
		}
		line, rest := cutLine(data)
		if found := x.re.FindIndex(line); found != nil {
			if stop := x.take(path, n, line, found, before, rest); stop != "" {
				return stop, nil
			}
		}
		if x.context > 0 {
			if len(before) == x.context {
				before = slices.Delete(before, 0, 1)
			}
			before = append(before, line)
		}
		data = rest
	}
	return "", nil
}

// take adds one match to the answer.
func (x *search) take(path string, n int, line []byte, found []int, before [][]byte, rest []byte) string {
	if len(x.answer.Matches) == x.limit {
		return stoppedLimit
	}
	m := grepMatch{Path: path, Line: n, Column: found[0] + 1, Text: around(line, found[0])}
	for _, b := range before {
		m.Before = append(m.Before, around(b, 0))
	}
	plain := 0 // lines after it that come before the next match
	for i := 0; i < x.context && len(rest) > 0; i++ {
		var after []byte
		after, rest = cutLine(rest)
		m.After = append(m.After, around(after, 0))
		if plain == i && !x.re.Match(after) {
			plain++
		}
	}
	if !x.lines.add(x.words(m, plain), 60+len(path)) {
		return stoppedReply
	}
	x.answer.Matches = append(x.answer.Matches, m)
	x.file, x.last = path, n+plain
	return ""
}

// words is a match as a model reads it: under the name of its file, and each line
// once; plain is how many lines after it belong to no other match.
func (x *search) words(m grepMatch, plain int) string {
	var b strings.Builder
	if x.file != m.Path {
		x.last = 0
		fmt.Fprintf(&b, "%s\n", shown(m.Path))
	}
	first := m.Line - len(m.Before)
	for i, text := range m.Before {
		if first+i > x.last {
			fmt.Fprintf(&b, "%d- %s\n", first+i, text)
		}
	}
	fmt.Fprintf(&b, "%d: %s\n", m.Line, m.Text)
	for i, text := range m.After[:plain] {
		fmt.Fprintf(&b, "%d- %s\n", m.Line+1+i, text)
	}
	return b.String()
}

// cutLine cuts the first line off, without its end.
func cutLine(data []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(data, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), rest
}

// around is a line, or the part of a long one around a match, as valid UTF-8.
func around(line []byte, from int) string {
	if len(line) <= longLine {
		return strings.ToValidUTF8(string(line), "\uFFFD")
	}
	start := max(0, min(from-longLine/4, len(line)-longLine))
	end := min(len(line), start+longLine)
	out := strings.ToValidUTF8(string(line[start:end]), "")
	if start > 0 {
		out = "…" + out
	}
	if end < len(line) {
		out += "…"
	}
	return out
}
