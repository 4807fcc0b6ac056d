package search

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"
	"github.com/toolcrib/toolcrib"
)

var sizes = []int{100, 2_000, 10_000, 100_000}

// bench is what the benchmarks of one size share. Each part is made once a
// process, when it is first needed.
type bench struct {
	catalog func() generated
	index   func() *Index
	bleve   func() bleve.Index
}

var benches = func() map[int]bench {
	all := map[int]bench{}
	for _, n := range sizes {
		catalog := sync.OnceValue(func() generated { return generate(n) })
		all[n] = bench{
			catalog,
			sync.OnceValue(func() *Index { return Join(NewSegment(catalog().tools)) }),
			sync.OnceValue(func() bleve.Index { return newBleve(catalog().tools) }),
		}
	}
	return all
}()

// BenchmarkQuery compares one search for ten hits here with the same in Bleve,
// over the same fields of the same tools.
func BenchmarkQuery(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("tools=%d/toolcrib", n), func(b *testing.B) {
			x, queries := benches[n].index(), benches[n].catalog().queries
			x.Search(queries[0], 10)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				x.Search(queries[i%len(queries)], 10)
			}
		})
		b.Run(fmt.Sprintf("tools=%d/bleve", n), func(b *testing.B) {
			x, queries := benches[n].bleve(), benches[n].catalog().queries
			searchBleve(b, x, queries[0])
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				searchBleve(b, x, queries[i%len(queries)])
			}
		})
	}
}

// BenchmarkPostings shows that a search takes time in proportion to the postings it touches.
func BenchmarkPostings(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("tools=%d", n), func(b *testing.B) {
			x := benches[n].index()
			words := strings.Fields("create issue file calendar message report")
			query, touched := strings.Join(words, " "), 0
			for _, t := range x.plan(query).terms {
				for _, r := range t.runs {
					touched += len(r.postings)
				}
			}
			x.Search(query, 10)
			for b.Loop() {
				x.Search(query, 10)
			}
			b.ReportMetric(float64(touched), "postings/op")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(touched), "ns/posting")
		})
	}
}

// BenchmarkBuild indexes 10,000 tools, schemas and all.
func BenchmarkBuild(b *testing.B) {
	tools := benches[10_000].catalog().tools
	b.ReportAllocs()
	for b.Loop() {
		NewSegment(tools)
	}
}

// BenchmarkJoin unites 30 segments of 40 tools each. "first search" adds what
// the first search in the union takes beyond those that follow.
func BenchmarkJoin(b *testing.B) {
	segments := benches[2_000].catalog().segments()[:30]
	b.Run("join", func(b *testing.B) {
		for b.Loop() {
			Join(segments...)
		}
	})
	b.Run("join and first search", func(b *testing.B) {
		for b.Loop() {
			Join(segments...).Search("create issue", 10)
		}
	})
}

// newBleve indexes tools in Bleve: in memory by scorch, the faster of its two
// kinds of index, BM25, English analysis, the same
// fields, and nothing kept that a search for ids doesn't need. Identifiers are
// split beforehand, which Bleve's analyzer doesn't do.
func newBleve(tools []toolcrib.Tool) bleve.Index {
	text := bleve.NewTextFieldMapping()
	text.Analyzer, text.Store, text.IncludeTermVectors, text.IncludeInAll, text.DocValues = en.AnalyzerName, false, false, false, false
	doc := bleve.NewDocumentStaticMapping()
	for _, f := range fieldNames {
		doc.AddFieldMappingsAt(f, text)
	}
	m := bleve.NewIndexMapping()
	m.DefaultMapping, m.ScoringModel = doc, index.BM25Scoring
	x, err := bleve.NewUsing("", m, scorch.Name, scorch.Name, nil)
	if err != nil {
		panic(err)
	}
	batch := x.NewBatch()
	for i := range tools {
		if err := batch.Index(tools[i].ID, bleveDocument(&tools[i])); err != nil {
			panic(err)
		}
		if batch.Size() == 1000 || i == len(tools)-1 {
			if err := x.Batch(batch); err != nil {
				panic(err)
			}
			batch.Reset()
		}
	}
	return x
}

func bleveDocument(t *toolcrib.Tool) map[string]any {
	split := func(s string) string { return strings.NewReplacer("_", " ", "-", " ").Replace(s) }
	var names, texts []string
	walkSchema(t.Parameters, func(kind schemaText, text string) {
		if kind == schemaName {
			names = append(names, split(text))
		} else {
			texts = append(texts, text)
		}
	})
	return map[string]any{
		fieldNames[FieldName]: split(t.Name), fieldNames[FieldLabel]: t.Label, fieldNames[FieldServer]: split(t.Owner),
		fieldNames[FieldDescription]: t.Description, fieldNames[FieldParameter]: strings.Join(names, " "),
		fieldNames[FieldParameterText]: strings.Join(texts, " "),
	}
}

func searchBleve(tb testing.TB, x bleve.Index, text string) int {
	var fields []query.Query
	for f, name := range fieldNames {
		q := bleve.NewMatchQuery(text)
		q.SetField(name)
		q.SetBoost(tuned.weight[f])
		fields = append(fields, q)
	}
	found, err := x.Search(bleve.NewSearchRequestOptions(bleve.NewDisjunctionQuery(fields...), 10, 0, false))
	if err != nil {
		tb.Fatal(err)
	}
	return len(found.Hits)
}
