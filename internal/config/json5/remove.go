package json5

import "strings"

// remove takes part i out of c.
func (d *document) remove(c container, i int) []splice {
	p := c.parts[i]
	if !d.startsLine(p.start) {
		return d.removeInline(c, i)
	}
	end, ends := d.endOfLine(p.stop())
	if !ends && i < len(c.parts)-1 {
		return d.removeInline(c, i)
	}
	from, _ := d.beforeLine(p.start)
	cut := splice{from: from, to: p.stop()}
	switch {
	case ends:
		cut.to = d.closeUp(c, from, end)
	case d.endsInComment(c.before(i), from):
		cut.from = d.lineStart(p.start) // the line end ends the comment
	}
	return d.withComma(c, i, cut)
}

// withComma adds the removal of the comma before part i to cut, when part i was
// the last and had no comma of its own.
func (d *document) withComma(c container, i int, cut splice) []splice {
	if i > 0 && c.parts[i].comma < 0 {
		comma := c.parts[i-1].comma
		return []splice{{from: comma, to: comma + 1}, cut}
	}
	return []splice{cut}
}

// closeUp is where the removal of a part that had its lines for itself ends:
// before the end of its last line or, when only white space would be left in the
// brackets, before the closing bracket's own white space.
func (d *document) closeUp(c container, from int, end piece) int {
	if len(c.parts) > 1 || !blank(d.src[c.inside:from]) || !blank(d.src[end.from:c.close]) {
		return end.from
	}
	rest := d.src[end.to:]
	if startsWithLine(rest) {
		return end.to
	}
	return end.to + len(rest) - len(strings.TrimPrefix(rest, d.indentAt(c.inside-1)))
}

func startsWithLine(s string) bool {
	for _, r := range s {
		return isLineEnd(r)
	}
	return false
}

// endsInComment reports whether the line end at the offset to ends a "//" comment.
func (d *document) endsInComment(from, to int) bool {
	for _, p := range d.trivia(from) {
		if p.to == to && p.kind == comment && d.src[p.from+1] == '/' {
			return true
		}
	}
	return false
}

// removeInline takes out a part that shares its line.
func (d *document) removeInline(c container, i int) []splice {
	p := c.parts[i]
	last := i == len(c.parts)-1
	switch {
	case i > 0 && p.comma < 0 && blank(d.src[c.parts[i-1].comma+1:p.start]):
		return []splice{{from: c.parts[i-1].comma, to: p.end}}
	case i == 0 && !last && onLine(d.src[p.stop():c.parts[1].start]), i > 0 && !last && d.startsLine(p.start) && onLine(d.src[p.stop():c.parts[i+1].start]):
		return []splice{{from: p.start, to: c.parts[i+1].start}}
	}
	return d.withComma(c, i, splice{from: d.backOver(p.start), to: p.stop()})
}
