package search

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolcrib/toolcrib"
)

// mcpTool returns an untrusted tool.
func mcpTool(server, name, description string) toolcrib.Tool {
	return toolcrib.Tool{
		ID: toolcrib.MakeID(toolcrib.SourceMCP, server, name), Source: toolcrib.SourceMCP,
		Owner: server, Name: name, Description: description,
	}
}

func office() []toolcrib.Tool {
	return []toolcrib.Tool{
		mcpTool("calendar", "create_event", "Put a new event into a calendar, with guests and a place."),
		mcpTool("calendar", "list_events", "List the events between two dates."),
		mcpTool("calendar", "deleteEvent", "Remove an event and tell its guests."),
		mcpTool("mail", "send_email", "Send a message to one or more people."),
		mcpTool("mail", "search_messages", "Search the mailbox by sender, subject or text."),
		mcpTool("web", "fetch_pages", "Download web pages and turn them into text."),
		mcpTool("web", "crawl", "Visit each webpage of a site."),
		mcpTool("web", "screenshot", "Take a picture of what the browser shows."),
		mcpTool("gitlab", "create_issue", "Open an issue in a project."),
		mcpTool("gitlab", "create_merge_request", "Ask to merge a branch into another."),
		mcpTool("github", "create_issue", "Open an issue in a repository."),
		mcpTool("github", "HTTPPing", "Check that the service answers."),
		mcpTool("tasks", "create_to_do", "Note something to be done."),
		mcpTool("tasks", "the", "A tool whose name says nothing."),
		mcpTool("weather", "get_weather", "Current temperature, wind and rain of a city. Météo."),
		mcpTool("bing", "cn_search", "使用必应搜索指定的关键词，返回网页的标题和链接"),
		mcpTool("bing", "cn_weather", "查询城市的天气预报"),
		mcpTool("thai", "th_map", "ค้นหาร้านอาหารใกล้ฉัน"),
		mcpTool("naver", "ko_map", "지도에서 가까운 식당을 검색합니다"),
		mcpTool("yandex", "ru_trains", "Расписание поездов и электричек"),
		mcpTool("auth", "login", "Start a session."),
		mcpTool("tls", "rotate", "Replace the certificate of a host."),
	}
}

func ids(hits []Hit) []string {
	var list []string
	for _, h := range hits {
		list = append(list, h.Tool.ID)
	}
	return list
}

func TestSearchFindsFirst(t *testing.T) {
	x := Join(NewSegment(office()))
	for _, c := range []struct{ query, want string }{
		{"create a calendar event", "mcp:calendar:create_event"},
		{"delete event", "mcp:calendar:deleteEvent"},
		{"deleting events", "mcp:calendar:deleteEvent"},
		{"open an issue in gitlab", "mcp:gitlab:create_issue"},
		{"please could you open an issue on GitHub for me?", "mcp:github:create_issue"},
		{"http ping", "mcp:github:HTTPPing"},
		{"send an e-mail", "mcp:mail:send_email"},
		{"e mail to people", "mcp:mail:send_email"},
		{"todo", "mcp:tasks:create_to_do"},
		{"add a to-do", "mcp:tasks:create_to_do"},
		{"to do", "mcp:tasks:create_to_do"},
		{"log in", "mcp:auth:login"},
		{"sign me in: logging in", "mcp:auth:login"},
		{"meteo", "mcp:weather:get_weather"},
		{"MÉTÉO", "mcp:weather:get_weather"},
		{"天气", "mcp:bing:cn_weather"},
		{"搜索 关键词", "mcp:bing:cn_search"},
		{"帮我查一下城市天气预报", "mcp:bing:cn_weather"},
		{"ร้านอาหาร", "mcp:thai:th_map"},
		{"식당 검색", "mcp:naver:ko_map"},
		{"расписание", "mcp:yandex:ru_trains"},
		{"the", "mcp:tasks:the"},
		{"delete calender event", "mcp:calendar:deleteEvent"},
		{"certifcate", "mcp:tls:rotate"},
		{"certificaet rotation", "mcp:tls:rotate"},
		{"screensh", "mcp:web:screenshot"},
		{"mcp:github:create_issue", "mcp:github:create_issue"},
		{"  mcp:gitlab:create_issue\n", "mcp:gitlab:create_issue"},
		{"gitlab__create_issue", "mcp:gitlab:create_issue"},
		{"createIssue github", "mcp:github:create_issue"},
	} {
		hits := x.Search(c.query, 3)
		if len(hits) == 0 || hits[0].Tool.ID != c.want {
			t.Errorf("%q found %v, want %s first", c.query, ids(hits), c.want)
		}
	}
}

