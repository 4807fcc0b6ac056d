package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/sourcetest"
)

var ann = toolcrib.Scope{Session: "s1", Caller: "ann", Agent: "main"}

// clock is a clock that only moves when told.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

func open(t *testing.T, o Options) (*Results, *clock) {
	t.Helper()
	c := &clock{t: time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)}
	o.Now = c.now
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r, c
}

func ask(t *testing.T, r *Results, s toolcrib.Scope, args string) (toolcrib.Result, error) {
	t.Helper()
	tool := r.Listings(t.Context(), s)[0].Tools[0]
	return r.Execute(t.Context(), toolcrib.Call{Tool: tool, Args: json.RawMessage(args), Scope: s})
}

func read(t *testing.T, r *Results, s toolcrib.Scope, args string) piece {
	t.Helper()
	res, err := ask(t, r, s, args)
	if err != nil || res.IsError {
		t.Fatalf("%s: %v %v", args, res, err)
	}
	var p piece
	if err := json.Unmarshal(res.Details, &p); err != nil {
		t.Fatal(err)
	}
	if res.Content[0].Text != p.Text || len(p.Text) != p.Length || !utf8.ValidString(p.Text) {
		t.Errorf("%s: content and details disagree: %d bytes, length %d", args, len(p.Text), p.Length)
	}
	return p
}

// gone reports whether the id is answered as one that never was.
func gone(t *testing.T, r *Results, s toolcrib.Scope, id string) bool {
	t.Helper()
	never, err := ask(t, r, s, `{"id":"r00000000000000000000000000000000"}`)
	if err != nil || !never.IsError || strings.Contains(never.Content[0].Text, "r0000") {
		t.Fatalf("an unknown id: %v %v", never, err)
	}
	got, err := ask(t, r, s, fmt.Sprintf(`{"id":%q}`, id))
	if err != nil {
		t.Fatal(err)
	}
	return cmp.Equal(got, never)
}

func TestReadsOnToTheEnd(t *testing.T) {
	t.Parallel()
	for name, whole := range map[string]string{
		"ascii":      strings.Repeat("0123456789", 5000),
		"mixed":      strings.Repeat("aé漢🙂\"\n<", 9000),
		"one letter": "x",
		"empty":      "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := open(t, Options{})
			id := r.Keep(ann, []byte(whole))
			var b strings.Builder
			for offset := 0; ; {
				p := read(t, r, ann, fmt.Sprintf(`{"id":%q,"offset":%d,"length":65536}`, id, offset))
				b.WriteString(p.Text)
				if p.Next == nil {
					break
				}
				if *p.Next != offset+p.Length || p.Length == 0 {
					t.Fatalf("next %d after %d+%d", *p.Next, offset, p.Length)
				}
				offset = *p.Next
			}
			if b.String() != whole {
				t.Errorf("read %d bytes, kept %d", b.Len(), len(whole))
			}
		})
	}
}

func TestPieces(t *testing.T) {
	t.Parallel()
	r, _ := open(t, Options{})
	id := r.Keep(ann, []byte("añb漢c"))
	at := func(n int) *int { return &n }
	for _, c := range []struct {
		args string
		want piece
	}{
		{`{"id":%q}`, piece{Length: 8, Total: 8, Text: "añb漢c"}},
		{`{"id":%q,"length":2}`, piece{Length: 1, Total: 8, Next: at(1), Text: "a"}},
		{`{"id":%q,"length":3}`, piece{Length: 3, Total: 8, Next: at(3), Text: "añ"}},
		{`{"id":%q,"offset":1,"length":6}`, piece{Offset: 1, Length: 6, Total: 8, Next: at(7), Text: "ñb漢"}},
		{`{"id":%q,"offset":6,"length":1}`, piece{Offset: 4, Length: 3, Total: 8, Next: at(7), Text: "漢"}},
		{`{"id":%q,"offset":7,"length":9}`, piece{Offset: 7, Length: 1, Total: 8, Text: "c"}},
		{`{"id":%q,"offset":8}`, piece{Offset: 8, Total: 8}},
		{`{"id":%q,"offset":1000000}`, piece{Offset: 1000000, Total: 8}},
		{`{"id":%q,"offset":9223372036854775807}`, piece{Offset: 1<<63 - 1, Total: 8}},
	} {
		c.want.ID = id
		if diff := cmp.Diff(c.want, read(t, r, ann, fmt.Sprintf(c.args, id))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.args, diff)
		}
	}
	for _, args := range []string{`{"id":%q,"offset":-1}`, `{"id":%q,"length":0}`, `{"id":%q,"length":65537}`, `{"id":%q,"offset":"1"}`} {
		if _, err := ask(t, r, ann, fmt.Sprintf(args, id)); toolcrib.KindOf(err) != toolcrib.KindInput {
			t.Errorf("%s: err = %v", args, err)
		}
	}
}

