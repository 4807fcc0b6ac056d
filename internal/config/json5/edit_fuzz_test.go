package json5

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// pieces takes a text apart into its tokens and its comments.
func pieces(text []byte) (tokens, comments []string) {
	d := &document{src: string(text)}
	for at := 0; ; {
		for _, p := range d.trivia(at) {
			if p.kind == comment {
				comments = append(comments, d.src[p.from:p.to])
			}
			at = p.to
		}
		if at >= len(d.src) {
			return tokens, comments
		}
		s := scanner{src: d.src, at: Pos{Offset: at}}
		switch r := s.peek(); {
		case r == '"' || r == '\'':
			_, _ = s.str()
		case strings.ContainsRune("{}[]:,", r):
			s.next()
		default:
			for r := s.peek(); r != eof && !isSpace(r) && !strings.ContainsRune("{}[]:,/", r); r = s.peek() {
				s.next()
			}
		}
		tokens = append(tokens, d.src[at:s.at.Offset])
		at = s.at.Offset
	}
}

// within reports whether few is left of many when some of many are taken away.
func within(few, many []string) bool {
	for _, s := range many {
		if len(few) > 0 && few[0] == s {
			few = few[1:]
		}
	}
	return len(few) == 0
}

// paths are those of all values of a kind, the root's included.
func paths(n *Node, at []Step, wanted func(*Node) bool) [][]Step {
	var out [][]Step
	if wanted(n) {
		out = append(out, slices.Clone(at))
	}
	for i, item := range n.Items {
		out = append(out, paths(item, append(slices.Clip(at), Item(i)), wanted)...)
	}
	for _, m := range n.Members {
		out = append(out, paths(m.Value, append(slices.Clip(at), Key(m.Key)), wanted)...)
	}
	return out
}

// changed is a model, a tree of plain Go values, with f's outcome at path in place of what was there.
func changed(model any, path []Step, f func(any) any) any {
	if len(path) == 0 {
		return f(model)
	}
	if s := path[0]; s.isItem() {
		list := slices.Clone(model.([]any))
		list[s.Index] = changed(list[s.Index], path[1:], f)
		return list
	}
	object := model.(map[string]any)
	object[path[0].Key] = changed(object[path[0].Key], path[1:], f)
	return object
}

// editor makes random edits of a text and keeps a model of it.
type editor struct {
	t     *testing.T
	rand  *rand.Rand
	text  []byte
	root  *Node
	model any
}

var someValues = []string{"null", "true", "-1.5e3", "0x1f", `"text"`, `'it\'s'`, "'a \"b\"'", "[]", "{}", "[1, 'x', {y: 2}]", "{a: {'b c': [1, 2]}}", "{\n // c\n k: 1, /* d */\n}", `"// no comment"`}

func (e *editor) pick(all [][]Step) ([]Step, bool) {
	if len(all) == 0 {
		return nil, false
	}
	return all[e.rand.IntN(len(all))], true
}

func (e *editor) step() {
	style := Style{Strict: e.rand.IntN(3) == 0, Pretty: e.rand.IntN(2) == 0}
	value := someValues[e.rand.IntN(len(someValues))]
	node, _ := Parse([]byte(value))
	switch e.rand.IntN(4) {
	case 0:
		if path, ok := e.pick(paths(e.root, nil, func(*Node) bool { return true })); ok {
			e.replace(path, value, node, style)
		}
	case 1:
		if path, ok := e.pick(paths(e.root, nil, func(n *Node) bool { return n.Kind == Object })); ok {
			e.add(append(path, Key(fmt.Sprintf("k%d", e.rand.Int32()))), value, node, style)
		}
	case 2:
		if path, ok := e.pick(paths(e.root, nil, func(n *Node) bool { return n.Kind == Array })); ok {
			e.add(append(path, Item(len(Find(e.root, path).Items))), value, node, style)
		}
	case 3:
		if path, ok := e.pick(paths(e.root, nil, func(n *Node) bool { return n != e.root })); ok {
			e.remove(path)
		}
	}
}

// set runs Set, and holds the outcome against the model.
func (e *editor) set(path []Step, value string, style Style) []byte {
	after, err := Set(e.text, path, []byte(value), style)
	if err != nil {
		e.t.Fatalf("Set(%q, %v, %s): %v", e.text, path, value, err)
	}
	return after
}

func (e *editor) replace(path []Step, value string, node *Node, style Style) {
	after := e.set(path, value, style)
	old := Find(e.root, path)
	if !bytes.HasPrefix(after, e.text[:old.Start.Offset]) || !bytes.HasSuffix(after, e.text[old.End.Offset:]) {
		e.t.Fatalf("replacing %v touched more than that\n%q\n%q", path, e.text, after)
	}
	e.model = changed(e.model, path, func(any) any { return plain(node) })
	e.take(after)
}

