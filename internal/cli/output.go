package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// style paints text, or doesn't.
type style struct{ on bool }

func (s style) paint(code, text string) string {
	if !s.on || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(text string) string { return s.paint("1", text) }
func (s style) dim(text string) string  { return s.paint("2", text) }

// output is the answer on its way to stdout.
type output struct {
	w *bufio.Writer
	style
	// terminal says that control characters would reach a person's screen.
	terminal bool
	// width is the number of columns to fill; 0 means that lines aren't cut.
	width int
}

func newOutput(p Process) *output {
	o := &output{w: bufio.NewWriterSize(p.Stdout, 32<<10), style: style{p.colours(p.StdoutTerminal)}, terminal: p.StdoutTerminal}
	if p.StdoutTerminal {
		o.width = 100
		if _, err := fmt.Sscanf(p.env("COLUMNS"), "%d", &o.width); err != nil || o.width < 40 {
			o.width = 100
		}
	}
	return o
}

func (o *output) flush() error { return o.w.Flush() }

// printf writes text whose arguments are clean already.
func (o *output) printf(format string, args ...any) { fmt.Fprintf(o.w, format, args...) }

// json writes one value, indented, with a newline. Byte order of keys is the
// struct's, so that the shape is stable.
func (o *output) json(value any) error {
	e := json.NewEncoder(o.w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// rows writes a table; a cell that is too long for the width is cut at the end
// of the last column only.
func (o *output) rows(head []string, rows [][]string) {
	widths := make([]int, len(head))
	for _, r := range append([][]string{head}, rows...) {
		for i, cell := range r {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	o.row(head, widths, o.bold)
	for _, r := range rows {
		o.row(r, widths, nil)
	}
}

func (o *output) row(cells []string, widths []int, paint func(string) string) {
	var b strings.Builder
	for i, cell := range cells {
		if i == len(cells)-1 {
			b.WriteString(cell)
			break
		}
		b.WriteString(cell)
		b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
	}
	line := strings.TrimRight(o.cut(b.String(), 0), " ")
	if paint != nil {
		line = paint(line)
	}
	o.printf("%s\n", line)
}

// cut shortens a line so that it fits the width with indent columns before it.
func (o *output) cut(line string, indent int) string {
	room := o.width - indent
	if o.width == 0 || utf8.RuneCountInString(line) <= room {
		return line
	}
	runes := []rune(line)
	return string(runes[:max(room-1, 1)]) + "…"
}

// shown makes foreign text safe for the stream that it goes to: a screen gets
// no control characters, a file or a pipe gets the text as it is.
func (o *output) shown(text string) string {
	if !o.terminal {
		return text
	}
	return plain(text)
}

// plain removes what could move a terminal's cursor, colour it or turn the
// direction of text: control characters but newline and tab, and the invisible
// ones that reorder what stands beside them.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, text)
}

// folded is plain text on one line.
func folded(text string) string { return strings.Join(strings.Fields(plain(text)), " ") }

// textBuilder collects help texts.
type textBuilder struct{ strings.Builder }

func (b *textBuilder) line(s string) { b.WriteString(s + "\n") }

func (b *textBuilder) table(fill func(io.Writer)) {
	w := newTable(b)
	fill(w)
	w.Flush()
}
