package e2e

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib/internal/mcptest"
)

// Bounds of what the recorded lists may cost.
const (
	recordedTools  = 1459
	controlsBytes  = 1800
	directBytes    = 3_000_000 // more than this
	residentKiB    = 60 * 1000 * 1000 / 1024
	withinTheFirst = 5
	// ownTools are all of toolcrib's own, which the operator has: files, commands, the
	// web, the session and results. A model behind /mcp has the last two.
	ownTools   = 10
	modelTools = 2
	// hiding is the recorded tool whose text hides a character, and which waits for a review.
	hiding = 1
)

// recorded is a home whose configuration names every recorded server, each
// really served, and the names of the servers.
func recorded(t testing.TB) (*home, []string) {
	t.Helper()
	lists, err := mcptest.Load(catalogs(t))
	if err != nil {
		t.Fatal(err)
	}
	handler, err := mcptest.Handler(lists)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	var names []string
	for _, l := range lists {
		names = append(names, l.Server)
	}
	return newHome(t, mcptest.Config(lists, server.URL)), names
}

// everydayQueries are requests as people put them, each with the tools of the
// recorded lists that serve it.
var everydayQueries = []struct {
	query string
	tools []string
}{
	{"open an issue in gitlab", []string{"mcp:gitlab:create_issue", "mcp:zereight-gitlab:create_issue"}},
	{"accept a merge request", []string{"mcp:zereight-gitlab:merge_merge_request", "mcp:zereight-gitlab:approve_merge_request"}},
	{"why did my ci build fail", []string{"mcp:circleci:get_build_failure_logs"}},
	{"find tests that fail only sometimes", []string{"mcp:circleci:find_flaky_tests"}},
	{"turn an address into coordinates", []string{"mcp:google-maps:maps_geocode"}},
	{"driving directions between two places", []string{"mcp:google-maps:maps_directions", "mcp:google-maps:maps_distance_matrix"}},
	{"send a message to a teams chat", []string{"mcp:ms365:send-chat-message"}},
	{"show the logs of a pod", []string{"mcp:kubernetes:pods_log"}},
	{"scale a deployment", []string{"mcp:kubernetes:resources_scale"}},
	{"take a picture of the web page", []string{"mcp:playwright:browser_take_screenshot", "mcp:puppeteer:puppeteer_screenshot", "mcp:browserbase:browserbase_screenshot"}},
	{"rename a file on disk", []string{"mcp:filesystem:move_file", "mcp:desktop-commander:move_file"}},
	{"run sql on postgres", []string{"mcp:postgres:query"}},
	{"add an index to a mongo collection", []string{"mcp:mongodb:create-index"}},
	{"look up the documentation of a library", []string{"mcp:context7:query-docs", "mcp:context7:resolve-library-id"}},
	{"add a record to an airtable table", []string{"mcp:airtable:create_record"}},
	{"download pictures from a figma design", []string{"mcp:figma:download_figma_images"}},
	{"kill a running process", []string{"mcp:desktop-commander:kill_process", "mcp:desktop-commander:force_terminate"}},
	{"put a message on a cloudflare queue", []string{"mcp:cloudflare:queue_send_message"}},
	{"reviews of an amazon product", []string{"mcp:brightdata:web_data_amazon_product_reviews"}},
	{"lint my javascript files", []string{"mcp:eslint:lint-files"}},
	{"crawl a whole website", []string{"mcp:firecrawl:firecrawl_crawl"}},
	{"read a topic on the discourse forum", []string{"mcp:discourse:discourse_read_topic"}},
}

// TestRecordedServers puts the program in front of thirty recorded servers and
// measures what a model sees, whether it finds what it looks for, and what
// that takes.
func TestRecordedServers(t *testing.T) {
	h, names := recorded(t)
	g := h.serve()
	g.ready(names...)
	if got := answer[struct{ Tools int }](h, "status").Tools; got != recordedTools-hiding+ownTools {
		t.Errorf("the gateway has %d tools, want %d", got, recordedTools-hiding+ownTools)
	}
	resident(t, g, "all lists are loaded")

	t.Run("search", func(t *testing.T) {
		for _, q := range everydayQueries {
			ids := h.search(q.query).ids()
			place := slices.IndexFunc(ids, func(id string) bool { return slices.Contains(q.tools, id) })
			if place < 0 || place >= withinTheFirst {
				t.Errorf("%q found %v, want one of %v within the first %d", q.query, ids, q.tools, withinTheFirst)
			}
		}
	})
	resident(t, g, "the searches")

	t.Run("bytes", func(t *testing.T) {
		list := listedBy(t, g.url+"?mode=tools")
		size := 0
		var seen []string
		for _, tool := range list {
			var name struct{ Name string }
			decode(t, string(tool), &name)
			seen, size = append(seen, name.Name), size+len(tool)
		}
		if !slices.Equal(seen, controls) || size > controlsBytes {
			t.Errorf("mode tools shows %v in %d bytes, want %v in at most %d", seen, size, controls, controlsBytes)
		}
		direct := listedBy(t, g.url+"?mode=direct")
		whole := len(bytes.Join(direct, nil))
		if len(direct) != recordedTools-hiding+modelTools || whole <= directBytes {
			t.Errorf("mode direct shows %d tools in %d bytes, want %d in more than %d", len(direct), whole, recordedTools-hiding+modelTools, directBytes)
		}
		t.Logf("tools/list: %d bytes with the controls, %d bytes in direct mode", size, whole)
	})
	resident(t, g, "a direct tools/list")
}

// listedBy is tools/list of an endpoint, over all pages, each tool as the bytes
// that a client gets.
func listedBy(t testing.TB, url string) [][]byte {
	t.Helper()
	var all [][]byte
	cursor := ""
	for page := 1; ; page++ {
		params := object{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		m := once(t, url, "tools/list", params)
		var list struct {
			Tools      []json.RawMessage
			NextCursor string
		}
		decode(t, string(m.Result), &list)
		for _, tool := range list.Tools {
			all = append(all, tool)
		}
		if cursor = list.NextCursor; cursor == "" || page > 100 {
			return all
		}
	}
}

// resident checks the resident memory of the gateway, once it has come to rest: what
// a list leaves behind is given back within seconds.
func resident(t *testing.T, g *running, after string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	now := memory(t, g.pid, "VmRSS")
	for until := time.Now().Add(10 * time.Second); now >= residentKiB && time.Now().Before(until); now = memory(t, g.pid, "VmRSS") {
		time.Sleep(100 * time.Millisecond)
	}
	most := memory(t, g.pid, "VmHWM")
	t.Logf("resident after %s: %d KiB, at most %d KiB so far", after, now, most)
	if now >= residentKiB {
		t.Errorf("resident after %s: %d KiB, want less than %d", after, now, residentKiB)
	}
}
