package search

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/toolcrib/toolcrib"
)

const verbs = `get list create update delete search find add remove send read write open close start stop run cancel
 approve merge upload download export import copy move rename share invite assign schedule archive restore validate convert`

const nouns = `issue project user event message file folder page report invoice order customer ticket branch commit release
 pipeline job task note comment label team channel calendar contact document sheet table row column database query index
 record image video audio map route place weather forecast price stock payment refund subscription product cart review
 metric alert dashboard log trace incident server cluster node container volume network domain certificate key secret token
 role policy group session device sensor light lock camera playlist track album article feed topic survey answer course lesson`

// vocabulary returns n words, the most common first: real ones, then made-up ones.
func vocabulary(rng *rand.Rand, n int) []string {
	words := append(strings.Fields(nouns), strings.Fields(verbs)...)
	rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	starts := strings.Fields("b br c ch d dr f fl g gr h j k l m n p pl qu r s sh st t tr v w z")
	vowels := strings.Fields("a e i o u ai ea oo ou")
	ends := strings.Fields("n r l t s m ck nd st rm x p")
	for len(words) < n {
		var w strings.Builder
		for range 1 + rng.IntN(3) {
			w.WriteString(starts[rng.IntN(len(starts))] + vowels[rng.IntN(len(vowels))])
		}
		words = append(words, w.String()+ends[rng.IntN(len(ends))])
	}
	return words
}

// generated is a made-up catalog and requests to it. Words are as unevenly
// common as in real texts (Zipf's law). The same size gives the same catalog.
type generated struct {
	tools   []toolcrib.Tool
	queries []string
}

func generate(n int) generated {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	words := vocabulary(rng, 20_000)
	zipf := rand.NewZipf(rng, 1.15, 8, uint64(len(words)-1))
	verb, noun := strings.Fields(verbs), strings.Fields(nouns)
	say := func(n int) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteString([]string{" ", " ", " the ", " of ", ", "}[rng.IntN(5)])
			}
			b.WriteString(words[zipf.Uint64()])
		}
		return b.String()
	}
	var g generated
	for i := range n {
		server := fmt.Sprintf("%s-%d", words[(i/40*31)%len(words)], i/40)
		name := fmt.Sprintf("%s_%s_%s", verb[rng.IntN(len(verb))], noun[rng.IntN(len(noun))], words[zipf.Uint64()])
		t := mcpTool(server, name, say(8+rng.IntN(30))+".")
		t.ID, t.Label, t.Trusted = fmt.Sprintf("%s:%d", t.ID, i), strings.ReplaceAll(name, "_", " "), true
		var props []string
		for p := range 2 + rng.IntN(4) {
			props = append(props, fmt.Sprintf(`"%s_%d":{"type":"string","description":"%s"}`, words[zipf.Uint64()], p, say(4+rng.IntN(6))))
		}
		t.Parameters = json.RawMessage(`{"type":"object","properties":{` + strings.Join(props, ",") + `},"additionalProperties":false}`)
		g.tools = append(g.tools, t)
	}
	for i := range 64 {
		q := verb[rng.IntN(len(verb))] + " a " + noun[rng.IntN(len(noun))] + " " + say(1+i%5)
		if i%4 == 0 {
			q = "please " + q + " for the " + say(2)
		}
		g.queries = append(g.queries, q)
	}
	return g
}

// segments indexes the tools of each server by itself.
func (g generated) segments() []*Segment {
	var list []*Segment
	for i := 0; i < len(g.tools); i += 40 {
		list = append(list, NewSegment(g.tools[i:min(i+40, len(g.tools))]))
	}
	return list
}
