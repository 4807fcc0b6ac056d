package config

import (
	"bytes"
	"fmt"
	"strings"
)

// diffContext is how many unchanged lines stand around a change.
const diffContext = 3

// maxDiffLines bounds the lines that are compared one by one; a larger change is
// shown as a whole.
const maxDiffLines = 2000

// Diff shows the change as a unified diff with the secrets hidden: every value of
// env and headers among them. A secret that changes shows as a line that goes
// and one that comes. It is empty when nothing changes.
func (e *Edited) Diff() string {
	if !e.Changed() {
		return ""
	}
	m := masker{e.hide}
	before, after := plainLines(e.Before), plainLines(e.After)
	d := differ{splitLines(before), splitLines(after), m.shownLines(before), m.shownLines(after)}
	from := e.Path
	if e.Before == nil {
		from = "/dev/null"
	}
	return fmt.Sprintf("--- %s\n+++ %s\n", from, e.Path) + d.hunks(d.script())
}

// plainLines is text with all of its lines ended by "\n".
func plainLines(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
}

func splitLines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	lines := strings.SplitAfter(string(text), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// differ compares lines and shows others in their stead.
type differ struct{ before, after, shownBefore, shownAfter []string }

// line is one of a diff; old and new count the lines that stand before it.
type line struct {
	sign     byte
	text     string
	old, new int
}

// script lists the lines that stay, go and come.
func (d differ) script() []line {
	head := 0
	for head < min(len(d.before), len(d.after)) && d.before[head] == d.after[head] {
		head++
	}
	tail := 0
	for tail < min(len(d.before), len(d.after))-head && d.before[len(d.before)-1-tail] == d.after[len(d.after)-1-tail] {
		tail++
	}
	out := d.same(nil, 0, 0, head)
	out = d.middle(out, head, len(d.before)-tail, len(d.after)-tail)
	return d.same(out, len(d.before)-tail, len(d.after)-tail, tail)
}

func (d differ) same(out []line, i, j, n int) []line {
	for k := range n {
		out = append(out, line{' ', d.shown(d.shownBefore, d.before, i+k), i + k, j + k})
	}
	return out
}

func (d differ) shown(shown, lines []string, i int) string {
	if i < len(shown) {
		return shown[i]
	}
	return strings.TrimRight(lines[i], "\r\n") // an empty text, which has no values
}

// middle walks the longest common subsequence of what differs.
func (d differ) middle(out []line, head, endOld, endNew int) []line {
	n, m := endOld-head, endNew-head
	length := make([][]int, n+1)
	if n > maxDiffLines || m > maxDiffLines {
		length = nil
	}
	for i := len(length) - 1; i >= 0; i-- {
		length[i] = make([]int, m+1)
		for j := m - 1; j >= 0 && i < n; j-- {
			length[i][j] = max(length[i+1][j], length[i][j+1])
			if d.before[head+i] == d.after[head+j] {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < n || j < m {
		switch {
		case length != nil && i < n && j < m && d.before[head+i] == d.after[head+j]:
			out = d.same(out, head+i, head+j, 1)
			i, j = i+1, j+1
		case i < n && (length == nil || j == m || length[i+1][j] >= length[i][j+1]):
			out = append(out, line{'-', d.shown(d.shownBefore, d.before, head+i), head + i, head + j})
			i++
		default:
			out = append(out, line{'+', d.shown(d.shownAfter, d.after, head+j), head + i, head + j})
			j++
		}
	}
	return out
}

// hunks writes the changes with their context.
func (d differ) hunks(script []line) string {
	var b strings.Builder
	for start := 0; start < len(script); {
		if script[start].sign == ' ' {
			start++
			continue
		}
		from, end := max(0, start-diffContext), start
		for quiet := 0; end < len(script) && quiet <= 2*diffContext; end++ {
			quiet++
			if script[end].sign != ' ' {
				quiet = 0
			}
		}
		last := end
		for last > start && script[last-1].sign == ' ' {
			last--
		}
		last = min(len(script), last+diffContext)
		writeHunk(&b, script[from:last])
		start = end
	}
	return b.String()
}

func writeHunk(b *strings.Builder, hunk []line) {
	old, fresh := 0, 0
	for _, l := range hunk {
		if l.sign != '+' {
			old++
		}
		if l.sign != '-' {
			fresh++
		}
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", hunk[0].old+1, old, hunk[0].new+1, fresh)
	for _, l := range hunk {
		fmt.Fprintf(b, "%c%s\n", l.sign, l.text)
	}
}
