package demo

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/toolcrib/toolcrib"
)

// no runs one tool that must refuse, and wants these words in its answer.
func no(t *testing.T, d *Demo, id, args string, want ...string) {
	t.Helper()
	r := try(t, d, id, args)
	if !r.IsError || r.Details != nil || len(r.Content) != 1 {
		t.Fatalf("%s %s: want a refusal, got %+v", id, args, r)
	}
	for _, w := range want {
		if !strings.Contains(r.Content[0].Text, w) {
			t.Errorf("%s %s: %q does not say %q", id, args, r.Content[0].Text, w)
		}
	}
}

func TestIssuesLive(t *testing.T) {
	t.Parallel()
	d := newDemo(t)
	made := ok(t, d, "plugin:tracker:create_issue", `{"title":"Bell is silent","priority":"urgent"}`)
	if made["id"] != "TRK-107" || made["status"] != "open" || made["created_at"] != "2026-03-04T10:30:00Z" {
		t.Fatalf("created %v", made)
	}
	found := ok(t, d, "plugin:tracker:search_issues", `{"query":"BELL silent"}`)
	if found["total"] != 1.0 {
		t.Errorf("search: %v", found)
	}
	ok(t, d, "plugin:tracker:block_issue", `{"issue_id":"TRK-107","blocked_by":"TRK-101"}`)
	no(t, d, "plugin:tracker:transition_issue", `{"issue_id":"TRK-107","status":"in_progress"}`, "TRK-101", "close that one first")
	ok(t, d, "plugin:tracker:close_issue", `{"issue_id":"TRK-101","resolution":"fixed"}`)
	ok(t, d, "plugin:tracker:transition_issue", `{"issue_id":"TRK-107","status":"in_progress"}`)
	ok(t, d, "plugin:tracker:delete_issue", `{"issue_id":"TRK-107"}`)
	no(t, d, "plugin:tracker:get_issue", `{"issue_id":"TRK-107"}`, `"TRK-107"`, "list_issues")
	again := ok(t, d, "plugin:tracker:create_issue", `{"title":"Another"}`)
	if again["id"] != "TRK-108" {
		t.Errorf("an id was used twice: %v", again["id"])
	}
}

func TestListsArePaged(t *testing.T) {
	t.Parallel()
	d := newDemo(t)
	first := ok(t, d, "plugin:tracker:list_issues", `{"limit":4}`)
	if len(first["items"].([]any)) != 4 || first["total"] != 6.0 || first["next_offset"] != 4.0 {
		t.Errorf("first page: %v", first)
	}
	rest := ok(t, d, "plugin:tracker:list_issues", `{"limit":4,"offset":4}`)
	if len(rest["items"].([]any)) != 2 || rest["next_offset"] != nil {
		t.Errorf("second page: %v", rest)
	}
	empty := try(t, d, "plugin:tracker:list_issues", `{"assignee":"nobody"}`)
	if string(empty.Details) != `{"items":[],"total":0}` {
		t.Errorf("an empty list is %s", empty.Details)
	}
}

func TestFreeSlotsAvoidEventsNightsAndWeekends(t *testing.T) {
	t.Parallel()
	d := newDemo(t)
	// 2026-03-06 is a Friday with an event from 15:00 to 16:30.
	out := ok(t, d, "plugin:calendar:find_free_slot", `{"from":"2026-03-06T14:30:00Z","to":"2026-03-10T00:00:00Z","minutes":60,"limit":2}`)
	slots := out["slots"].([]any)
	var starts []string
	for _, s := range slots {
		starts = append(starts, s.(map[string]any)["start"].(string))
	}
	if got := strings.Join(starts, " "); got != "2026-03-06T16:30:00Z 2026-03-09T08:00:00Z" {
		t.Errorf("slots at %s", got)
	}
	no(t, d, "plugin:calendar:create_event", `{"title":"x","start":"2026-03-06T14:30:00Z","end":"2026-03-06T14:00:00Z"}`, "not after")
}

