package toolsearch

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
)

// hostile is a text that tries to break whatever it is put into.
func hostile(r *rand.Rand) string {
	bits := []string{"\"", "\\", "</script>", "\n", "\t", "\x00", "\x1b[31m", "\xff\xfe", "\u202e", "\u200b", "\u2028", "👩‍👩‍👧‍👦", "é", "日本語", "issue ", "open ", "}", "]", "\U000e0041", "a"}
	var b strings.Builder
	for range r.IntN(40) {
		b.WriteString(bits[r.IntN(len(bits))])
	}
	switch r.IntN(12) {
	case 0:
		return strings.Repeat(b.String()+"word ", 34_000/(b.Len()+5))
	case 1:
		return strings.Repeat("\x01", r.IntN(5000))
	}
	return b.String()
}

// hostileCatalog has tools of every source with hostile texts.
func hostileCatalog(r *rand.Rand) *catalog.Catalog {
	var listings []toolcrib.Listing
	for i := range 1 + r.IntN(5) {
		source := []toolcrib.Source{toolcrib.SourceMCP, toolcrib.SourcePlugin, toolcrib.SourceCore}[r.IntN(3)]
		owner := fmt.Sprintf("owner%d", i)
		var tools []toolcrib.Tool
		for n := range 1 + r.IntN(20) {
			tools = append(tools, tool(source, owner, fmt.Sprintf("issue_%d%s", n, hostile(r)), "open issue "+hostile(r), func(t *toolcrib.Tool) {
				t.Label = hostile(r)
				t.Parameters = [][]byte{nil, []byte(`{`), []byte(`[]`), []byte(`{"type":"object","properties":{"a\"b":{"type":"string"}}}`)}[r.IntN(4)]
				t.OutputSchema = t.Parameters
				t.Meta = [][]byte{nil, []byte(`{`), []byte(`{"a":1}`)}[r.IntN(3)]
			}))
		}
		listings = append(listings, listing(tools...))
	}
	for i := range r.IntN(40) {
		listings = append(listings, down(fmt.Sprintf("down%d", i), hostile(r)))
	}
	return catalog.Plan(listings, allowAll)
}

// TestRepliesHoldTheirBudget: whatever tools say of themselves, each answer is
// one valid JSON text of valid UTF-8, within its budget, and hides nothing.
func TestRepliesHoldTheirBudget(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := hostileCatalog(r)
		b := open(t, c, ModeTools)
		quoted, _ := json.Marshal(hostile(r))
		for _, tt := range []struct {
			args   string
			budget int
		}{
			{`{"query":"open issue","limit":20}`, searchBudget},
			{fmt.Sprintf(`{"query":%s}`, quoted), searchBudget},
			{`{"queries":[` + strings.Repeat(`"issue",`, 15) + string(quoted) + `],"limit":20}`, batchBudget},
			{fmt.Sprintf(`{"queries":[%s]}`, strings.TrimSuffix(strings.Repeat(string(quoted)+",", 16), ",")), batchBudget},
		} {
			text, _ := b.ask(t, SearchControl, tt.args)
			if len(text) > tt.budget {
				t.Errorf("seed %d: %.80s: %d bytes, the budget is %d", seed, tt.args, len(text), tt.budget)
			}
			checkPrompt(t, text)
		}
		described := 0
		for tool := range c.All() {
			if described++; described > 5 {
				break
			}
			id, _ := json.Marshal(tool.ID)
			text, _ := b.ask(t, DescribeControl, fmt.Sprintf(`{"id":%s}`, id))
			checkPrompt(t, text)
		}
	}
}

// checkPrompt fails when a text holds anything that a reader wouldn't see.
func checkPrompt(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("not UTF-8: %q", text)
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '\x7f' && hidden(r) }); i >= 0 {
		t.Errorf("a hidden character at %d: %q", i, text[i:min(len(text), i+20)])
	}
}

// TestSearchDropsFromTheEnd: what is dropped is the tail, and it is said.
func TestSearchDropsFromTheEnd(t *testing.T) {
	var tools []toolcrib.Tool
	for i := range 30 {
		tools = append(tools, tool(toolcrib.SourceMCP, "big", fmt.Sprintf("issue_%02d", i), "Open an issue. "+strings.Repeat("Long text. ", 60)))
	}
	c := catalog.Plan([]toolcrib.Listing{listing(tools...)}, allowAll)
	b := open(t, c, ModeTools, func(o *Options) { o.MaxLimit = 50 })
	all, err := b.Search(t.Context(), toolcrib.Scope{}, "", Query{"issue", 30})
	if err != nil || len(all) != 30 {
		t.Fatalf("%d hits, %v; want 30", len(all), err)
	}
	text, _ := b.ask(t, SearchControl, `{"query":"issue","limit":30}`)
	var got struct {
		Hits      []Hit
		Truncated bool
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || !got.Truncated || len(got.Hits) == 0 || len(got.Hits) == 30 {
		t.Fatalf("%v, truncated %v, %d hits", err, got.Truncated, len(got.Hits))
	}
	for i := range got.Hits {
		if got.Hits[i].ID != all[i].ID {
			t.Errorf("hit %d is %s, want %s", i, got.Hits[i].ID, all[i].ID)
		}
		if n := utf8.RuneCountInString(got.Hits[i].Description); n > maxHitDescription {
			t.Errorf("a description of %d characters", n)
		}
	}
	if searchBudget-len(text) > 700 {
		t.Errorf("%d bytes of the budget are left over", searchBudget-len(text))
	}
	text, _ = b.ask(t, SearchControl, `{"queries":["issue","issue open","nothing_zzz","long text"],"limit":20}`)
	var batch struct {
		Results []struct {
			Query     string
			Hits      []Hit
			Truncated bool
		}
		Truncated bool
	}
	if err := json.Unmarshal([]byte(text), &batch); err != nil || len(batch.Results) != 4 || !batch.Truncated {
		t.Fatalf("%v: %s", err, text)
	}
	for _, r := range batch.Results {
		if empty := r.Query == "nothing_zzz"; empty != (len(r.Hits) == 0) || empty == r.Truncated {
			t.Errorf("%q: %d hits, truncated %v", r.Query, len(r.Hits), r.Truncated)
		}
	}
}
