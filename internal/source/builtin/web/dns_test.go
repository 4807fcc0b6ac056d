package web

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/toolcrib/toolcrib"
)

// nameServer answers each question for an IPv4 address with the next one of its
// list, and stays with the last. It returns a resolver that asks it.
func nameServer(t *testing.T, answers ...string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		packet := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(packet)
			if err != nil {
				return
			}
			end := 12
			for packet[end] != 0 {
				end += int(packet[end]) + 1
			}
			end += 5 // the last label, type, class
			reply := append([]byte(nil), packet[:min(end, n)]...)
			binary.BigEndian.PutUint16(reply[2:], 0x8180)
			binary.BigEndian.PutUint16(reply[6:], 0)
			binary.BigEndian.PutUint16(reply[10:], 0)
			if binary.BigEndian.Uint16(reply[end-4:]) == 1 {
				binary.BigEndian.PutUint16(reply[6:], 1)
				a := netip.MustParseAddr(answers[0]).As4()
				if len(answers) > 1 {
					answers = answers[1:]
				}
				reply = append(reply, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, a[0], a[1], a[2], a[3])
			}
			_, _ = conn.WriteTo(reply, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// A name server whose answers change between two questions: what is judged is what
// is dialled, and a private answer is never dialled.
func TestNamesThatChangeTheirAnswer(t *testing.T) {
	t.Parallel()
	private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the private server was reached") }))
	defer private.Close()
	_, port, _ := net.SplitHostPort(private.Listener.Addr().String())
	public := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/again" {
			w.Header().Set("Connection", "close")
			http.Redirect(w, r, "/", http.StatusFound)
			return
		}
		fmt.Fprint(w, "public")
	}))
	defer public.Close()
	for name, c := range map[string]struct {
		answers []string
		path    string
		kind    toolcrib.Kind
	}{
		"public, then private":             {[]string{publicAddress, "127.0.0.1"}, "/", ""},
		"private, then public":             {[]string{"127.0.0.1", publicAddress}, "/", toolcrib.KindBlocked},
		"private when it is dialled again": {[]string{publicAddress, "127.0.0.1"}, "/again", toolcrib.KindBlocked},
	} {
		t.Run(name, func(t *testing.T) {
			resolver := nameServer(t, c.answers...)
			var mu sync.Mutex
			var dialled []string
			s, err := New(Options{
				Logger: slog.New(slog.DiscardHandler),
				Resolve: func(ctx context.Context, host string) ([]netip.Addr, error) {
					return resolver.LookupNetIP(ctx, "ip4", host+".")
				},
				Dial: func(ctx context.Context, address string) (net.Conn, error) {
					mu.Lock()
					dialled = append(dialled, address)
					mu.Unlock()
					if strings.HasPrefix(address, publicAddress) {
						address = public.Listener.Addr().String()
					}
					return (&net.Dialer{}).DialContext(ctx, "tcp", address)
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			_, err = ask(t, s, `{"url":"http://rebinding.example:`+port+c.path+`"}`)
			if toolcrib.KindOf(err) != c.kind {
				t.Errorf("err = %v", err)
			}
			for _, address := range dialled {
				if address != publicAddress+":"+port {
					t.Errorf("dialled %s", address)
				}
			}
		})
	}
}

// Of a name that leads to both kinds of addresses, only the public ones are dialled.
func TestNamesWithBothKindsOfAddresses(t *testing.T) {
	t.Parallel()
	n := site(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "public") })
	n.names["both.example"] = []string{"127.0.0.1", "10.0.0.1", "1.1.1.1", publicAddress}
	if p := get(t, n.open(t, Settings{}), `{"url":"http://both.example/"}`); p.Text != "public" {
		t.Errorf("%+v", p)
	}
	for _, address := range n.dialled {
		if address != "1.1.1.1:80" && address != publicAddress+":80" {
			t.Errorf("dialled %s", address)
		}
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/down" {
			http.Redirect(w, r, "http://site.example/", http.StatusFound)
			return
		}
		fmt.Fprint(w, r.Proto)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	defer server.Close()
	plain := site(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "plain") })
	plain.names["example.com"], plain.names["wrong.example"] = []string{publicAddress}, []string{publicAddress}
	plain.servers[publicAddress+":443"] = server.Listener.Addr().String()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	for _, c := range []struct {
		url, text string
		roots     *x509.CertPool
		downgrade bool
		kind      toolcrib.Kind
	}{
		{url: "https://example.com/", roots: roots, text: "HTTP/2.0"},
		{url: "https://example.com/", kind: toolcrib.KindTool},
		{url: "https://wrong.example/", roots: roots, kind: toolcrib.KindTool},
		{url: "https://example.com/down", roots: roots, kind: toolcrib.KindBlocked},
		{url: "https://example.com/down", roots: roots, downgrade: true, text: "plain"},
	} {
		s, err := New(Options{
			Settings: func() Settings { return Settings{AllowDowngrade: c.downgrade} },
			Resolve:  plain.resolve, Dial: plain.dial, Roots: c.roots, Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		r, err := ask(t, s, fmt.Sprintf(`{"url":%q}`, c.url))
		if toolcrib.KindOf(err) != c.kind || err == nil && !strings.Contains(r.Content[0].Text, "\n\n"+c.text) {
			t.Errorf("%+v: %v %v", c, r, err)
		}
	}
}

// A proxy is used only when it is named; it is told names, and never asked for what
// is private from here.
func TestProxy(t *testing.T) {
	var asked []string
	var mu sync.Mutex
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.String()+" "+r.Header.Get("Proxy-Authorization"))
		if r.URL.Path == "/in" {
			http.Redirect(w, r, "http://inside.example/", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "by proxy")
	}))
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", proxy.URL)
	n := site(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "directly") })
	n.names["inside.example"] = []string{"10.0.0.1"}
	if p := get(t, n.open(t, Settings{}), home); p.Text != "directly" {
		t.Errorf("%+v", p)
	}
	named := n.open(t, Settings{Proxy: strings.Replace(proxy.URL, "://", "://me:pw@", 1)})
	for url, kind := range map[string]toolcrib.Kind{
		"http://site.example/": "", "http://known-to-the-proxy.example/": "", "http://inside.example/": toolcrib.KindBlocked, "http://site.example/in": toolcrib.KindBlocked,
		"http://127.0.0.1/": toolcrib.KindBlocked, "http://169.254.169.254/": toolcrib.KindBlocked,
	} {
		if _, err := ask(t, named, fmt.Sprintf(`{"url":%q}`, url)); toolcrib.KindOf(err) != kind {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, line := range asked {
		if !strings.HasSuffix(line, " Basic "+base64.StdEncoding.EncodeToString([]byte("me:pw"))) || strings.Contains(line, "inside") {
			t.Errorf("the proxy was asked for %s", line)
		}
	}
	dead := n.open(t, Settings{Proxy: "http://me:hunter2@127.0.0.1:1"})
	if _, err := ask(t, dead, home); err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("err = %v", err)
	}
}
