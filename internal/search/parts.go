package search

// minPart is how many words a part of a request needs to count as one.
const minPart = 2

// maxQueryParts bounds the parts that are scored by themselves.
const maxQueryParts = 8

// cutWords end one part of a request and begin another.
var cutWords = newWordSet(" and also then plus afterwards finally ")

// markParts numbers the parts of a request, which are cut at the ends of
// sentences and at words such as "and then", and returns how many there are. A
// part of less than minPart words that count belongs to its neighbour.
func markParts(wants []want) int {
	part, size, last := 0, 0, 0
	for i := range wants {
		w := &wants[i]
		cut := w.has(markStop) || cutWords.has([]byte(w.word))
		if cut && size >= minPart && part < maxQueryParts-1 {
			part, size, last = part+1, 0, i
		}
		w.part = part
		if !w.skip {
			size++
		}
	}
	if part > 0 && size < minPart {
		part--
		for i := last; i < len(wants); i++ {
			wants[i].part = part
		}
	}
	return part + 1
}
