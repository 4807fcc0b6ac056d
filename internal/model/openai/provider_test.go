package openai

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/model"
)

// serve returns a provider at a server that answers so.
func serve(t *testing.T, opt Options, answer http.HandlerFunc) *Provider {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	opt.BaseURL = server.URL + "/v1/"
	p, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

var question = model.Ask{Path: "chat/completions", Body: []byte(`{"x": 1.0}`)}

func read(s model.Stream) (string, error) {
	var all strings.Builder
	for {
		e, err := s.Next()
		if errors.Is(err, io.EOF) {
			return all.String(), nil
		}
		if err != nil {
			return all.String(), err
		}
		all.Write(e.Data)
	}
}

func events(w http.ResponseWriter, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	for _, e := range events {
		fmt.Fprintf(w, "data: %s\n\n", e)
	}
	w.(http.Flusher).Flush()
}

func TestARequestIsSentAsItIs(t *testing.T) {
	var got string
	p := serve(t, Options{Key: "own", Headers: map[string]string{"X-Org": "o"}}, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got = strings.Join([]string{r.Method, r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("X-Org"), r.Header.Get("X-Caller"), r.Header.Get("Cookie"), string(body)}, "|")
		w.Header().Set("X-RateLimit-Remaining-Tokens", "5")
		w.Header().Set("Set-Cookie", "a=b")
		fmt.Fprint(w, "answer")
	})
	a := question
	a.Header = http.Header{"X-Caller": {"c"}, "X-Org": {"forged"}, "Cookie": {"x=y"}, "Authorization": {"Bearer forged"}}
	whole, err := p.Complete(t.Context(), a)
	if err != nil || string(whole.Body) != "answer" || whole.Header.Get("X-RateLimit-Remaining-Tokens") != "5" || whole.Header.Get("Set-Cookie") != "" {
		t.Errorf("%+v %v", whole, err)
	}
	if want := `POST|/v1/chat/completions|Bearer own|o|c||{"x": 1.0}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	a.Key = "the caller's"
	if _, err := p.Models(t.Context(), model.Ask{Path: "models", Key: a.Key}); err != nil || got != "GET|/v1/models|Bearer the caller's|o|||" {
		t.Errorf("%v %s", err, got)
	}
}

func TestAStreamIsReadToItsEnd(t *testing.T) {
	p := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Error("compression isn't asked for")
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/event-stream")
		z := gzip.NewWriter(w)
		defer z.Close()
		fmt.Fprintf(z, ": hello\n\ndata: one\n\ndata: %s\n\ndata: [DONE]\n\ndata: after\n\n", strings.Repeat("x", 100_000))
	})
	s, err := p.Stream(t.Context(), question)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := read(s); err != nil || got != "one"+strings.Repeat("x", 100_000) {
		t.Errorf("%.50s %v", got, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestAnAnswerThatIsNotStreamedIsOneEvent(t *testing.T) {
	p := serve(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"a":`+"\n"+`1}`)
	})
	s, err := p.Stream(t.Context(), question)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := read(s); err != nil || got != "{\"a\":\n1}" {
		t.Errorf("%q %v", got, err)
	}
}

// A connection is used again, also by streams that were read up to their last word.
func TestConnectionsAreUsedAgain(t *testing.T) {
	p := serve(t, Options{}, func(w http.ResponseWriter, _ *http.Request) { events(w, "one", "[DONE]") })
	idle := make(chan struct{}, 1)
	var reused []bool
	for range 3 {
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			GotConn:     func(i httptrace.GotConnInfo) { reused = append(reused, i.Reused) },
			PutIdleConn: func(error) { idle <- struct{}{} },
		})
		s, err := p.Stream(ctx, question)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := read(s); err != nil {
			t.Error(err)
		}
		s.Close()
		<-idle
	}
	if diff := cmp.Diff([]bool{false, true, true}, reused); diff != "" {
		t.Error(diff)
	}
}

