package search

import (
	"cmp"
	"slices"

	"github.com/toolcrib/toolcrib"
)

// noTerm marks words that are not indexed.
const noTerm = ^uint32(0)

// lettersPerEntry is how many letters of text make one entry, about.
const lettersPerEntry = 9

// entry is a posting with its term, before the postings are put in order.
type entry struct {
	term uint32
	posting
}

// builder gathers the entries of a segment tool by tool.
type builder struct {
	scan  scanner
	s     *Segment
	terms map[string]uint32
	list  []string // the terms by number
	// words maps each word as it was written to its term, so that no word is stemmed twice.
	words   map[string]uint32
	written []string
	entries []entry
	// field is what the field at hand holds: terms in order of appearance and how often.
	field  []uint32
	counts []uint8 // by term, zero between fields
	length int
	// squashed and texts are working memory.
	squashed []byte
	texts    []string
}

func newBuilder(tools []toolcrib.Tool) *builder {
	letters := 0
	for i := range tools {
		t := &tools[i]
		letters += len(t.Name) + len(t.Label) + len(t.Owner) + min(len(t.Description), maxText)
		if t.TrustsInput() {
			letters += min(len(t.Parameters), maxSchemaBytes) / 2
		}
	}
	return &builder{
		s:       &Segment{tools: tools, nameEnds: make([]uint32, 0, len(tools))},
		terms:   map[string]uint32{},
		words:   map[string]uint32{},
		entries: make([]entry, 0, letters/lettersPerEntry),
	}
}

// tool adds the fields of one tool.
func (b *builder) tool(doc uint32, t *toolcrib.Tool) {
	b.add(t.Name)
	b.s.names = append(b.s.names, b.field...)
	b.s.nameEnds = append(b.s.nameEnds, uint32(len(b.s.names)))
	b.close(doc, FieldName)
	b.add(t.Label)
	if t.Label == "" {
		b.add(t.Annotations.Title)
	}
	b.close(doc, FieldLabel)
	b.add(t.Owner)
	b.close(doc, FieldServer)
	b.add(t.Description)
	b.close(doc, FieldDescription)
	if t.TrustsInput() {
		b.parameters(doc, t.Parameters)
	}
	b.keys(doc, t)
}

// parameters adds the names and texts of a parameter schema.
func (b *builder) parameters(doc uint32, schema []byte) {
	b.texts = b.texts[:0]
	walkSchema(schema, func(kind schemaText, text string) {
		if kind == schemaName {
			b.add(text)
			return
		}
		b.texts = append(b.texts, text)
	})
	b.close(doc, FieldParameter)
	for _, text := range b.texts {
		b.add(text)
	}
	b.close(doc, FieldParameterText)
}

// add adds the words of text to the field at hand.
func (b *builder) add(text string) {
	if text == "" {
		return
	}
	b.scan.scan(text[:min(len(text), maxText)])
	for i, t := range b.scan.tokens {
		b.word(b.scan.text(t), t.has(markGram))
		if joined, ok := b.scan.pair(i); ok {
			b.word([]byte(joined), false)
		}
	}
}

// word counts one word of the field at hand.
func (b *builder) word(word []byte, gram bool) {
	term, ok := b.words[string(word)]
	if !ok {
		term = b.learn(string(word), gram)
	}
	if term == noTerm {
		return
	}
	if b.counts[term] == 0 {
		b.field = append(b.field, term)
	}
	if b.counts[term] < 255 {
		b.counts[term]++
	}
	b.length++
}

// learn finds the term of a word that is met for the first time.
func (b *builder) learn(word string, gram bool) uint32 {
	if stops.has([]byte(word)) {
		b.words[word] = noTerm
		return noTerm
	}
	base := word
	if !gram {
		base = stem(word)
	}
	term, ok := b.terms[base]
	if !ok {
		term = uint32(len(b.list))
		b.terms[base] = term
		b.list = append(b.list, base)
		b.counts = append(b.counts, 0)
		b.s.spread = append(b.s.spread, 0)
	}
	b.words[word] = term
	b.written = append(b.written, word)
	return term
}

// close ends the field at hand.
func (b *builder) close(doc uint32, f Field) {
	if b.length == 0 {
		return
	}
	code := shorten(b.length)
	for _, term := range b.field {
		b.entries = append(b.entries, entry{term, posting{doc, f, b.counts[term], code}})
		b.counts[term] = 0
	}
	b.s.length[f] += uint64(b.length)
	b.s.filled[f]++
	b.field, b.length = b.field[:0], 0
}

// segment puts the entries in order. They came by tool and field, so a stable
// count by term is all it takes.
func (b *builder) segment() *Segment {
	s := b.s
	s.starts = make([]uint32, len(b.list)+1)
	for i := range b.entries {
		s.starts[b.entries[i].term+1]++
	}
	for t := range b.list {
		s.starts[t+1] += s.starts[t]
	}
	s.postings = make([]posting, len(b.entries))
	next := slices.Clone(s.starts)
	for _, e := range b.entries {
		at := next[e.term]
		s.postings[at] = e.posting
		if at == s.starts[e.term] || s.postings[at-1].doc != e.doc {
			s.spread[e.term]++
		}
		next[e.term]++
	}
	s.terms = newDict(b.list)
	s.words = newDict(b.written)
	s.stem = make([]uint32, len(b.written))
	s.letters = make([]uint32, len(b.written))
	for i, w := range b.written {
		s.stem[i] = b.words[w]
		s.letters[i] = letterSet(w)
	}
	s.names, s.nameEnds, s.spread = slices.Clip(s.names), slices.Clip(s.nameEnds), slices.Clip(s.spread)
	slices.SortFunc(s.keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.doc, b.doc))
	})
	return s
}
