package web

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func (w *writer) table(n *html.Node) {
	rows := w.rows
	w.rows = 0
	w.block(2)
	w.children(n)
	w.block(2)
	w.rows = rows
}

// row writes a row on one line, or one cell after the other where a cell holds
// blocks: a table that lays out a page.
func (w *writer) row(n *html.Node) {
	var cells []*html.Node
	lines := true
	for c := range n.ChildNodes() {
		if c.Type != html.ElementNode || skipped(c) {
			continue
		}
		cells = append(cells, c)
		lines = lines && !holdsBlock(c)
	}
	w.block(1)
	if lines && !w.flat && len(cells) > 1 {
		w.cells(cells)
	} else {
		for _, c := range cells {
			w.block(1)
			w.children(c)
		}
	}
	w.block(1)
}

// cells writes the cells of a row on one line.
func (w *writer) cells(cells []*html.Node) {
	texts := make([]string, 0, len(cells))
	room := w.limit - w.b.Len()
	empty := true
	for _, c := range cells {
		cell := writer{markdown: w.markdown, flat: true, base: w.base, limit: room}
		cell.children(c)
		text := cell.String()
		if w.markdown {
			text = strings.ReplaceAll(text, "|", `\|`)
		}
		texts = append(texts, text)
		empty = empty && text == ""
		if room -= len(text); room <= 0 {
			break
		}
	}
	if empty {
		return
	}
	if !w.markdown {
		w.write(strings.Join(texts, " | "))
		return
	}
	w.write("| " + strings.Join(texts, " | ") + " |")
	if w.rows == 0 {
		w.block(1)
		w.write("|" + strings.Repeat(" --- |", len(texts)))
	}
	w.rows++
}

// maxLook is how many nodes of a cell are looked at for blocks.
const maxLook = 100

// holdsBlock reports whether there is a block in a cell, near its beginning.
func holdsBlock(cell *html.Node) bool {
	seen := 0
	for n := range cell.Descendants() {
		if seen++; seen > maxLook {
			return true // too much for one line
		}
		if n.Type == html.ElementNode && n.DataAtom != atom.Br && breaksOf(n.DataAtom) > 0 && !skipped(n) {
			return true
		}
	}
	return false
}