func TestMoneyAddsUp(t *testing.T) {
	t.Parallel()
	d := newDemo(t)
	inv := ok(t, d, "plugin:billing:create_invoice", `{"customer":"Kumo","lines":[{"text":"a","quantity":3,"price":9.99},{"text":"b","quantity":1,"price":0.03}],"tax_rate":10}`)
	if inv["total"] != 33.0 {
		t.Errorf("total %v", inv["total"])
	}
	id := fmt.Sprintf(`{"invoice_id":%q`, inv["id"])
	no(t, d, "plugin:billing:record_payment", id+`,"amount":1}`, "draft", "send_invoice")
	ok(t, d, "plugin:billing:send_invoice", id+`}`)
	no(t, d, "plugin:billing:record_payment", id+`,"amount":33.01}`, "33.00")
	ok(t, d, "plugin:billing:record_payment", id+`,"amount":33}`)
	if got := ok(t, d, "plugin:billing:get_invoice", id+`}`); got["status"] != "paid" {
		t.Errorf("status %v", got["status"])
	}
	no(t, d, "plugin:billing:void_invoice", id+`}`, "refund_payment")
	ok(t, d, "plugin:billing:refund_payment", id+`,"amount":3}`)
	no(t, d, "plugin:billing:refund_payment", id+`,"amount":30.5}`, "30.00")
	usd := ok(t, d, "plugin:billing:convert_currency", `{"amount":162,"from":"JPY","to":"USD"}`)
	if usd["amount"] != 1.1 {
		t.Errorf("162 JPY are %v USD", usd["amount"])
	}
}

func TestRefusalsSayWhatToTry(t *testing.T) {
	t.Parallel()
	d := newDemo(t)
	for _, c := range []struct{ id, args, want string }{
		{"plugin:chat:post_message", `{"channel_id":"CHN-104","text":"hi"}`, "archived"},
		{"plugin:chat:create_channel", `{"name":"#general"}`, "CHN-101"},
		{"plugin:chat:edit_post", `{"post_id":"PST-101","text":"no"}`, "ines"},
		{"plugin:ci:start_build", `{"pipeline_id":"PIP-103"}`, "pause_pipeline"},
		{"plugin:ci:cancel_build", `{"build_id":"BLD-101"}`, "passed"},
		{"plugin:cluster:rollback_deployment", `{"deployment_id":"DEP-103"}`, "deploy_version"},
		{"plugin:home:dim_light", `{"device_id":"DEV-105","brightness":3}`, "list_devices"},
		{"plugin:travel:book_flight", `{"offer":"FL-Oslo-Oslo-1","day":"2026-04-01","traveller":"a"}`, "search_flights"},
		{"plugin:database:query_rows", `{"table":"orders","order_by":"size"}`, "describe_tables"},
		{"plugin:database:insert_row", `{"table":"orders","values":{"item":"x"}}`, `"customer"`},
		{"plugin:drive:create_file", `{"path":"reports/../reports/january.md"}`, "write_file"},
		{"plugin:analytics:query_metric", `{"metric":"visits","from":"2025-01-01","to":"2026-01-01"}`, "92 days"},
		{"plugin:mail:snooze_mail", `{"message_id":"MSG-101","until":"2020-01-01T00:00:00Z"}`, "passed already"},
		{"plugin:crm:merge_contacts", `{"keep":"CON-101","duplicate":"CON-101"}`, "itself"},
		{"plugin:people:approve_leave", `{"leave_request_id":"LVE-999"}`, "list_leave_requests"},
		{"plugin:tracker:create_issue", `[]`, "JSON object"},
	} {
		no(t, d, c.id, c.args, c.want)
	}
	before := state(t, newDemo(t))
	if state(t, d) != before {
		t.Error("a refusal changed something")
	}
}

func TestUnknownTool(t *testing.T) {
	t.Parallel()
	_, err := newDemo(t).Execute(t.Context(), toolcrib.Call{Tool: toolcrib.Tool{ID: "plugin:tracker:nothing"}})
	if toolcrib.KindOf(err) != toolcrib.KindNotFound {
		t.Errorf("err = %v", err)
	}
}

