package json5

// container is an object or a list with the places of all that it holds.
type container struct {
	node *Node
	// inside is the offset behind the opening bracket, close that of the closing one.
	inside, close int
	parts         []part
}

// part is a member or an item with the comma behind it.
type part struct {
	// start is the offset of the key or item, end that behind the value.
	start, end int
	// comma is the offset of the comma behind it, -1 when there is none.
	comma int
}

// stop is the offset behind the part and its comma.
func (p part) stop() int {
	if p.comma < 0 {
		return p.end
	}
	return p.comma + 1
}

func (d *document) container(n *Node) container {
	c := container{node: n, inside: n.Start.Offset + 1, close: n.End.Offset - 1}
	add := func(start, end Pos) {
		p := part{start.Offset, end.Offset, d.tokenAfter(end.Offset)}
		if p.comma == c.close {
			p.comma = -1
		}
		c.parts = append(c.parts, p)
	}
	for _, m := range n.Members {
		add(m.KeyStart, m.Value.End)
	}
	for _, item := range n.Items {
		add(item.Start, item.End)
	}
	return c
}

// before is the offset behind the token that stands before part i: the opening
// bracket or a comma.
func (c container) before(i int) int {
	if i == 0 {
		return c.inside
	}
	return c.parts[i-1].stop()
}

// onOwnLine reports whether a line ends between part i and the token before it.
func (d *document) onOwnLine(c container, i int) bool {
	return hasLineEnd(d.trivia(c.before(i)))
}