func (e *editor) add(path []Step, value string, node *Node, style Style) {
	after := e.set(path, value, style)
	if back, err := Unset(after, path); err != nil || !bytes.Equal(back, e.text) {
		e.t.Fatalf("%q\nset   %q\nunset %q %v", e.text, after, back, err)
	}
	e.model = changed(e.model, path[:len(path)-1], func(v any) any {
		if list, ok := v.([]any); ok {
			return append(slices.Clip(list), plain(node))
		}
		v.(map[string]any)[path[len(path)-1].Key] = plain(node)
		return v
	})
	e.take(after)
}

func (e *editor) remove(path []Step) {
	after, err := Unset(e.text, path)
	if err != nil {
		e.t.Fatalf("Unset(%q, %v): %v", e.text, path, err)
	}
	last := path[len(path)-1]
	e.model = changed(e.model, path[:len(path)-1], func(v any) any {
		if list, ok := v.([]any); ok {
			return slices.Delete(slices.Clone(list), last.Index, last.Index+1)
		}
		delete(v.(map[string]any), last.Key)
		return v
	})
	e.leftAlone(path, after)
	e.take(after)
}

// leftAlone wants all tokens and comments that Unset had no business with.
func (e *editor) leftAlone(path []Step, after []byte) {
	d := &document{src: string(e.text), root: e.root}
	holder := Find(e.root, path[:len(path)-1])
	p := d.container(holder).parts[holder.index(path[len(path)-1])]
	end := p.stop()
	if to, ok := d.endOfLine(end); ok && d.startsLine(p.start) {
		end = to.from
	}
	left, comments := pieces(after)
	before, _ := pieces(e.text[:p.start])
	behind, _ := pieces(e.text[p.stop():])
	without := slices.Concat(before, behind)
	if lost := len(without) - len(left); lost < 0 || lost > 1 || !within(left, without) {
		e.t.Fatalf("Unset(%q, %v) = %q: tokens\n%q\nwant\n%q", e.text, path, after, left, without)
	}
	// What is cut out goes to a string, so that a half comment can't join with another.
	_, above := pieces(e.text[:p.start])
	_, below := pieces(e.text[end:])
	if diff := cmp.Diff(slices.Concat(above, below), comments, cmpopts.EquateEmpty()); diff != "" {
		e.t.Fatalf("Unset(%q, %v) = %q: comments (-want +got):\n%s", e.text, path, after, diff)
	}
}

func (e *editor) take(after []byte) {
	root, err := Parse(after)
	if err != nil {
		e.t.Fatalf("after an edit %q does not parse: %v\n%q", e.text, err, after)
	}
	if diff := cmp.Diff(e.model, plain(root), cmpopts.EquateNaNs()); diff != "" {
		e.t.Fatalf("%q became %q (-model +text):\n%s", e.text, after, diff)
	}
	e.text, e.root = after, root
}

// FuzzEdit wants of random edits that the text says what a plain model says, and
// that everything else in it stays.
func FuzzEdit(f *testing.F) {
	for i, object := range oddObjects {
		f.Add([]byte(object), uint64(i))
		f.Add([]byte(strings.ReplaceAll("{\n  list: [ // c\n    "+object+", /* d */\n  ],\n  one: "+object+" }", "\n", []string{"\n", "\r\n", "\r"}[i%3])), uint64(i))
	}
	f.Add([]byte("\ufeff[ 1\t, // x\n {}, [], ]"), uint64(7))
	f.Fuzz(func(t *testing.T, text []byte, seed uint64) {
		root, err := Parse(text)
		if err != nil || len(text) > 4096 {
			return
		}
		e := &editor{t: t, rand: rand.New(rand.NewPCG(seed, 1)), text: text, root: root, model: plain(root)}
		for range 12 {
			e.step()
		}
	})
}

// FuzzFormat wants that what Format writes reads as the same, in every layout.
func FuzzFormat(f *testing.F) {
	for _, v := range someValues {
		f.Add([]byte(v), true, true)
		f.Add([]byte(v), false, false)
	}
	f.Fuzz(func(t *testing.T, text []byte, single, many bool) {
		n, err := Parse(text)
		if err != nil {
			return
		}
		for _, strict := range []bool{false, true} {
			l := Layout{Strict: strict, BareKeys: single, TrailingComma: many}
			if strict && !n.finite() {
				continue
			}
			if many {
				l.Indent, l.Newline = "\t", "\r\n"
			}
			if single {
				l.Quote = '\''
			}
			out := Format(n, l, "  ")
			again, err := Parse(out)
			if err != nil {
				t.Fatalf("%q does not parse: %v", out, err)
			}
			if diff := cmp.Diff(plain(n), plain(again), cmpopts.EquateNaNs()); diff != "" {
				t.Fatalf("%q (-want +got):\n%s", out, diff)
			}
		}
	})
}
