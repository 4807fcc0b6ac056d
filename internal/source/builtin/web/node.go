package web

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func (w *writer) children(n *html.Node) {
	for c := n.FirstChild; c != nil && !w.full(); c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			w.words(c.Data)
		case html.ElementNode:
			if !skipped(c) {
				w.element(c)
			}
		}
	}
}

func (w *writer) element(n *html.Node) {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.heading(n)
	case atom.Br:
		w.block(min(w.breaks+1, 2))
	case atom.Hr:
		w.block(2)
		w.write("---")
		w.block(2)
	case atom.Pre, atom.Textarea, atom.Xmp, atom.Listing, atom.Plaintext:
		w.pre(n)
	case atom.Ul, atom.Ol, atom.Menu:
		w.list(n)
	case atom.Li: // of no list
		w.item(n, "- ")
	case atom.Blockquote:
		w.block(2)
		w.inside(margin{first: "> ", rest: "> "}, n)
		w.block(2)
	case atom.Table:
		w.table(n)
	case atom.Tr:
		w.row(n)
	default:
		w.inline(n)
	}
}

// inline writes what stands within a line, and blocks that have no form of their own.
func (w *writer) inline(n *html.Node) {
	switch n.DataAtom {
	case atom.B, atom.Strong:
		w.around(n, "**", "**")
	case atom.I, atom.Em:
		w.around(n, "*", "*")
	case atom.Code, atom.Kbd, atom.Samp, atom.Tt:
		w.around(n, "`", "`")
	case atom.A:
		w.link(n)
	case atom.Img:
		w.image(n)
	default:
		breaks := breaksOf(n.DataAtom)
		if breaks == 0 {
			w.children(n)
			return
		}
		w.block(breaks)
		w.children(n)
		w.block(breaks)
	}
}

// breaksOf says how many line breaks stand around a block, 0 for what is none.
func breaksOf(a atom.Atom) int {
	switch a {
	case atom.P, atom.Article, atom.Section, atom.Main, atom.Header, atom.Footer, atom.Nav, atom.Aside, atom.Figure, atom.Dl, atom.Form,
		atom.Fieldset, atom.Details, atom.Table, atom.Pre, atom.Ul, atom.Ol, atom.Blockquote, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return 2
	case atom.Div, atom.Dt, atom.Dd, atom.Li, atom.Summary, atom.Figcaption, atom.Caption, atom.Address, atom.Center, atom.Option, atom.Select,
		atom.Legend, atom.Hgroup, atom.Search, atom.Optgroup, atom.Dialog, atom.Body, atom.Hr, atom.Tr:
		return 1
	}
	return 0
}

func (w *writer) heading(n *html.Node) {
	w.block(2)
	w.around(n, strings.Repeat("#", int(n.Data[1]-'0'))+" ", "")
	w.block(2)
}

// pre writes text whose lines are to be kept.
func (w *writer) pre(n *html.Node) {
	var b strings.Builder
	w.raw(&b, n)
	text := strings.Trim(clean(b.String()), "\n")
	if text == "" {
		return
	}
	fence := ""
	if w.markdown && !w.flat {
		fence = "```"
		for strings.Contains(text, fence) && len(fence) < 16 {
			fence += "`"
		}
	}
	w.block(2)
	w.write(fence)
	for i, line := range strings.Split(text, "\n") {
		if i > 0 || fence != "" {
			w.line()
		}
		w.write(line)
	}
	if fence != "" {
		w.line()
		w.write(fence)
	}
	w.block(2)
}

// line ends a line of text that is kept as it is; several make empty lines.
func (w *writer) line() {
	switch {
	case w.flat:
		w.space = true
	case w.b.Len() > 0:
		w.breaks++
	}
}

// raw collects the text below n as it is.
func (w *writer) raw(b *strings.Builder, n *html.Node) {
	for c := n.FirstChild; c != nil && b.Len() < w.limit; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(c.Data)
		case c.Type != html.ElementNode || skipped(c):
		case c.DataAtom == atom.Br:
			b.WriteByte('\n')
		default:
			w.raw(b, c)
		}
	}
}

func (w *writer) list(n *html.Node) {
	breaks := 2
	if len(w.margins) > 0 {
		breaks = 1
	}
	w.block(breaks)
	number := 0
	for c := n.FirstChild; c != nil && !w.full(); c = c.NextSibling {
		switch {
		case c.Type != html.ElementNode || skipped(c):
		case c.DataAtom != atom.Li:
			w.element(c)
		case n.DataAtom == atom.Ol:
			number++
			w.item(c, fmt.Sprintf("%d. ", number))
		default:
			w.item(c, "- ")
		}
	}
	w.block(breaks)
}

func (w *writer) item(n *html.Node, mark string) {
	w.block(1)
	w.inside(margin{first: mark, rest: strings.Repeat(" ", len(mark))}, n)
	w.block(1)
}

// maxLink bounds the address of a link that is shown, in bytes.
const maxLink = 2048

func (w *writer) link(n *html.Node) {
	to := w.address(attribute(n, "href"))
	if to == "" {
		w.children(n)
		return
	}
	w.around(n, "[", "]("+to+")")
}

func (w *writer) image(n *html.Node) {
	alt := strings.Join(strings.Fields(attribute(n, "alt")), " ")
	switch to := w.address(attribute(n, "src")); {
	case alt == "":
	case w.markdown && to != "":
		w.write("![" + alt + "](" + to + ")")
	default:
		w.write("[" + alt + "]")
	}
}

// address is a link's whole address, "" for one that leads to no page.
func (w *writer) address(text string) string {
	text = strings.TrimSpace(text)
	if !w.markdown || text == "" || len(text) > maxLink || strings.HasPrefix(text, "#") {
		return ""
	}
	u, err := w.base.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
		return ""
	}
	return links.Replace(u.String())
}

// links keeps an address from ending a link of Markdown early.
var links = strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "\n", "", "<", "%3C", ">", "%3E")