// A client that writes as much as it can meets a refusal, and the state stays in bounds.
func TestStateIsBounded(t *testing.T) {
	t.Parallel()
	d := newDemo(t)
	long := strings.Repeat("x", 3000)
	refusedAt := 0
	for i := range 500 {
		if r := try(t, d, "plugin:tracker:create_issue", fmt.Sprintf(`{"title":"%d","body":%q}`, i, long)); r.IsError {
			refusedAt = i
			break
		}
	}
	s := d.services[0]
	if refusedAt == 0 || s.bytes > maxState || len(s.tables[0].rows) > maxRows {
		t.Errorf("refused at %d with %d bytes and %d rows", refusedAt, s.bytes, len(s.tables[0].rows))
	}
	for range maxRows {
		try(t, d, "plugin:calendar:create_event", `{"title":"x","start":"2026-03-06T14:00:00Z","end":"2026-03-06T14:30:00Z"}`)
	}
	no(t, d, "plugin:calendar:create_event", `{"title":"x","start":"2026-03-06T14:00:00Z","end":"2026-03-06T14:30:00Z"}`, "at most 200")
	for range 100 {
		try(t, d, "plugin:notes:append_to_note", fmt.Sprintf(`{"note_id":"NOT-103","line":%q}`, long))
		try(t, d, "plugin:tracker:label_issue", fmt.Sprintf(`{"issue_id":"TRK-101","label":"%d"}`, len(long)))
	}
	no(t, d, "plugin:notes:create_note", fmt.Sprintf(`{"title":%q}`, strings.Repeat("y", maxArgs)), "at most")
	no(t, d, "plugin:notes:create_note", fmt.Sprintf(`{"title":%q}`, strings.Repeat("y", maxRecord)), "keeps of one")
	ok(t, d, "plugin:tracker:delete_issue", `{"issue_id":"TRK-101"}`)
	if total := recount(t, d.services[0]); total != d.services[0].bytes {
		t.Errorf("counted %d bytes, there are %d", d.services[0].bytes, total)
	}
}

func recount(t *testing.T, s *service) (total int) {
	t.Helper()
	for _, tab := range s.tables {
		for _, n := range tab.sizes {
			total += n
		}
		if len(tab.sizes) != len(tab.rows) {
			t.Errorf("%s: %d sizes for %d rows", tab.one, len(tab.sizes), len(tab.rows))
		}
	}
	return total
}

func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	d := newDemo(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				for _, id := range []string{"create_issue", "list_issues"} {
					r, err := d.Execute(t.Context(), toolcrib.Call{Tool: toolcrib.Tool{ID: "plugin:tracker:" + id}, Args: []byte(`{"title":"t","limit":100}`)})
					if err != nil || r.IsError {
						t.Errorf("%s: %v %v", id, r, err)
					}
				}
			}
		})
	}
	wg.Wait()
	if got := ok(t, d, "plugin:tracker:list_issues", `{}`); got["total"] != 86.0 {
		t.Errorf("%v issues", got["total"])
	}
}

func TestProgressIsReported(t *testing.T) {
	t.Parallel()
	var seen []toolcrib.Progress
	_, err := newDemo(t).Execute(t.Context(), toolcrib.Call{
		Tool: toolcrib.Tool{ID: "plugin:database:create_backup"}, Args: []byte(`{}`),
		Progress: func(p toolcrib.Progress) { seen = append(seen, p) },
	})
	if err != nil || len(seen) != 2 || seen[1].Done != 2 || seen[1].Total != 2 || seen[1].Message != "copied orders" {
		t.Errorf("progress %v, err %v", seen, err)
	}
}

// FuzzExecute: whatever the arguments, a service answers or refuses; it never breaks.
func FuzzExecute(f *testing.F) {
	d, err := New(Options{Now: fixedClock})
	if err != nil {
		f.Fatal(err)
	}
	examples := d.Examples()
	for i, ex := range examples {
		f.Add(i, ex.Args)
		f.Add(i, strings.NewReplacer(`"id`, `["id`, `":"`, `":["`, `"}`, `"]}`).Replace(ex.Args))
		f.Add(i, strings.ReplaceAll(ex.Args, `:"`, `:1e9,"x":"`))
		f.Add(i, `{}`)
	}
	f.Fuzz(func(t *testing.T, n int, args string) {
		if n < 0 {
			n = -(n + 1)
		}
		id := examples[n%len(examples)].ID
		if _, err := d.Execute(t.Context(), toolcrib.Call{Tool: toolcrib.Tool{ID: id}, Args: []byte(args)}); err != nil {
			t.Errorf("%s %s: %v", id, args, err)
		}
	})
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(Options{Now: fixedClock}); err != nil {
			b.Fatal(err)
		}
	}
}