func TestARefusalKeepsItsStatusAndBody(t *testing.T) {
	p := serve(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3")
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, strings.Repeat("x", maxRefusal+5))
	})
	_, err := p.Stream(t.Context(), question)
	var refusal *model.Refusal
	if !errors.As(err, &refusal) || refusal.Status != 503 || len(refusal.Body) != maxRefusal || refusal.Header.Get("Retry-After") != "3" {
		t.Errorf("%v", err)
	}
}

// A key is for one address, and a redirect is another.
func TestARedirectIsNotFollowed(t *testing.T) {
	other := serve(t, Options{}, func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
	p := serve(t, Options{Key: "secret"}, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.address("chat/completions"), http.StatusTemporaryRedirect)
	})
	if _, err := p.Complete(t.Context(), question); toolcrib.KindOf(err) != toolcrib.KindUnavailable || !strings.Contains(err.Error(), "307") {
		t.Error(err)
	}
}

func TestWaitsAndSizesAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		opt    Options
		answer http.HandlerFunc
		want   toolcrib.Kind
	}{
		"no begin": {Options{HeaderTimeout: 20 * time.Millisecond}, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, toolcrib.KindTimeout},
		"no more": {Options{IdleTimeout: 20 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
			events(w, "one")
			<-r.Context().Done()
		}, toolcrib.KindTimeout},
		"a long event": {Options{MaxEvent: 1000}, func(w http.ResponseWriter, _ *http.Request) { events(w, strings.Repeat("x", 2000)) }, toolcrib.KindLimit},
		"a long answer": {Options{MaxBody: 1000}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, strings.Repeat("x", 2000))
		}, toolcrib.KindLimit},
		"broken off": {Options{}, func(w http.ResponseWriter, _ *http.Request) {
			events(w, "one")
			panic(http.ErrAbortHandler)
		}, toolcrib.KindUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			p := serve(t, c.opt, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				c.answer(w, r)
			})
			s, err := p.Stream(t.Context(), question)
			if err == nil {
				_, err = read(s)
				s.Close()
			}
			if toolcrib.KindOf(err) != c.want {
				t.Errorf("%v, want kind %s", err, c.want)
			}
		})
	}
}

// When a caller goes, its provider's work ends at once, wherever it stands.
func TestACancelledRequestIsClosed(t *testing.T) {
	ended := make(chan struct{})
	var begin bool
	p := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if begin {
			events(w, "one")
		}
		<-r.Context().Done()
		ended <- struct{}{}
	})
	ctx, cancel := context.WithCancel(t.Context())
	begin = true
	s, err := p.Stream(ctx, question)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	cancel()
	<-ended
	if _, err := s.Next(); toolcrib.KindOf(err) != toolcrib.KindCanceled {
		t.Error(err)
	}
	s.Close()
	if s, err = p.Stream(t.Context(), question); err != nil {
		t.Fatal(err)
	}
	s.Close() // without a cancelled context
	<-ended
}

func TestAProxyIsUsed(t *testing.T) {
	var asked string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.String()
		fmt.Fprint(w, "by proxy")
	}))
	defer proxy.Close()
	address, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Options{BaseURL: "http://models.example/v1?version=2", Proxy: http.ProxyURL(address)})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if w, err := p.Complete(t.Context(), question); err != nil || string(w.Body) != "by proxy" || asked != "http://models.example/v1/chat/completions?version=2" {
		t.Errorf("%v %s", err, asked)
	}
}

func TestErrorsShowNoSecrets(t *testing.T) {
	p, err := New(Options{Name: "mine", BaseURL: "http://user:secret@127.0.0.1:1/secret", Key: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Complete(t.Context(), question); toolcrib.KindOf(err) != toolcrib.KindUnavailable || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "mine") {
		t.Error(err)
	}
	for _, address := range []string{"", "ftp://x", "http://", "x", "http://[::1"} {
		if _, err := New(Options{BaseURL: address}); toolcrib.KindOf(err) != toolcrib.KindConfig {
			t.Errorf("%q: %v", address, err)
		}
	}
}