func TestOnlyItsReaderReads(t *testing.T) {
	t.Parallel()
	r, _ := open(t, Options{})
	id := r.Keep(ann, []byte("secret"))
	if !regexp.MustCompile(`^r[0-9a-f]{32}$`).MatchString(id) || id == r.Keep(ann, []byte("secret")) {
		t.Errorf("id %q", id)
	}
	for _, other := range []toolcrib.Scope{
		{Session: "s2", Caller: "ann", Agent: "main"},
		{Session: "s1", Caller: "bob", Agent: "main"},
		{Session: "s1", Caller: "ann", Agent: "coder"},
		{},
		{Session: "s2", Owner: true},
	} {
		if !gone(t, r, other, id) {
			t.Errorf("%+v can tell that it exists", other)
		}
	}
	// Another run, or an agent that is the default one anyway, is the same reader.
	if p := read(t, r, toolcrib.Scope{Session: "s1", Caller: "ann", Run: "later"}, fmt.Sprintf(`{"id":%q}`, id)); p.Text != "secret" {
		t.Errorf("read %q", p.Text)
	}
}

func TestResultsGo(t *testing.T) {
	t.Parallel()
	r, c := open(t, Options{PerSession: 3})
	other := toolcrib.Scope{Session: "s2"}
	theirs := r.Keep(other, []byte("theirs"))
	c.pass(time.Minute)
	var ids []string
	for i := range 4 {
		ids = append(ids, r.Keep(ann, fmt.Append(nil, i)))
	}
	if !gone(t, r, ann, ids[0]) || gone(t, r, ann, ids[1]) || gone(t, r, other, theirs) {
		t.Error("the fourth result of a session must push out its first and nobody else's")
	}
	c.pass(59 * time.Minute)
	if !gone(t, r, other, theirs) || gone(t, r, ann, ids[3]) {
		t.Error("an hour after it was kept a result goes, and not before")
	}
	r.EndSession("s1")
	if !gone(t, r, ann, ids[3]) || r.shelf.bytes != 0 || len(r.shelf.count) != 0 || r.shelf.order.Len() != 0 {
		t.Errorf("after the session %d bytes are left", r.shelf.bytes)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	r, _ := open(t, Options{TotalBytes: 10_000, OneBytes: 4_000, PerSession: 1000})
	first := r.Keep(ann, make([]byte, 4_000))
	for i := range 100 {
		r.Keep(toolcrib.Scope{Session: fmt.Sprint(i)}, make([]byte, i*50))
		if r.shelf.bytes > 10_000 {
			t.Fatalf("%d bytes are kept", r.shelf.bytes)
		}
	}
	if !gone(t, r, ann, first) {
		t.Error("the oldest must go first")
	}
	id := r.Keep(ann, []byte(strings.Repeat("漢", 3000)))
	p := read(t, r, ann, fmt.Sprintf(`{"id":%q,"offset":3990}`, id))
	if p.Total != 3999 || p.Text != "漢漢漢" || p.Dropped != 9000-3999 {
		t.Errorf("of a result that is too large: %+v", p)
	}
}

func TestAPieceFitsIntoAReply(t *testing.T) {
	t.Parallel()
	const budget = 20_000
	for _, unit := range []string{"x", "\"", "<", "\x01", "漢", "🙂", "\u2028", "\\n"} {
		r, _ := open(t, Options{ReplyBytes: budget})
		id := r.Keep(ann, []byte(strings.Repeat(unit, 60_000)))
		res, err := ask(t, r, ann, fmt.Sprintf(`{"id":%q,"length":60000}`, id))
		if err != nil {
			t.Fatal(err)
		}
		var raw bytes.Buffer
		enc := json.NewEncoder(&raw)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(map[string]any{"content": res.Content[0].Text, "details": res.Details}); err != nil {
			t.Fatal(err)
		}
		if raw.Len() > budget+300 || raw.Len() < budget*9/10 {
			t.Errorf("%q: the reply is %d bytes of JSON", unit, raw.Len())
		}
	}
}

func TestBinaryBecomesText(t *testing.T) {
	t.Parallel()
	r, _ := open(t, Options{})
	for whole, want := range map[string]string{
		"\xff\xfe\xfdok\x80":   "\uFFFDok\uFFFD",
		"cut \xe6\xbc":         "cut \uFFFD",
		"nul \x00 and \uFFFD.": "nul \x00 and \uFFFD.",
	} {
		id := r.Keep(ann, []byte(whole))
		if p := read(t, r, ann, fmt.Sprintf(`{"id":%q}`, id)); p.Text != want {
			t.Errorf("%q is read as %q, want %q", whole, p.Text, want)
		}
	}
}

func TestKeepCopies(t *testing.T) {
	t.Parallel()
	r, _ := open(t, Options{})
	whole := []byte("before")
	id := r.Keep(ann, whole)
	copy(whole, "after!")
	if p := read(t, r, ann, fmt.Sprintf(`{"id":%q}`, id)); p.Text != "before" {
		t.Errorf("read %q", p.Text)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	r, c := open(t, Options{TotalBytes: 50_000, PerSession: 5})
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			s := toolcrib.Scope{Session: fmt.Sprint(w % 4), Caller: fmt.Sprint(w)}
			for i := range 100 {
				want := fmt.Sprint(w, i)
				res, err := ask(t, r, s, fmt.Sprintf(`{"id":%q}`, r.Keep(s, []byte(want))))
				if err != nil || !res.IsError && res.Content[0].Text != want {
					t.Errorf("read %v, %v; want %q", res, err, want)
				}
				c.pass(time.Second)
				if i%50 == 49 {
					r.EndSession(s.Session)
				}
			}
		})
	}
	wg.Wait()
	for w := range 4 {
		r.EndSession(fmt.Sprint(w))
	}
	if r.shelf.bytes != 0 || len(r.shelf.byID) != 0 {
		t.Errorf("%d bytes in %d entries are left", r.shelf.bytes, len(r.shelf.byID))
	}
}

