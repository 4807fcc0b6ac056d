package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// web is the HTTP side of one connection: it sends the configured headers to
// the configured host and to no other, bounds what comes back, and taps it.
type web struct {
	base    *http.Transport
	origin  *url.URL
	headers map[string]string
	tap     *tap
	stray   func(string)
	wait    time.Duration // for the headers of a standing stream
	// reopened is called when a standing stream came back after a gap, in which
	// notifications may have been lost.
	reopened func()
	// lost is called when the server refuses to open a standing stream again:
	// it doesn't know the session any more.
	lost func()
	// connected is called when the host took a connection; nil for nobody.
	connected func()
	// sse says that the only stream is the session itself.
	sse bool

	mu      sync.Mutex
	refused refusal
}

// newWeb returns the HTTP side for a server.
func newWeb(s *Server, t *tap, environ []string, wait time.Duration, stray func(string), reopened, lost func()) (*web, error) {
	origin, err := url.Parse(s.URL)
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}
	return &web{
		base: &http.Transport{
			Proxy: Proxy(environ), DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: 15 * time.Second, IdleConnTimeout: 90 * time.Second,
			MaxIdleConnsPerHost: 8, MaxResponseHeaderBytes: 1 << 20,
		},
		origin: origin, headers: s.Headers, tap: t, stray: stray, wait: wait, reopened: reopened, lost: lost,
	}, nil
}

// client returns the client for the SDK's transports.
func (w *web) client() *http.Client {
	return &http.Client{Transport: w, CheckRedirect: w.redirected}
}

// close ends idle connections.
func (w *web) close() { w.base.CloseIdleConnections() }

// redirected follows a redirect only to the same host and with the same method.
func (w *web) redirected(to *http.Request, via []*http.Request) error {
	if len(via) >= 5 || to.URL.Host != w.origin.Host || to.URL.Scheme != w.origin.Scheme || to.Method != via[0].Method {
		w.mu.Lock()
		w.refused.moved = bare(to.URL)
		w.mu.Unlock()
		return http.ErrUseLastResponse
	}
	return nil
}

// bare is a URL without what may be secret in it.
func bare(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// errForeignHost refuses a request that a server wants sent somewhere else.
var errForeignHost = errors.New("the server names another host for its messages than the configured one")

// RoundTrip implements http.RoundTripper.
func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != w.origin.Host || r.URL.Scheme != w.origin.Scheme {
		return nil, errForeignHost
	}
	r = r.Clone(w.traced(r.Context()))
	for k, v := range w.headers {
		if strings.EqualFold(k, "Host") {
			r.Host = v
			continue
		}
		r.Header.Set(k, v)
	}
	method := w.sent(r)
	standing := method == "subscriptions/listen" || r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") == ""
	if standing && !w.sse {
		return w.stand(r)
	}
	resp, err := w.base.RoundTrip(r)
	if r.Method == http.MethodPost {
		w.forget()
	}
	if err != nil {
		return nil, err
	}
	return w.received(resp)
}

// traced is a context whose requests tell of the connection that they got.
func (w *web) traced(ctx context.Context) context.Context {
	if w.connected == nil {
		return ctx
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { w.connected() }})
}

// sent tells the tap of a request that goes out, and returns its method.
func (w *web) sent(r *http.Request) string {
	if r.Method != http.MethodPost || r.GetBody == nil {
		return ""
	}
	name := r.Header.Get("Mcp-Method")
	if exchangeOf(r.Context()) == nil {
		return name
	}
	body, err := r.GetBody()
	if err != nil {
		return name
	}
	defer body.Close()
	data, err := io.ReadAll(body)
	if err != nil {
		return name
	}
	if m, err := decodeMessage(data); err == nil {
		if q, ok := m.(*jsonrpc.Request); ok {
			w.tap.sent(r.Context(), q.ID)
		}
	}
	return name
}

// received looks at an answer before the SDK does.
func (w *web) received(resp *http.Response) (*http.Response, error) {
	if resp.Request != nil && resp.Request.Method != http.MethodPost && !w.sse {
		return resp, nil // a stream that isn't offered, or the end of a session
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		w.failed(resp)
		return resp, nil
	}
	switch kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind {
	case "application/json":
		return w.single(resp)
	case "text/event-stream":
		resp.Body = newEvents(resp.Body, !w.sse, w.message)
		resp.ContentLength = -1
	case "":
	default:
		w.mu.Lock()
		w.refused.odd = kind
		w.mu.Unlock()
	}
	return resp, nil
}

// failed remembers what an unsuccessful answer said.
func (w *web) failed(resp *http.Response) {
	data, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(data))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refused.challenges = challengesOf(resp)
	w.refused.status, w.refused.said = resp.StatusCode, clip(strings.Join(strings.Fields(printable(string(data))), " "), 200)
}

// challengesOf are the first of the logins that an answer asks for.
func challengesOf(resp *http.Response) (out []string) {
	for _, v := range resp.Header.Values("Www-Authenticate") {
		if len(out) < 4 && len(v) <= 4<<10 {
			out = append(out, v)
		}
	}
	return out
}

// single taps an answer that is one JSON message.
func (w *web) single(resp *http.Response) (*http.Response, error) {
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxFrame+1))
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	if len(data) > maxFrame {
		return nil, fmt.Errorf("the answer is over %d MiB", maxFrame>>20)
	}
	if data = alone(data); len(data) > 0 {
		if out, keep := w.message(data); keep {
			data = out
		}
	}
	resp.Body = io.NopCloser(bytes.NewReader(data))
	resp.ContentLength = int64(len(data))
	resp.Header.Del("Content-Length")
	return resp, nil
}

// alone takes a single message out of an array, in which some servers of
// protocol 2025-03-26 put it.
func alone(data []byte) []byte {
	data = bytes.TrimSpace(data)
	var parts []json.RawMessage
	if len(data) > 0 && data[0] == '[' && json.Unmarshal(data, &parts) == nil && len(parts) == 1 {
		return parts[0]
	}
	return data
}

// message taps one encoded message. It returns what the SDK shall see, and
// false when it shall see nothing. What is no message is the SDK's to judge.
func (w *web) message(data []byte) ([]byte, bool) {
	m, err := decodeMessage(data)
	if err != nil {
		w.stray(string(data[:min(len(data), maxLogLine)]))
		return nil, false
	}
	seen, changed := w.tap.came(m)
	if !changed {
		return data, true
	}
	if seen == nil {
		return nil, false
	}
	out, err := jsonrpc.EncodeMessage(seen)
	if err != nil {
		return data, true
	}
	return out, true
}

// refusal is how a server answered the newest message when it didn't take it.
type refusal struct {
	status     int      // 0 when it took it, or wasn't reached
	said       string   // the start of the answer's body
	challenges []string // its values of WWW-Authenticate
	moved      string   // where it pointed to
	odd        string   // the content type of an answer that is none of MCP's
}

// lastRefusal returns the newest refusal.
func (w *web) lastRefusal() refusal {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.refused
}

// forget drops the newest refusal.
func (w *web) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refused = refusal{}
}

// sleep waits, and returns false when the context ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