func TestSearchFindsCompounds(t *testing.T) {
	x := Join(NewSegment(office()))
	for _, query := range []string{"webpage", "webpages", "web page", "web pages", "web-page", "webPage", "WebPages"} {
		got := ids(x.Search(query, 2))
		slices.Sort(got)
		if diff := cmp.Diff([]string{"mcp:web:crawl", "mcp:web:fetch_pages"}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
}

func TestSearchWithoutUsableTerm(t *testing.T) {
	x := Join(NewSegment(office()))
	for _, query := range []string{"", "   ", "?!…", "is it of and to", "zzzzqqqq", "\x00\xff", "👍"} {
		if hits := x.Search(query, 8); hits != nil {
			t.Errorf("%q found %v, want nil", query, ids(hits))
		}
	}
	for _, limit := range []int{0, -1} {
		if hits := x.Search("event", limit); hits != nil {
			t.Errorf("limit %d found %v, want nil", limit, ids(hits))
		}
	}
	if hits := Join().Search("event", 8); hits != nil {
		t.Errorf("an empty index found %v", ids(hits))
	}
	if hits := Join(NewSegment(nil), NewSegment(nil)).Search("event", 8); hits != nil {
		t.Errorf("empty segments found %v", ids(hits))
	}
}

// Exact ids and names lead whatever the rest of the catalog says.
func TestSearchExactFirst(t *testing.T) {
	tools := office()
	for i := range 50 {
		tools = append(tools, mcpTool("noise", fmt.Sprintf("create_issue_%d", i), strings.Repeat("create issue ", 50)))
	}
	tools = append(tools, mcpTool("noise", "CreateIssue", ""), mcpTool("noise", "a name: with/odd 字", "create"))
	x := Join(NewSegment(tools))
	for _, tool := range tools {
		if got := ids(x.Search(tool.ID, 1)); !slices.Equal(got, []string{tool.ID}) {
			t.Errorf("id %q found %v", tool.ID, got)
		}
		hits := x.Search(tool.Name, 2)
		if len(hits) == 0 || hits[0].Tool.Name != tool.Name {
			t.Errorf("name %q found %v", tool.Name, ids(hits))
		}
	}
	want := []string{"mcp:github:create_issue", "mcp:gitlab:create_issue", "mcp:noise:CreateIssue"}
	if diff := cmp.Diff(want, ids(x.Search("create_issue", 3))); diff != "" {
		t.Errorf("exact name, then the same name (-want +got):\n%s", diff)
	}
}

// A server must not win searches by what it writes into its schemas.
func TestUntrustedSchemasAreNotIndexed(t *testing.T) {
	tool := mcpTool("s", "quiet", "Says little.")
	tool.Parameters = json.RawMessage(`{"properties":{"zebra":{"description":"giraffe"}}}`)
	tool.OutputSchema = json.RawMessage(`{"properties":{"zebra":{}}}`)
	plugin := tool
	plugin.Source, plugin.ID = toolcrib.SourcePlugin, "plugin:s:quiet"
	trusted := tool
	trusted.Trusted, trusted.ID = true, "mcp:t:quiet"
	x := Join(NewSegment([]toolcrib.Tool{tool, plugin, trusted}))
	for _, query := range []string{"zebra", "giraffe", "zebr", "girafe"} {
		if diff := cmp.Diff([]string{"mcp:t:quiet", "plugin:s:quiet"}, ids(x.Search(query, 8))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
}

// A tool that has a word of the request stands above all that only resemble one.
func TestLikenessNeverBeatsAMatch(t *testing.T) {
	long := strings.Repeat("Various unrelated remarks. ", 200)
	x := Join(NewSegment([]toolcrib.Tool{
		mcpTool("a", "patch", "patch patch"),
		mcpTool("a", "pattern_patch", "patterns"),
		mcpTool("b", "other", long+"Mentions a pat."),
		mcpTool("c", "calendar", "calendar"),
		mcpTool("d", "elsewhere", long+"Events once."),
	}))
	if got := ids(x.Search("pat", 8)); !slices.Equal(got, []string{"mcp:b:other"}) {
		t.Errorf("pat is a word of the catalog and found %v", got)
	}
	if got := ids(x.Search("calender events", 8)); !slices.Equal(got, []string{"mcp:d:elsewhere", "mcp:c:calendar"}) {
		t.Errorf("calender events found %v", got)
	}
	if got := ids(x.Search("calender", 8)); !slices.Equal(got, []string{"mcp:c:calendar"}) {
		t.Errorf("calender found %v", got)
	}
}

func TestTypoBounds(t *testing.T) {
	x := Join(NewSegment([]toolcrib.Tool{mcpTool("a", "one", "map maps tree street documentation")}))
	for query, want := range map[string]bool{
		"mpa": false, "tere": true, "streat": true, "staert": false, "strett": true,
		"documantation": true, "docmantation": true, "docmantatien": false, "docu": true, "do": false, "12345": false,
	} {
		if got := x.Search(query, 1) != nil; got != want {
			t.Errorf("%q found something: %v, want %v", query, got, want)
		}
	}
}

// corpus returns n made-up tools whose words overlap a lot.
func corpus(n int) []toolcrib.Tool {
	rng := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("file page web user list create delete event calendar mail send get update issue project note task search data base chart")
	some := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[rng.IntN(len(words))] + " ")
		}
		return strings.TrimSpace(b.String())
	}
	tools := make([]toolcrib.Tool, n)
	for i := range tools {
		tools[i] = mcpTool("owner"+fmt.Sprint(i%17), strings.ReplaceAll(some(1+rng.IntN(3)), " ", "_")+fmt.Sprint(i), some(rng.IntN(60)))
		tools[i].Label = some(rng.IntN(3))
		if i%3 == 0 {
			tools[i].Trusted = true
			tools[i].Parameters = json.RawMessage(fmt.Sprintf(`{"properties":{%q:{"description":%q}}}`, some(1), some(5)))
		}
	}
	return tools
}

var probes = []string{
	"create file", "webpage", "web page", "database of users", "delet evnt", "mailing", "proj",
	"Send a mail to the user. Then create a calendar event and update the issue.", "search_data", "chart notes!", "owner3 list",
}

// The division into segments changes no score and no order.
func TestSegmentsDoNotMatter(t *testing.T) {
	tools := corpus(600)
	whole := Join(NewSegment(tools))
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 20 {
		shuffled := slices.Clone(tools)
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		var segments []*Segment
		for len(shuffled) > 0 {
			n := rng.IntN(min(len(shuffled), 120) + 1)
			segments = append(segments, NewSegment(shuffled[:n]))
			shuffled = shuffled[n:]
		}
		x := Join(segments...)
		if x.Len() != len(tools) {
			t.Fatalf("%d tools, want %d", x.Len(), len(tools))
		}
		for _, query := range probes {
			if diff := cmp.Diff(whole.Explain(query, 50), x.Explain(query, 50)); diff != "" {
				t.Fatalf("round %d, %q in %d segments (-one +many):\n%s", round, query, len(segments), diff)
			}
		}
	}
}

func TestExplainAddsUp(t *testing.T) {
	tools := append(corpus(300), office()...)
	x := Join(NewSegment(tools[:100]), NewSegment(tools[100:]))
	queries := append([]string{"create_event", "mcp:mail:send_email", "calender events", "gitlb people", "webpage crawler", "a web page", "天气"}, probes...)
	reasons := map[string]bool{}
	for _, query := range queries {
		hits, told := x.Search(query, 40), x.Explain(query, 40)
		if len(hits) != len(told) {
			t.Fatalf("%q: %d hits, %d explanations", query, len(hits), len(told))
		}
		for i, e := range told {
			sum := 0.0
			for _, term := range e.Terms {
				sum += term.Value
				reasons[string(term.Match)] = true
			}
			for _, b := range e.Bonuses {
				sum += b.Value
				reasons[b.Reason] = true
			}
			if sum != e.Score || e.Score != hits[i].Score || e.ID != hits[i].Tool.ID {
				t.Errorf("%q hit %d: sum %v, score %v of %s; search gave %v to %s", query, i, sum, e.Score, e.ID, hits[i].Score, hits[i].Tool.ID)
			}
		}
	}
	for _, want := range []string{
		"word", "joined", "split", "prefix", "typo", "exact id", "exact name",
		"words of the request in the name", "best part of the request", "no word of the request, only similar ones",
	} {
		if !reasons[want] {
			t.Errorf("no explanation names %q, so its arithmetic was not tested", want)
		}
	}
}

func TestExplainGolden(t *testing.T) {
	x := Join(NewSegment(office()))
	got, err := json.MarshalIndent(x.Explain("open a gitlab issue", 1), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "explain.json", append(got, '\n'))
}

func TestOrderIsScoreThenID(t *testing.T) {
	var tools []toolcrib.Tool
	for i := range 40 {
		tools = append(tools, mcpTool("s", fmt.Sprintf("t%02d", 39-i), "same words"))
	}
	x := Join(NewSegment(tools))
	hits := x.Search("same words", 10)
	if !slices.IsSorted(ids(hits)) || len(hits) != 10 || hits[0].Tool.Name != "t00" {
		t.Errorf("equal scores came as %v", ids(hits))
	}
}

func TestSuggest(t *testing.T) {
	x := Join(NewSegment(office()))
	for _, c := range []struct {
		name string
		n    int
		want []string
	}{
		{"create_isue", 2, []string{"mcp:github:create_issue", "mcp:gitlab:create_issue"}},
		{"mcp:githb:create_issue", 2, []string{"mcp:github:create_issue", "mcp:gitlab:create_issue"}},
		{"gitlab__createissue", 1, []string{"mcp:gitlab:create_issue"}},
		{"CREATE-EVENT", 1, []string{"mcp:calendar:create_event"}},
		{"event_create", 1, []string{"mcp:calendar:create_event"}},
		{"sendmail", 1, []string{"mcp:mail:send_email"}},
		{"zzzzqqqq", 3, nil},
		{"", 3, nil},
		{"create_issue", 0, nil},
		{strings.Repeat("create_issue", 1000), 3, nil},
	} {
		if diff := cmp.Diff(c.want, x.Suggest(c.name, c.n)); diff != "" {
			t.Errorf("Suggest(%q, %d) (-want +got):\n%s", c.name, c.n, diff)
		}
	}
}

func TestHostileTools(t *testing.T) {
	huge := mcpTool("h", "huge", strings.Repeat("All work and no play makes a dull tool. ", 850)+"Needle.")
	odd := mcpTool("h", "na\x00me\u202e\x1b[31m", "control characters")
	empty := mcpTool("h", "", "")
	cycle := mcpTool("h", "cycle", "")
	cycle.Trusted = true
	cycle.Parameters = json.RawMessage(`{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"knot":{"$ref":"#/$defs/a"}}}}}`)
	broken := cycle
	broken.ID, broken.Name, broken.Parameters = "mcp:h:broken", "broken", json.RawMessage(`{"properties":[[[{`)
	x := Join(NewSegment([]toolcrib.Tool{huge, odd, empty, cycle, broken}))
	for query, want := range map[string]string{
		"needle": huge.ID, odd.Name: odd.ID, "control": odd.ID, "knot": cycle.ID, "broken": broken.ID, empty.ID: empty.ID,
	} {
		if got := ids(x.Search(query, 1)); !slices.Equal(got, []string{want}) {
			t.Errorf("%q found %v, want %s", query, got, want)
		}
	}
}

func TestHugeRequest(t *testing.T) {
	x := Join(NewSegment(corpus(200)))
	var b strings.Builder
	for i := range 1 << 17 {
		fmt.Fprintf(&b, "word%d. ", i)
	}
	p := x.plan("create " + b.String())
	if len(p.terms) > maxTerms || p.parts > maxQueryParts {
		t.Errorf("1 MB of request became %d terms in %d parts", len(p.terms), p.parts)
	}
	if x.Search("create "+b.String(), 3) == nil {
		t.Error("the words at the start of a huge request found nothing")
	}
	if got := len(wantsOf(strings.Repeat("a b c d e f ", 1<<17)[:maxQuery])); got > 4*maxTerms+1 {
		t.Errorf("%d words are looked at", got)
	}
}

func TestManyTools(t *testing.T) {
	tools := corpus(20_000)
	x := Join(NewSegment(tools))
	if got := len(x.Search("create a web page", 20)); got != 20 {
		t.Errorf("%d hits of 20,000 tools, want 20", got)
	}
	last := tools[len(tools)-1]
	if got := ids(x.Search(last.ID, 1)); !slices.Equal(got, []string{last.ID}) {
		t.Errorf("the last tool's id found %v", got)
	}
}

func TestSearchesAtOnce(t *testing.T) {
	tools := corpus(500)
	x := Join(NewSegment(tools[:200]), NewSegment(tools[200:]))
	alone := Join(NewSegment(tools))
	want := map[string][]Hit{}
	for _, query := range probes {
		want[query] = alone.Search(query, 20)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				for _, query := range probes {
					got := x.Search(query, 20)
					if !slices.Equal(ids(got), ids(want[query])) {
						t.Errorf("%q found other tools while others searched", query)
					}
				}
			}
		})
	}
	wg.Wait()
}

func FuzzSearch(f *testing.F) {
	x := Join(NewSegment(office()), NewSegment(corpus(50)))
	for _, q := range append([]string{"天气 to-do createIssue", "a. b. and c then d", "\xff'’s"}, probes...) {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, query string) {
		first, again := x.Explain(query, 10), x.Explain(query, 10)
		if diff := cmp.Diff(first, again); diff != "" {
			t.Fatalf("two answers to %q:\n%s", query, diff)
		}
		for i, h := range x.Search(query, 10) {
			if h.Score != first[i].Score || h.Tool.ID != first[i].ID || !(h.Score > 0) {
				t.Fatalf("%q: hit %d is %s with %v, explained as %s with %v", query, i, h.Tool.ID, h.Score, first[i].ID, first[i].Score)
			}
		}
		x.Suggest(query, 3)
	})
}
