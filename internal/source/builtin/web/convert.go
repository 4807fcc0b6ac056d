package web

import (
	"context"
	"io"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/toolcrib/toolcrib"
)

// parseTime bounds the work on one page: there are pages of a few hundred
// kilobytes that keep any parser that follows the standard busy for long.
const parseTime = 5 * time.Second

// converted is a page as text.
type converted struct{ text, title, cut string }

// convert turns HTML into text or Markdown of at most limit bytes.
func (s *Source) convert(ctx context.Context, text string, a answer, format string, limit int) (converted, error) {
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-ctx.Done():
		return converted{}, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, parseTime)
	defer cancel()
	return convert(ctx, text, a.url, format == formatMarkdown, limit)
}

// convert reads as much as it can until ctx ends. The Markdown is for reading: what
// a page says in characters that Markdown gives a meaning is left as it is.
func convert(ctx context.Context, text string, from *url.URL, markdown bool, limit int) (converted, error) {
	source := &patient{ctx: ctx, from: strings.NewReader(text)}
	doc, err := html.ParseWithOptions(source, html.ParseOptionEnableScripting(false))
	if err != nil {
		return converted{}, toolcrib.NewError(toolcrib.KindTool, "the page is nested too deep to be turned into text", `ask for format "html"`).WithCause(err)
	}
	w := &writer{markdown: markdown, limit: limit, base: from}
	head := element(element(doc, atom.Html), atom.Head)
	if base := element(head, atom.Base); base != nil {
		if u, err := from.Parse(attribute(base, "href")); err == nil {
			w.base = u
		}
	}
	c := converted{title: titleOf(element(head, atom.Title))}
	w.children(doc)
	c.text = clean(w.String())
	switch {
	case w.full():
		c.cut = "its text is too long"
	case source.ended:
		c.cut = "it takes too long to read"
	}
	return c, nil
}

// patient reads until a context ends, in small pieces, and then says that this is all.
type patient struct {
	ctx   context.Context
	from  io.Reader
	ended bool
}

func (p *patient) Read(b []byte) (int, error) {
	if p.ctx.Err() != nil {
		p.ended = true
		return 0, io.EOF
	}
	return p.from.Read(b[:min(len(b), 4096)])
}

// element returns the first child of n that is such an element.
func element(n *html.Node, a atom.Atom) *html.Node {
	if n == nil {
		return nil
	}
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode && c.DataAtom == a {
			return c
		}
	}
	return nil
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return true
		}
	}
	return false
}

func titleOf(n *html.Node) string {
	if n == nil || n.FirstChild == nil {
		return ""
	}
	title := []rune(strings.Join(strings.Fields(clean(n.FirstChild.Data)), " "))
	return string(title[:min(len(title), maxTitle)])
}

// skipped are elements of which nothing is shown.
func skipped(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Head, atom.Script, atom.Style, atom.Template, atom.Iframe, atom.Object, atom.Embed, atom.Svg, atom.Canvas, atom.Audio, atom.Video,
		atom.Noframes, atom.Noembed, atom.Datalist, atom.Map, atom.Title, atom.Applet:
		return true
	case atom.Html, atom.Body: // pages hide these until a script has run
		return false
	case atom.Dialog:
		return !has(n, "open")
	case atom.Input:
		return true
	}
	return has(n, "hidden") || strings.EqualFold(attribute(n, "aria-hidden"), "true") || styledAway(attribute(n, "style"))
}

// styledAway reports whether a style attribute hides its element.
func styledAway(style string) bool {
	if style == "" {
		return false
	}
	for declaration := range strings.SplitSeq(uncommented(strings.ToLower(style)), ";") {
		name, value, _ := strings.Cut(declaration, ":")
		value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
		switch strings.TrimSpace(name) {
		case "display":
			if value == "none" {
				return true
			}
		case "visibility", "content-visibility":
			if value == "hidden" || value == "collapse" {
				return true
			}
		case "opacity", "font-size":
			if strings.HasPrefix(value, "0") && strings.Trim(value, "0.%abcdefghijklmnopqrstuvwxyz") == "" {
				return true
			}
		}
	}
	return false
}

// uncommented takes the comments out of a style.
func uncommented(style string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(style, "/*")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, style, _ = strings.Cut(after, "*/")
	}
}
