package web

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// writer lays text out in lines. What is to stand before a word (line breaks, a
// space, opening marks) is remembered until the word comes.
type writer struct {
	b        strings.Builder
	markdown bool
	flat     bool // everything on one line
	limit    int  // bytes
	base     *url.URL

	breaks  int // line breaks that are due
	space   bool
	opening []string // marks that are due
	margins []*margin
	rows    int // written of the present table
}

// margin stands at the beginning of lines: first of the first one, rest of the others.
type margin struct {
	first, rest string
	begun       bool
}

// maxMargins is how deep lists and quotes are shown as such.
const maxMargins = 8

func (w *writer) String() string { return w.b.String() }

// full reports whether the bound was reached; nothing more is written then.
func (w *writer) full() bool { return w.b.Len() >= w.limit }

// block ends a line; two breaks make a paragraph.
func (w *writer) block(breaks int) {
	if w.flat {
		w.space = true
		return
	}
	w.breaks, w.space = max(w.breaks, breaks), false
}

// words writes text whose white space means nothing.
func (w *writer) words(text string) {
	for text != "" && !w.full() {
		at := strings.IndexAny(text, " \t\n\r\f")
		switch at {
		case 0:
			w.space = w.space || w.breaks == 0
			text = strings.TrimLeft(text, " \t\n\r\f")
		case -1:
			w.write(text)
			return
		default:
			w.write(text[:at])
			text = text[at:]
		}
	}
}

// write writes a text on the present line, after what is due.
func (w *writer) write(text string) {
	if text == "" || w.full() {
		return
	}
	w.due()
	for _, mark := range w.opening {
		w.b.WriteString(mark)
	}
	w.opening = w.opening[:0]
	w.b.WriteString(text[:min(len(text), max(w.limit-w.b.Len(), 0))])
}

// due writes line breaks and spaces that are due.
func (w *writer) due() {
	switch {
	case w.b.Len() == 0:
		w.margin(true)
	case w.breaks > 0:
		for i := range w.breaks {
			w.b.WriteByte('\n')
			w.margin(i == w.breaks-1)
		}
	case w.space:
		w.b.WriteByte(' ')
	}
	w.breaks, w.space = 0, false
}

// margin writes the margins of a line; an empty one begins no item and ends in no space.
func (w *writer) margin(line bool) {
	var text strings.Builder
	for _, m := range w.margins {
		switch {
		case m.begun:
			text.WriteString(m.rest)
		case line:
			text.WriteString(m.first)
			m.begun = true
		}
	}
	if line {
		w.b.WriteString(text.String())
	} else {
		w.b.WriteString(strings.TrimRight(text.String(), " "))
	}
}

// inside writes children with a margin.
func (w *writer) inside(m margin, n *html.Node) {
	if w.flat || len(w.margins) >= maxMargins {
		w.children(n)
		return
	}
	w.margins = append(w.margins, &m)
	w.children(n)
	w.margins = w.margins[:len(w.margins)-1]
}

// around writes children between two marks of Markdown, neither if there is
// nothing between them.
func (w *writer) around(n *html.Node, before, after string) {
	if !w.markdown || len(w.opening) > maxMargins {
		w.children(n)
		return
	}
	depth := len(w.opening)
	w.opening = append(w.opening, before)
	length := w.b.Len()
	w.children(n)
	if w.b.Len() > length {
		// also past the bound, by the length of one address at most
		w.b.WriteString(after)
	} else {
		w.opening = w.opening[:depth]
	}
}
