package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/sourcetest"
)

// internet is a small one: names, the addresses that they lead to, and the servers
// that stand behind public addresses.
type internet struct {
	mu      sync.Mutex
	names   map[string][]string
	servers map[string]string // by address to dial
	asked   map[string]int    // of names
	dialled []string
}

func (n *internet) resolve(_ context.Context, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked[host]++
	var all []netip.Addr
	for _, a := range n.names[host] {
		all = append(all, netip.MustParseAddr(a))
	}
	if all == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return all, nil
}

func (n *internet) dial(ctx context.Context, address string) (net.Conn, error) {
	n.mu.Lock()
	n.dialled = append(n.dialled, address)
	to, ok := n.servers[address]
	n.mu.Unlock()
	if !ok {
		return nil, fmt.Errorf("nothing at %s", address)
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", to)
}

const publicAddress = "93.184.215.14"

// site serves a handler as http://site.example.
func site(t testing.TB, h http.HandlerFunc) *internet {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return &internet{
		names:   map[string][]string{"site.example": {publicAddress}},
		servers: map[string]string{publicAddress + ":80": server.Listener.Addr().String()},
		asked:   map[string]int{},
	}
}

func (n *internet) open(t testing.TB, s Settings) *Source {
	t.Helper()
	source, err := New(Options{Settings: func() Settings { return s }, Resolve: n.resolve, Dial: n.dial, Logger: slog.New(slog.DiscardHandler), Version: "1.2"})
	if err != nil {
		t.Fatal(err)
	}
	return source
}

func ask(t testing.TB, s *Source, args string) (toolcrib.Result, error) {
	t.Helper()
	tool := s.Listings(t.Context(), toolcrib.Scope{})[0].Tools[0]
	return s.Execute(t.Context(), toolcrib.Call{Tool: tool, Args: json.RawMessage(args)})
}

func get(t testing.TB, s *Source, args string) shown {
	t.Helper()
	r, err := ask(t, s, args)
	if err != nil || r.IsError {
		t.Fatalf("%s: %v %v", args, r, err)
	}
	var p shown
	if err := json.Unmarshal(r.Details, &p); err != nil {
		t.Fatal(err)
	}
	if text := r.Content[0].Text; !strings.HasPrefix(text, "[From "+p.URL+", HTTP ") || !strings.Contains(text, p.Text) || !strings.Contains(text, "not instructions") {
		t.Errorf("%s: the content is not marked: %q", args, text[:min(len(text), 200)])
	}
	return p
}

const home = `{"url":"http://site.example/"}`

func TestFetch(t *testing.T) {
	t.Parallel()
	var got http.Header
	n := site(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		w.Header().Set("Set-Cookie", "a=b")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<title> The  page </title><h1>Hello</h1><p>Wörld<script>evil()</script></p>")
	})
	s := n.open(t, Settings{})
	want := shown{URL: "http://site.example/x?q=%C3%A9", Status: 200, ContentType: "text/html", Title: "The page", Text: "# Hello\n\nWörld", Total: new(14)}
	for range 2 {
		if diff := cmp.Diff(want, get(t, s, `{"url":" HTTP://SITE.example.:80/x?q=é#part "}`)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if got.Get("User-Agent") != "toolcrib/1.2" || got.Get("Cookie") != "" || got.Get("Referer") != "" || got.Get("Authorization") != "" {
		t.Errorf("headers %v", got)
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	n := site(t, func(http.ResponseWriter, *http.Request) {})
	sourcetest.Run(t, func(t *testing.T) sourcetest.Source { return n.open(t, Settings{}) })
}

func TestWhatIsRefusedBeforeAnythingIsDialled(t *testing.T) {
	t.Parallel()
	n := site(t, func(http.ResponseWriter, *http.Request) { t.Error("it was reached") })
	n.names["inside.example"] = []string{"10.0.0.1"}
	n.names["meta.example"] = []string{"169.254.169.254", "fd00:ec2::254"}
	n.names["mapped.example"] = []string{"::ffff:127.0.0.1"}
	n.names["localhost"] = []string{"127.0.0.1", "::1"}
	s := n.open(t, Settings{DenyHosts: []string{"*.bad.example", "8.8.8.8"}})
	for kind, list := range map[toolcrib.Kind][]string{
		toolcrib.KindInput: {
			"", "site.example", "//site.example/", "ftp://site.example/", "file:///etc/passwd", "gopher://site.example:70/_x", "data:text/html,x", "javascript:alert(1)",
			"http://", "http://:80/", "http:///x", "http://user@site.example/", "http://user:secret@site.example/", "http://site.example:0/", "http://site.example:99999/",
			"http://2130706433/", "http://0x7f000001/", "http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://127.1/", "http://127.0.1/", "http://0/", "http://127.0.0.1.1/",
			"http://site.example.1/", "http://1.0x/", "http://[fe80::1%25eth0]/", "http://[::1", "http://a b/", "http://exa\tmple/", "http://" + strings.Repeat("a.", 200) + "example/",
			"http://site.example/" + strings.Repeat("x", 9000), "http://127.0.0.1../", "http://0x7f.1./",
		},
		toolcrib.KindBlocked: {
			"http://127.0.0.1/", "http://127.0.0.1./", "https://127.255.255.254:8443/", "http://10.1.2.3/", "http://172.16.0.1/", "http://172.31.255.255/", "http://192.168.1.1/",
			"http://169.254.169.254/latest/meta-data/", "http://100.64.0.1/", "http://100.100.100.200/", "http://0.0.0.0/", "http://0.1.2.3/", "http://224.0.0.1/", "http://255.255.255.255/",
			"http://192.0.2.1/", "http://198.51.100.1/", "http://203.0.113.1/", "http://198.18.0.1/", "http://192.0.0.192/", "http://168.63.129.16/",
			"http://[::1]/", "http://[::]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::127.0.0.1]/", "http://[64:ff9b::127.0.0.1]/", "http://[64:ff9b::a9fe:a9fe]/",
			"http://[64:ff9b:1::1]/", "http://[2002:7f00:1::]/", "http://[2001:0:7f00:1::]/", "http://[fe80::1]/", "http://[fc00::1]/", "http://[fd00:ec2::254]/", "http://[ff02::1]/",
			"http://[2001:db8::1]/", "http://[fec0::1]/", "http://[100::1]/", "http://[2a00::5efe:10.0.0.1]/",
			"http://１２７.0.0.1/", "http://127。0。0。1/", "http://①②⑦.0.0.1/",
			"http://inside.example/", "http://meta.example/", "http://mapped.example/", "http://localhost/", "http://x.bad.example/", "http://X.BAD.example./", "http://8.8.8.8/",
		},
		toolcrib.KindTool: {"http://no.such.example/"},
	} {
		for _, u := range list {
			args, _ := json.Marshal(map[string]string{"url": u})
			if _, err := ask(t, s, string(args)); toolcrib.KindOf(err) != kind {
				t.Errorf("%s: want kind %s, got %v", u, kind, err)
			}
		}
	}
	if len(n.dialled) > 0 {
		t.Errorf("dialled %v", n.dialled)
	}
}

// The way without a Dial of the test's: the socket itself is judged.
func TestTheSocketIsJudged(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was reached") }))
	defer server.Close()
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRules(Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.connect(t.Context(), r, "site.example", server.Listener.Addr().String()); toolcrib.KindOf(err) != toolcrib.KindBlocked {
		t.Errorf("err = %v", err)
	}
	if _, err := ask(t, s, fmt.Sprintf(`{"url":%q}`, server.URL)); toolcrib.KindOf(err) != toolcrib.KindBlocked {
		t.Errorf("err = %v", err)
	}
}

// A private address that the operator opened is really dialled.
func TestAllowPrivate(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "inside") }))
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	for _, c := range []struct {
		allow, host string
		kind        toolcrib.Kind
	}{
		{"127.0.0.0/8", "127.0.0.1", ""},
		{"127.0.0.1", "127.0.0.1", ""},
		{"127.0.0.1", "docs.corp", ""},
		{"docs.corp", "docs.corp", ""},
		{"Docs.Corp.", "docs.corp", ""},
		{"docs.corp", "other.corp", toolcrib.KindBlocked},
		{"docs.corp", "127.0.0.1", toolcrib.KindBlocked},
		{"127.0.0.2", "127.0.0.1", toolcrib.KindBlocked},
		{"meta.corp", "meta.corp", toolcrib.KindBlocked},
	} {
		n := &internet{names: map[string][]string{"docs.corp": {"127.0.0.1"}, "other.corp": {"127.0.0.1"}, "meta.corp": {"169.254.169.254"}}, asked: map[string]int{}}
		s, err := New(Options{Settings: func() Settings { return Settings{AllowPrivate: []string{c.allow}} }, Resolve: n.resolve})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ask(t, s, fmt.Sprintf(`{"url":"http://%s:%s/"}`, c.host, port)); toolcrib.KindOf(err) != c.kind {
			t.Errorf("%s with %s allowed: %v", c.host, c.allow, err)
		}
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	n := site(t, func(w http.ResponseWriter, r *http.Request) {
		if to, ok := strings.CutPrefix(r.URL.Path, "/to/"); ok {
			w.Header().Set("Location", strings.ReplaceAll(to, "|", "/"))
			w.WriteHeader(http.StatusFound)
			return
		}
		var left int
		if _, err := fmt.Sscanf(r.URL.Path, "/hop/%d", &left); err == nil && left > 0 {
			http.Redirect(w, r, fmt.Sprintf("/hop/%d", left-1), http.StatusPermanentRedirect)
			return
		}
		fmt.Fprint(w, "here")
	})
	n.names["inside.example"] = []string{"192.168.0.1"}
	s := n.open(t, Settings{DenyHosts: []string{"bad.example"}})
	for path, kind := range map[string]toolcrib.Kind{
		"hop/5": "", "hop/6": toolcrib.KindTool, "hop/1000": toolcrib.KindTool,
		"to/http:||127.0.0.1|":               toolcrib.KindBlocked,
		"to/http:||169.254.169.254|latest":   toolcrib.KindBlocked,
		"to/http:||[::ffff:10.0.0.1]|":       toolcrib.KindBlocked,
		"to/||inside.example|":               toolcrib.KindBlocked,
		"to/http:||2130706433|":              toolcrib.KindBlocked,
		"to/http:||user:pass@site.example|x": toolcrib.KindBlocked,
		"to/file:|||etc|passwd":              toolcrib.KindBlocked,
		"to/http:||bad.example|":             toolcrib.KindBlocked,
		"to/|hop|1":                          "",
		"to/||site.example|x":                "",
	} {
		r, err := ask(t, s, `{"url":"http://site.example/`+path+`"}`)
		if toolcrib.KindOf(err) != kind {
			t.Errorf("%s: want kind %q, got %v %v", path, kind, r, err)
		}
	}
	for _, address := range n.dialled {
		if address != publicAddress+":80" {
			t.Errorf("dialled %s", address)
		}
	}
	if p := get(t, s, `{"url":"http://site.example/hop/2"}`); p.URL != "http://site.example/hop/0" || p.Text != "here" {
		t.Errorf("%+v", p)
	}
}

func gzipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.Bytes()
}

