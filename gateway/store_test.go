package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// recording is a gateway with a tool and a store in a folder of its own.
func recording(t testing.TB, settings ...string) (*Gateway, *client.Client, string) {
	t.Helper()
	folder := t.TempDir()
	g, err := New(t.Context(), Options{Tools: []Tool{echo("repeat"), echo("hidden")}, StateDir: folder, Settings: append(settings, "tools.toolSearch.mode=tools")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g, client.New(client.InProcess(g.Control()), ""), folder
}

func asModel(t testing.TB, g *Gateway) *Session {
	t.Helper()
	s, err := g.Open(SessionOptions{Scope: toolcrib.Scope{Door: toolcrib.DoorMCP, Client: "editor", Session: "s1"}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const hello = `{"text":"hello","password":"hunter2xyz"}`

func TestRecordAnswers(t *testing.T) {
	g, api, folder := recording(t, `tools.deny=["hidden"]`, `sessions.redact=["text"]`)
	s := asModel(t, g)
	s.Surface(t.Context())
	if _, err := s.Search(t.Context(), "repeat text", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Describe(t.Context(), "plugin:app:repeat"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Call(t.Context(), "repeat", json.RawMessage(`{"text":"hello"}`)); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"hidden", "plugin:app:hidden"} {
		if _, _, err := s.Call(t.Context(), ref, json.RawMessage(hello)); toolcrib.KindOf(err) != toolcrib.KindNotFound {
			t.Fatalf("%v", err)
		}
	}
	s.Close()
	record, err := api.Session(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range record.Events {
		lines = append(lines, strings.Join(strings.Fields(fmt.Sprint(e.Kind, " ", e.Tool, " ", e.Source, " ", e.Outcome, " ", e.Failure, " ", string(e.Args))), " "))
	}
	if diff := cmp.Diff([]string{
		"session.start", "search ok", "describe plugin:app:repeat plugin ok",
		`call.started plugin:app:repeat plugin {"text":"[redacted]"}`, "call plugin:app:repeat plugin ok",
		"call refused not_found", "call refused not_found", "session.end",
	}, lines); diff != "" {
		t.Errorf("the events (-want +got):\n%s", diff)
	}
	if r := record.Events[6]; !strings.Contains(r.Rule, "deny") || !strings.Contains(r.Reason, "hidden") {
		t.Errorf("why it was refused: %+v", r)
	}
	shown := record.Shown
	if shown == nil || shown.Mode != "tools" || shown.Schemas != len(s.Surface(t.Context()).Tools()) || shown.Bytes <= 0 || shown.DirectBytes <= 0 || shown.Catalog[toolcrib.SourcePlugin] != 1 {
		t.Errorf("shown up front: %+v", shown)
	}
	if f := record.Final; f == nil || f.Tool != "plugin:app:repeat" || f.Source != toolcrib.SourcePlugin {
		t.Errorf("the final call: %+v", f)
	}
	if record.Found[0] != "plugin:app:repeat" || !slices.Equal(record.Described, record.Found[:1]) {
		t.Errorf("found %v, described %v", record.Found, record.Described)
	}
	list, err := api.Sessions(t.Context(), client.SessionsRequest{})
	if err != nil || len(list.Sessions) != 1 || list.Before != 0 {
		t.Fatalf("%+v, %v", list, err)
	}
	if got := list.Sessions[0]; got.Client != "editor" || got.Searches != 1 || got.Describes != 1 || got.Calls != 3 || got.Refused != 2 || got.Mode != "tools" {
		t.Errorf("%+v", got)
	}
	g.Close()
	noSecrets(t, folder, "hunter2", "hello")
}

// noSecrets looks for secrets in the bytes of each file of a folder.
func noSecrets(t *testing.T, folder string, secrets ...string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "toolcrib.db*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no database in %s: %v", folder, err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range secrets {
			if strings.Contains(string(data), s) {
				t.Errorf("%q stands in %s", s, filepath.Base(f))
			}
		}
	}
}

// The operator's own commands leave a record once there is something to record,
// and no file before.
func TestLookingLeavesNoRecord(t *testing.T) {
	g, api, folder := recording(t)
	if _, err := api.Tools(t.Context(), client.ToolsRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := api.Status(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := g.recorder.log.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "toolcrib.db*")); len(files) > 0 {
		t.Errorf("%v is there", files)
	}
	if _, err := api.Search(t.Context(), client.SearchRequest{Query: "repeat"}); err != nil {
		t.Fatal(err)
	}
	list, err := api.Sessions(t.Context(), client.SessionsRequest{})
	if err != nil || len(list.Sessions) != 1 || list.Sessions[0].Searches != 1 || list.Sessions[0].Mode != "tools" {
		t.Errorf("%+v, %v", list, err)
	}
}

// A store that can't be opened refuses what must be recorded, says why, and
// nothing else stops; once it can be, calls run again.
func TestStoreThatCannotBeOpened(t *testing.T) {
	g, api, folder := recording(t, "store.url=sqlite:sub/x.db")
	blocking := filepath.Join(folder, "sub")
	if err := os.WriteFile(blocking, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := asModel(t, g)
	if hits, err := s.Search(t.Context(), "repeat text", 0); err != nil || len(hits) == 0 {
		t.Errorf("searching: %v, %v", hits, err)
	}
	_, _, err := s.Call(t.Context(), "repeat", json.RawMessage(`{"text":"x"}`))
	if toolcrib.KindOf(err) != toolcrib.KindUnavailable || !strings.Contains(err.Error(), "it did not run: the audit record can't be written") {
		t.Errorf("calling: %v", err)
	}
	if !strings.Contains(err.Error(), "toolcrib status") || strings.Contains(err.Error(), folder) {
		t.Errorf("a model reads %v; want what an operator can do, and no path", err)
	}
	if err := g.recorder.audit(t.Context(), toolcrib.Call{}); err == nil || !strings.Contains(err.Error(), "store ") || !strings.Contains(err.Error(), blocking) {
		t.Errorf("an operator reads %v; want where the store is", err)
	}
	status, err := api.Status(t.Context())
	if err != nil || !strings.Contains(status.StoreError, "a part of its path is a file") || status.Unrecorded == 0 {
		t.Errorf("status: %q, %d not recorded, %v", status.StoreError, status.Unrecorded, err)
	}
	if _, err := api.Sessions(t.Context(), client.SessionsRequest{}); toolcrib.KindOf(err) != toolcrib.KindConfig {
		t.Errorf("reading: %v", err)
	}
	if err := os.Remove(blocking); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Call(t.Context(), "repeat", json.RawMessage(`{"text":"x"}`)); err == nil {
		t.Error("it was tried again at once")
	}
	g.store.mu.Lock()
	g.store.tried = time.Now().Add(-tryAgain)
	g.store.mu.Unlock()
	if _, _, err := s.Call(t.Context(), "repeat", json.RawMessage(`{"text":"x"}`)); err != nil {
		t.Errorf("once it can be opened: %v", err)
	}
	if status, err := api.Status(t.Context()); err != nil || status.StoreError != "" {
		t.Errorf("status: %q, %v", status.StoreError, err)
	}
}

// A database that is deleted under the gateway is made anew with the next call.
func TestStoreFileGoes(t *testing.T) {
	g, api, folder := recording(t)
	s := asModel(t, g)
	call := func() {
		t.Helper()
		if _, _, err := s.Call(t.Context(), "repeat", json.RawMessage(`{"text":"x"}`)); err != nil {
			t.Fatal(err)
		}
	}
	call()
	files, err := filepath.Glob(filepath.Join(folder, "toolcrib.db*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	call()
	record, err := api.Session(t.Context(), "s1")
	if err != nil || len(record.Events) == 0 || !slices.ContainsFunc(record.Events, func(e client.SessionEvent) bool { return e.Kind == "call.started" }) {
		t.Errorf("%d events, %v", len(record.Events), err)
	}
}

func TestAuditSettings(t *testing.T) {
	for audit, want := range map[string][]string{
		"required": {"call.started", "call"}, "best-effort": {"call.started", "call"}, "off": nil,
	} {
		g, _, folder := recording(t, "sessions.audit="+audit, "sessions.args=false", "store.url=sqlite:x.db")
		s := asModel(t, g)
		if _, _, err := s.Call(t.Context(), "repeat", json.RawMessage(`{"text":"hello"}`)); err != nil {
			t.Fatal(err)
		}
		record, err := g.readable(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		events, err := record.Events(t.Context(), "s1", 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, e := range events {
			if e.Kind != "session.start" {
				kinds = append(kinds, string(e.Kind))
			}
			if e.Args != nil {
				t.Errorf("%s: arguments are kept: %s", audit, e.Args)
			}
		}
		if diff := cmp.Diff(want, kinds); diff != "" {
			t.Errorf("%s in %s (-want +got):\n%s", audit, folder, diff)
		}
	}
}

// A program's gateway keeps nothing on disk, and answers from memory.
func TestRecordInMemory(t *testing.T) {
	g, err := New(t.Context(), Options{Tools: []Tool{echo("repeat")}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	api := client.New(client.InProcess(g.Control()), "")
	if _, err := api.Call(t.Context(), client.CallRequest{ID: "repeat", Args: json.RawMessage(`{"text":"x"}`)}); err != nil {
		t.Fatal(err)
	}
	list, err := api.Sessions(t.Context(), client.SessionsRequest{})
	if err != nil || len(list.Sessions) != 1 || list.Sessions[0].Calls != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	if status, err := api.Status(t.Context()); err != nil || status.Store != "memory:" {
		t.Errorf("%+v, %v", status.Store, err)
	}
}

// Old events go, and new ones stay.
func TestPruning(t *testing.T) {
	g, api, _ := recording(t, "sessions.keepDays=2")
	old := toolcrib.Event{Kind: toolcrib.EventSearch, Time: time.Now().AddDate(0, 0, -3), Scope: toolcrib.Scope{Session: "old"}}
	g.recorder.Record(old)
	s := asModel(t, g)
	if _, err := s.Search(t.Context(), "repeat", 0); err != nil {
		t.Fatal(err)
	}
	if err := g.recorder.log.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept, err := g.store.get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g.prune(t.Context(), kept)
	list, err := api.Sessions(t.Context(), client.SessionsRequest{})
	if err != nil || len(list.Sessions) != 1 || list.Sessions[0].ID != "s1" {
		t.Errorf("%+v, %v", list, err)
	}
}

// Calls in parallel are each written down, and many in one go.
func TestParallelCallsAreRecorded(t *testing.T) {
	g, api, _ := recording(t)
	s := asModel(t, g)
	var group sync.WaitGroup
	for range 40 {
		group.Go(func() {
			if _, _, err := s.Call(context.WithoutCancel(t.Context()), "repeat", json.RawMessage(`{"text":"x"}`)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	record, err := api.Session(t.Context(), "s1")
	if err != nil || record.Session.Calls != 40 {
		t.Errorf("%+v, %v", record.Session, err)
	}
	began := map[string]bool{}
	for _, e := range record.Events {
		switch e.Kind {
		case "call.started":
			began[e.CallID] = true
		case "call":
			if !began[e.CallID] {
				t.Errorf("call %s ended before it began", e.CallID)
			}
		}
	}
}

// What an audited call costs: the difference between "required" and "off".
func BenchmarkCallAudit(b *testing.B) {
	for _, audit := range []string{"off", "best-effort", "required"} {
		b.Run(audit, func(b *testing.B) {
			g, _, _ := recording(b, "sessions.audit="+audit)
			s := asModel(b, g)
			for b.Loop() {
				if _, _, err := s.Call(b.Context(), "repeat", json.RawMessage(`{"text":"hello"}`)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