// FuzzText: pieces of any bytes are whole characters and together the whole text.
func FuzzText(f *testing.F) {
	f.Add([]byte("añb漢c🙂"), 7, 2)
	f.Add([]byte{0xff, 0x80, 0x80, 0x80, 0x80}, 2, 1)
	f.Add([]byte(strings.Repeat("é", 500)), 1<<20, 99)
	f.Fuzz(func(t *testing.T, whole []byte, limit, length int) {
		limit, length = max(1, limit), max(1, length)
		kept := newText(whole, limit)
		if len(kept.s) > limit || !utf8.ValidString(kept.s) {
			t.Fatalf("kept %d bytes of at most %d", len(kept.s), limit)
		}
		var b strings.Builder
		for at := 0; at < len(kept.s); {
			start, s := kept.slice(at, length, 64)
			if start != at || s == "" || !utf8.ValidString(s) || len(s) > max(length, utf8.UTFMax) {
				t.Fatalf("at %d: %q from %d", at, s, start)
			}
			if inside, _ := kept.slice(at+len(s)-1, 1, 64); inside < start || inside >= at+len(s) {
				t.Fatalf("byte %d is in the character at %d", at+len(s)-1, inside)
			}
			b.WriteString(s)
			at += len(s)
		}
		if b.String() != kept.s {
			t.Errorf("pieces make %q, kept %q", b.String(), kept.s)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	kept := newText([]byte(strings.Repeat("aé漢", 1<<20)), DefaultOneBytes)
	for b.Loop() {
		kept.slice(len(kept.s)-20_000, usualLength, DefaultReplyBytes/2)
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	sourcetest.Run(t, func(t *testing.T) sourcetest.Source {
		r, _ := open(t, Options{})
		return r
	})
}