func TestBounds(t *testing.T) {
	t.Parallel()
	bomb, nothing := gzipped(strings.Repeat("0", 16<<20)), gzipped("")
	released := make(chan struct{})
	endless := func(w http.ResponseWriter, r *http.Request, wait time.Duration) {
		for r.Context().Err() == nil {
			if _, err := fmt.Fprint(w, "drip "); err != nil {
				return
			}
			if wait > 0 {
				_ = http.NewResponseController(w).Flush()
				select {
				case <-time.After(wait):
				case <-r.Context().Done():
				}
			}
		}
	}
	n := site(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		switch r.URL.Path {
		case "/huge":
			_, _ = w.Write(bytes.Repeat([]byte("a"), 3<<20))
		case "/endless":
			endless(w, r, 0)
		case "/drip":
			endless(w, r, 50*time.Millisecond)
		case "/silent":
			select {
			case <-r.Context().Done():
			case <-released:
			}
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb)
		case "/endlessgzip":
			w.Header().Set("Content-Encoding", "gzip")
			for r.Context().Err() == nil {
				if _, err := w.Write(nothing); err != nil {
					return
				}
			}
		case "/cutgzip":
			w.Header().Set("Content-Encoding", "gzip")
			b := gzipped(strings.Repeat("abc ", 10_000))
			_, _ = w.Write(b[:len(b)/2])
		case "/nogzip":
			w.Header().Set("Content-Encoding", "gzip")
			fmt.Fprint(w, "this is not packed")
		case "/br":
			w.Header().Set("Content-Encoding", "br")
			fmt.Fprint(w, "x")
		case "/twice":
			w.Header().Set("Content-Encoding", "gzip, gzip")
			_, _ = w.Write(gzipped(string(gzipped("x"))))
		case "/short":
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, "only this")
		case "/headers":
			for i := range 2000 {
				w.Header().Add("X-Bomb", fmt.Sprint(i, strings.Repeat("h", 200)))
			}
		case "/hints":
			for range 1000 {
				w.Header().Set("X-Bomb", strings.Repeat("h", 500))
				w.WriteHeader(http.StatusEarlyHints)
			}
		case "/exact":
			_, _ = w.Write(bytes.Repeat([]byte("a"), 4096))
		}
	})
	t.Cleanup(func() { close(released) })
	s := n.open(t, Settings{MaxBytes: 4096, Timeout: 2 * time.Second})
	for path, want := range map[string]struct {
		kind      toolcrib.Kind
		bytes     int // of text; -1 for some
		truncated bool
	}{
		"huge": {bytes: 4096, truncated: true}, "endless": {bytes: 4096, truncated: true}, "drip": {bytes: -1, truncated: true},
		"silent": {kind: toolcrib.KindTimeout}, "bomb": {bytes: 4096, truncated: true}, "endlessgzip": {bytes: 0, truncated: true},
		"cutgzip": {bytes: -1, truncated: true}, "nogzip": {kind: toolcrib.KindTool}, "br": {kind: toolcrib.KindTool}, "twice": {kind: toolcrib.KindTool},
		"short": {bytes: 9, truncated: true}, "headers": {kind: toolcrib.KindTool}, "hints": {kind: toolcrib.KindTool}, "exact": {bytes: 4096},
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			r, err := ask(t, s, `{"url":"http://site.example/`+path+`"}`)
			if toolcrib.KindOf(err) != want.kind {
				t.Fatalf("want kind %q, got %v", want.kind, err)
			}
			var p shown
			if err == nil && json.Unmarshal(r.Details, &p) != nil {
				t.Fatalf("details %s", r.Details)
			}
			if p.Truncated != want.truncated || len(p.Text) != want.bytes && want.bytes >= 0 || want.bytes < 0 && p.Text == "" || p.Truncated && p.Total != nil {
				t.Errorf("%d bytes, truncated %t", len(p.Text), p.Truncated)
			}
		})
	}
}

