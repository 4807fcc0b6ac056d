package files

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/builtin/gofunc"
)

const readText = "Read a text file of the workspace, or an image. The text is exact, so that parts of it can be given to edit; line ends are shown as \\n. " +
	"A long file is cut: go on with next as offset. Binary files are refused."

const readInput = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "File in the workspace, such as src/main.go."},
    "offset": {"type": "integer", "minimum": 1, "default": 1, "description": "Line to start at, counted from 1."},
    "limit": {"type": "integer", "minimum": 1, "maximum": 10000, "default": 2000, "description": "How many lines at most."},
    "column": {"type": "integer", "minimum": 1, "default": 1, "description": "Byte of the first line to start at: nextColumn of the answer before."},
    "numbers": {"type": "boolean", "default": false, "description": "Puts the number and a tab before each line. Leave them out of what edit is given."}
  },
  "required": ["path"],
  "additionalProperties": false
}`

const readOutput = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The file."},
    "kind": {"enum": ["text", "image"], "description": "What it is: the content has it."},
    "bytes": {"type": "integer", "description": "Size of the file."},
    "modified": {"type": "string", "description": "When it was changed last, RFC 3339."},
    "hash": {"type": "string", "description": "Of the whole file, for edit and write; absent when it's too large."},
    "offset": {"type": "integer", "description": "First line that is given."},
    "lines": {"type": "integer", "description": "How many lines are given."},
    "total": {"type": "integer", "description": "How many lines the file has; absent when it's too large to count."},
    "next": {"type": "integer", "description": "Line to go on from; absent at the end."},
    "nextColumn": {"type": "integer", "description": "Byte of that line to go on from, when it was cut."},
    "lineEnds": {"enum": ["none", "lf", "crlf", "mixed"], "description": "What ends the lines in the file."},
    "bom": {"type": "boolean", "description": "The file starts with a byte order mark, which isn't given."},
    "invalid": {"type": "boolean", "description": "Some bytes are no UTF-8 and are given as U+FFFD."},
    "mimeType": {"type": "string", "description": "Of an image."}
  },
  "required": ["path", "kind", "bytes", "modified"],
  "additionalProperties": false
}`

const (
	usualLines = 2000
	mostLines  = 10000
)

type readArgs struct {
	Path    string `json:"path"`
	Offset  *int   `json:"offset"`
	Limit   *int   `json:"limit"`
	Column  *int   `json:"column"`
	Numbers bool   `json:"numbers"`
}

// fileAnswer is what read says of a file beside its content.
type fileAnswer struct {
	Path       string `json:"path"`
	Kind       string `json:"kind"`
	Bytes      int64  `json:"bytes"`
	Modified   string `json:"modified"`
	Hash       string `json:"hash,omitempty"`
	Offset     int    `json:"offset,omitempty"`
	Lines      *int   `json:"lines,omitempty"`
	Total      *int   `json:"total,omitempty"`
	Next       int    `json:"next,omitempty"`
	NextColumn int    `json:"nextColumn,omitempty"`
	LineEnds   string `json:"lineEnds,omitempty"`
	BOM        bool   `json:"bom,omitempty"`
	Invalid    bool   `json:"invalid,omitempty"`
	MIMEType   string `json:"mimeType,omitempty"`
}

func (s *Source) readTool() gofunc.Tool {
	return described("read", "Read a file", readText, readInput, readOutput, s.read, reading()...)
}

func (s *Source) read(ctx context.Context, call toolcrib.Call, in readArgs) (toolcrib.Result, error) {
	w, at, err := s.look(call, in.Path)
	if err != nil {
		return toolcrib.Result{}, err
	}
	defer w.close()
	data, info, whole, err := at.load(ctx, s.opts.Bounds.FileBytes)
	if err != nil {
		return toolcrib.Result{}, err
	}
	a := fileAnswer{Path: at.path, Kind: "text", Bytes: info.Size(), Modified: stamp(info.ModTime())}
	if whole {
		a.Hash = hashOf(data)
	}
	if mime := imageType(data); mime != "" {
		return s.image(a, mime, data, whole)
	}
	if what := binary(data); what != "" {
		return toolcrib.Result{}, failed("only text and images can be read", "%s is %s, %d bytes", shown(at.path), what, info.Size())
	}
	return s.lines(a, data, whole, in)
}

// errEmpty says that the workspace hasn't been made yet.
var errEmpty = errors.New("there is no such folder")

// look opens the workspace and follows a path to something that is there; an
// empty path is the workspace.
func (s *Source) look(call toolcrib.Call, path string) (*workspace, spot, error) {
	w, err := s.open(call.Scope, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, spot{}, toolcrib.NewError(toolcrib.KindTool, "the workspace is empty", "the first write makes it").WithCause(errEmpty)
	}
	if err != nil {
		return nil, spot{}, err
	}
	at, err := w.find(path, false)
	if err == nil && at.info == nil {
		err = at.missing()
	}
	if err != nil {
		w.close()
		return nil, spot{}, err
	}
	return w, at, nil
}

// load opens the file at the spot and reads it up to a bound.
func (s spot) load(ctx context.Context, bound int) (data []byte, info os.FileInfo, whole bool, err error) {
	f, info, err := s.file()
	if err != nil {
		return nil, nil, false, err
	}
	defer f.Close()
	if data, whole, err = load(ctx, f, bound); err != nil {
		if ctx.Err() != nil {
			return nil, nil, false, ctx.Err()
		}
		return nil, nil, false, trouble("read", s.path, err)
	}
	return data, info, whole, nil
}

