package files

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// replacement is one edit.
type replacement struct {
	OldText string `json:"oldText"`
	NewText string `json:"newText"`
	All     bool   `json:"all"`
}

// match is a place where one is made.
type match struct{ at, end, edit int }

// replace makes all edits in a view, or says what keeps one from being made. It
// returns the new view and where in it the new texts start.
func replace(t text, edits []replacement) (changed []byte, starts []int, err error) {
	var matches []match
	for i, e := range edits {
		e.OldText, e.NewText = t.fit(e.OldText), t.fit(e.NewText)
		found, err := find(t.view, i, len(edits), e)
		if err != nil {
			return nil, nil, err
		}
		matches, edits[i] = append(matches, found...), e
	}
	slices.SortFunc(matches, func(a, b match) int { return cmp.Compare(a.at, b.at) })
	done := 0
	for i, m := range matches {
		if i > 0 && m.at < matches[i-1].end {
			return nil, nil, refused("join them into one", "the edits %d and %d overlap at line %d",
				min(m.edit, matches[i-1].edit)+1, max(m.edit, matches[i-1].edit)+1, lineAt(t.view, m.at))
		}
		changed = append(changed, t.view[done:m.at]...)
		starts = append(starts, len(changed))
		changed = append(changed, edits[m.edit].NewText...)
		done = m.end
	}
	return append(changed, t.view[done:]...), starts, nil
}

// find finds where one edit is made.
func find(view []byte, i, n int, e replacement) ([]match, error) {
	name := "oldText"
	if n > 1 {
		name = fmt.Sprintf("oldText of edit %d", i+1)
	}
	if e.OldText == "" {
		return nil, refused("write makes files", "%s is empty", name)
	}
	if e.OldText == e.NewText {
		return nil, refused("", "%s and newText are the same", name)
	}
	found := matchesOf(view, i, e)
	switch {
	case len(found) == 0:
		return nil, failed(nearest(view, e.OldText), "%s is not in the file; nothing was changed", name)
	case len(found) > 1 && !e.All:
		return nil, failed("give more of the text around it, or set all", "%s is in the file %d times, at the lines %s; nothing was changed", name, len(found), linesFor(view, found))
	}
	return found, nil
}

// matchesOf finds the places of one edit: those to replace when all are, and
// otherwise, to see whether there's only one, those that overlap too, to a bound.
func matchesOf(view []byte, i int, e replacement) []match {
	const enough = 1000
	step := 1
	if e.All {
		step = len(e.OldText)
	}
	var found []match
	for at := 0; e.All || len(found) < enough; {
		j := bytes.Index(view[at:], []byte(e.OldText))
		if j < 0 {
			break
		}
		found = append(found, match{at + j, at + j + len(e.OldText), i})
		at += j + step
	}
	return found
}

// linesFor names the lines of the first few matches.
func linesFor(view []byte, found []match) string {
	var at []string
	for _, m := range found[:min(len(found), 5)] {
		at = append(at, fmt.Sprint(lineAt(view, m.at)))
	}
	if len(found) > 5 {
		at = append(at, "…")
	}
	return strings.Join(at, ", ")
}

func lineAt(view []byte, at int) int { return bytes.Count(view[:at], []byte("\n")) + 1 }

// linesOf are the lines of at most a hundred places, which must be in order.
func linesOf(view []byte, places []int) []int {
	lines := make([]int, 0, min(len(places), 100))
	line, done := 1, 0
	for _, at := range places[:cap(lines)] {
		line += bytes.Count(view[done:at], []byte("\n"))
		done = at
		lines = append(lines, line)
	}
	return lines
}

// nearest says what in the file is most like a text that isn't there.
func nearest(view []byte, want string) string {
	const most, enough = 200_000, 50 // lines of the file, and of the text, that are looked at
	have := strings.SplitN(string(view), "\n", most)
	wanted := strings.SplitN(strings.Trim(want, "\n"), "\n", enough+1)
	wanted = wanted[:min(len(wanted), enough)]
	best, at := 0, 0
	for i := range have {
		if n := alike(have[i:], wanted); n > best {
			best, at = n, i
		}
	}
	if best == 0 {
		if i := strings.Index(strings.ToLower(string(view)), strings.ToLower(want)); i >= 0 && i <= len(view) {
			return fmt.Sprintf("at line %d it stands with other large and small letters", lineAt(view, i))
		}
		return "read the file again and copy the text exactly"
	}
	for i, w := range wanted {
		if at+i >= len(have) {
			return fmt.Sprintf("at line %d the file ends before the text does", at+1)
		}
		if have[at+i] != w {
			return fmt.Sprintf("nearest is line %d, where the file has %q and not %q", at+i+1, clip(have[at+i]), clip(w))
		}
	}
	if len(wanted) == enough {
		return fmt.Sprintf("nearest is line %d, from where %d lines are the same", at+1, enough)
	}
	return fmt.Sprintf("at line %d only the line ends or empty lines around it differ", at+1)
}

// alike counts from the start how many lines are the same but for white space around them.
func alike(have, wanted []string) int {
	n := 0
	for n < len(wanted) && n < len(have) && strings.TrimSpace(have[n]) == strings.TrimSpace(wanted[n]) {
		n++
	}
	if n > 0 && strings.TrimSpace(strings.Join(wanted[:n], "")) == "" {
		return 0 // empty lines are everywhere
	}
	return n
}

// clip is a line as a hint shows it.
func clip(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