func TestKindsOfContent(t *testing.T) {
	t.Parallel()
	n := site(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = nil
		if media := r.URL.Query().Get("type"); media != "" {
			w.Header().Set("Content-Type", media)
		}
		if status := r.URL.Query().Get("status"); status != "" {
			var code int
			_, _ = fmt.Sscan(status, &code)
			w.WriteHeader(code)
		}
		_, _ = w.Write([]byte(r.URL.Query().Get("body")))
	})
	s := n.open(t, Settings{})
	for query, want := range map[string]shown{
		"type=application/json&body={\"a\":1}":                          {ContentType: "application/json", Text: `{"a":1}`},
		"type=application/ld%2Bjson&body=[]":                            {ContentType: "application/ld+json", Text: `[]`},
		"type=text/plain&body=a%0D%0Ab%0Dc":                             {ContentType: "text/plain", Text: "a\nb\nc"},
		"type=text/plain&body=%EF%BB%BFbom%E2%80%8B%E2%80%AEx":          {ContentType: "text/plain", Text: "bomx"},
		"type=text/plain&body=caf%C3%A9":                                {ContentType: "text/plain", Text: "café"},
		"type=text/plain&body=caf%E9":                                   {ContentType: "text/plain", Text: "café"},
		"type=text/plain%3Bcharset=iso-8859-1&body=caf%E9":              {ContentType: "text/plain", Text: "café"},
		"type=text/plain%3Bcharset=utf-16le&body=h%00i%00":              {ContentType: "text/plain", Text: "hi"},
		"type=text/plain%3Bcharset=nonsense&body=caf%C3%A9":             {ContentType: "text/plain", Text: "café"},
		"type=text/plain%3Bcharset=utf-8&body=a%FF%FEb":                 {ContentType: "text/plain", Text: "a\uFFFD\uFFFDb"},
		"type=text/plain%3Bcharset=hz-gb-2312&body=<b>~{":               {ContentType: "text/plain", Text: "\uFFFD"},
		"type=text/html&body=<meta%20charset=shift_jis><p>%93%FA%96%7B": {ContentType: "text/html", Text: "日本"},
		"type=image/png&body=%89PNG":                                    {ContentType: "image/png", Text: "[binary content of image/png, 4 bytes, not shown]"},
		"type=application/pdf&body=x":                                   {ContentType: "application/pdf", Text: "[binary content of application/pdf, 1 bytes, not shown]"},
		"type=text/plain&body=a%00b":                                    {ContentType: "text/plain", Text: "[binary content of text/plain, 3 bytes, not shown]"},
		"type=application/octet-stream&body=plain%20words":              {ContentType: "application/octet-stream", Text: "plain words"},
		"type=application/octet-stream&body=%00%01%02":                  {ContentType: "application/octet-stream", Text: "[binary content of application/octet-stream, 3 bytes, not shown]"},
		"body=<html><p>sniffed":                                         {Text: "sniffed"},
		"type=%3B%3B%3B&body=words":                                     {Text: "words"},
		"type=text/html&body=":                                          {ContentType: "text/html"},
		"status=404&type=text/plain&body=gone":                          {Status: 404, ContentType: "text/plain", Text: "gone"},
		"status=500&type=text/html&body=<p>oh":                          {Status: 500, ContentType: "text/html", Text: "oh"},
		"status=204":                                                    {Status: 204, Text: ""},
		"status=304":                                                    {Status: 304, Text: ""},
		"status=302&type=text/plain&body=nowhere":                       {Status: 302, ContentType: "text/plain", Text: "nowhere"},
		"status=300&type=text/plain&body=choose":                        {Status: 300, ContentType: "text/plain", Text: "choose"},
		"status=999&type=text/plain&body=odd":                           {Status: 999, ContentType: "text/plain", Text: "odd"},
	} {
		p := get(t, s, fmt.Sprintf(`{"url":%q}`, "http://site.example/?"+query))
		if want.Status == 0 {
			want.Status = 200
		}
		want.URL, want.Total = p.URL, new(utf8.RuneCountInString(want.Text))
		if diff := cmp.Diff(want, p); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

func TestReadsOn(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("aé漢🙂\"\n", 20_000)
	n := site(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprint(w, whole)
	})
	s := n.open(t, Settings{ReplyBytes: 20_000})
	var b strings.Builder
	for offset, calls := 0, 0; ; calls++ {
		args := fmt.Sprintf(`{"url":"http://site.example/","offset":%d,"maxChars":100000}`, offset)
		r, err := ask(t, s, args)
		if err != nil {
			t.Fatal(err)
		}
		if cost, _ := json.Marshal(r); len(cost) > 20_000 {
			t.Errorf("an answer of %d bytes", len(cost))
		}
		p := get(t, s, args)
		b.WriteString(p.Text)
		if p.Next == nil {
			break
		}
		if p.Offset != offset || *p.Next != offset+utf8.RuneCountInString(p.Text) || *p.Next <= offset || *p.Total != 120_000 {
			t.Fatalf("offset %d, next %d, total %d", p.Offset, *p.Next, *p.Total)
		}
		offset = *p.Next
	}
	if b.String() != whole {
		t.Errorf("%d bytes of %d", b.Len(), len(whole))
	}
	if p := get(t, s, `{"url":"http://site.example/","offset":999999}`); p.Text != "" || p.Next != nil || p.Offset != 999999 {
		t.Errorf("after the end: %+v", p)
	}
	if p := get(t, s, `{"url":"http://site.example/","offset":1,"maxChars":2}`); p.Text != "é漢" || *p.Next != 3 {
		t.Errorf("%+v", p)
	}
	for _, args := range []string{`"offset":-1`, `"maxChars":0`, `"maxChars":100001`, `"format":"pdf"`} {
		if _, err := ask(t, s, `{"url":"http://site.example/",`+args+`}`); toolcrib.KindOf(err) != toolcrib.KindInput {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestTheCallerGoesAway(t *testing.T) {
	t.Parallel()
	reached := make(chan struct{})
	n := site(t, func(_ http.ResponseWriter, r *http.Request) { close(reached); <-r.Context().Done() })
	s := n.open(t, Settings{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-reached; cancel() }()
	tool := s.Listings(ctx, toolcrib.Scope{})[0].Tools[0]
	if _, err := s.Execute(ctx, toolcrib.Call{Tool: tool, Args: json.RawMessage(home)}); toolcrib.KindOf(err) != toolcrib.KindCanceled {
		t.Errorf("err = %v", err)
	}
}