// imageType is the type of an image that models can be shown; empty for the rest.
func imageType(data []byte) string {
	kind := http.DetectContentType(data[:min(len(data), 512)])
	if slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind) {
		return kind
	}
	return ""
}

func (s *Source) image(a fileAnswer, mime string, data []byte, whole bool) (toolcrib.Result, error) {
	if most := s.opts.Bounds.ImageBytes; !whole || len(data) > most {
		return toolcrib.Result{}, limited("", "%s is an image (%s) of %d bytes; at most %d can be shown", shown(a.Path), mime, a.Bytes, most)
	}
	a.Kind, a.MIMEType = "image", mime
	result, err := answer(a)
	if err != nil {
		return result, err
	}
	raw, err := json.Marshal(map[string]string{"type": "image", "mimeType": mime, "data": base64.StdEncoding.EncodeToString(data)})
	result.Content = []toolcrib.Content{{Type: "image", Raw: raw}}
	return result, err
}

// lines answers with lines of a text.
func (s *Source) lines(a fileAnswer, data []byte, whole bool, in readArgs) (toolcrib.Result, error) {
	t := textOf(data)
	a.LineEnds, a.BOM, a.Offset = t.ends, t.bom, 1
	limit, column := usualLines, 1
	for _, x := range []struct{ to, from *int }{{&a.Offset, in.Offset}, {&limit, in.Limit}, {&column, in.Column}} {
		if x.from != nil {
			*x.to = *x.from
		}
	}
	if a.Offset < 1 || limit < 1 || limit > mostLines || column < 1 {
		return toolcrib.Result{}, refused(fmt.Sprintf("offset and column are 1 or more, limit 1 to %d", mostLines), "can't read %d lines from line %d", limit, a.Offset)
	}
	total := countLines(t.view)
	if whole {
		a.Total = &total
	}
	rest, ok := fromLine(t.view, a.Offset)
	if !ok && a.Offset > 1 {
		return toolcrib.Result{}, refused("", "%s has %d lines%s", shown(a.Path), total, map[bool]string{false: " in the part that can be read", true: ""}[whole])
	}
	if column > 1 {
		line, _, _ := bytes.Cut(rest, []byte("\n"))
		if column > len(line)+1 {
			return toolcrib.Result{}, refused("", "line %d of %s has %d bytes", a.Offset, shown(a.Path), len(line))
		}
		rest = rest[column-1:]
	}
	p := piece{budget: s.opts.reply() - 1024, line: a.Offset, column: column, numbers: in.Numbers}
	p.take(rest, limit)
	count := p.lines
	a.Lines, a.Next, a.NextColumn = &count, p.next, p.nextColumn
	a.Invalid = !utf8.ValidString(p.out.String())
	return answer(a, strings.ToValidUTF8(p.out.String(), "\uFFFD"), note(a, whole))
}

// note says in words what is left.
func note(a fileAnswer, whole bool) string {
	of := ""
	if a.Total != nil {
		of = fmt.Sprintf(" of %d", *a.Total)
	}
	switch {
	case a.NextColumn > 0:
		return fmt.Sprintf("[cut in line %d%s; go on with offset %d, column %d]", a.Next, of, a.Next, a.NextColumn)
	case a.Next > 0:
		return fmt.Sprintf("[lines %d to %d%s; go on with offset %d]", a.Offset, a.Next-1, of, a.Next)
	case !whole:
		return fmt.Sprintf("[only the start of %d bytes can be read; grep searches it]", a.Bytes)
	case a.Bytes == 0:
		return "[the file is empty]"
	}
	return ""
}

func countLines(view []byte) int {
	n := bytes.Count(view, []byte("\n"))
	if len(view) > 0 && view[len(view)-1] != '\n' {
		n++
	}
	return n
}

// fromLine is the text from a line on, counted from 1.
func fromLine(view []byte, line int) ([]byte, bool) {
	for range line - 1 {
		i := bytes.IndexByte(view, '\n')
		if i < 0 {
			return nil, false
		}
		view = view[i+1:]
	}
	return view, len(view) > 0
}

// piece is the part of a text that fits into an answer.
type piece struct {
	budget       int
	line, column int // where the next byte stands
	numbers      bool

	out              strings.Builder
	lines            int
	next, nextColumn int
}

// take takes whole lines while they fit, and a part of the first one otherwise.
func (p *piece) take(rest []byte, limit int) {
	for ; len(rest) > 0; p.line, p.column = p.line+1, 1 {
		if p.lines == limit {
			p.next = p.line
			return
		}
		line := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line = rest[:i+1]
		}
		number := ""
		if p.numbers {
			number = fmt.Sprintf("%d\t", p.line)
		}
		room := p.budget - jsonCost(number)
		fits := head(line, max(room, 0))
		if len(fits) < len(line) && p.lines > 0 {
			p.next = p.line
			return
		}
		p.lines++
		p.out.WriteString(number)
		p.out.Write(fits)
		if len(fits) < len(line) {
			p.next, p.nextColumn = p.line, p.column+len(fits)
			return
		}
		p.budget = room - jsonCost(string(line))
		rest = rest[len(line):]
	}
}
