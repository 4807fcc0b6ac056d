package search

import "hash/maphash"

// seed makes the places of words in hash tables unforeseeable, so that no
// server can choose names that all land in one place.
var seed = maphash.MakeSeed()

func hashOf(word string) uint32 { return uint32(maphash.String(seed, word)) }

func hashBytes(word []byte) uint32 { return uint32(maphash.Bytes(seed, word)) }

// dict numbers words from 0. It is an open-addressing hash table over one
// string: twelve bytes a word and the word itself.
type dict struct {
	text  string
	ends  []uint32
	slots []uint32 // number + 1; 0 is free
}

func newDict(words []string) dict {
	size, total := 4, 0
	for size < len(words)+len(words)/2 {
		size *= 2
	}
	for _, w := range words {
		total += len(w)
	}
	d := dict{ends: make([]uint32, len(words)), slots: make([]uint32, size)}
	text := make([]byte, 0, total)
	for i, w := range words {
		text = append(text, w...)
		d.ends[i] = uint32(len(text))
		at := hashOf(w) & uint32(size-1)
		for d.slots[at] != 0 {
			at = (at + 1) & uint32(size-1)
		}
		d.slots[at] = uint32(i) + 1
	}
	d.text = string(text)
	return d
}

func (d *dict) len() int { return len(d.ends) }

// word returns the word with a number.
func (d *dict) word(i uint32) string {
	start := uint32(0)
	if i > 0 {
		start = d.ends[i-1]
	}
	return d.text[start:d.ends[i]]
}

// find returns the number of a word whose hash is hashOf(word).
func (d *dict) find(word string, hash uint32) (uint32, bool) {
	mask := uint32(len(d.slots) - 1)
	for at := hash & mask; d.slots[at] != 0; at = (at + 1) & mask {
		if i := d.slots[at] - 1; d.word(i) == word {
			return i, true
		}
	}
	return 0, false
}
