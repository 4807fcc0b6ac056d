package mcp

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// stand opens a stream by which a server sends what it likes, when it likes:
// the GET of the older protocols, subscriptions/listen of the newer ones. The
// SDK waits for its headers without a bound, and ends the whole connection when
// the stream ends a few times; real servers send headers late, and real proxies
// end idle streams. So the SDK gets a stream that never ends, and behind it the
// real one is opened again when it does.
func (w *web) stand(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	r = r.WithContext(ctx)
	first := make(chan reply, 1)
	go func() {
		resp, err := w.base.RoundTrip(r)
		first <- reply{resp, err}
	}()
	timer := time.NewTimer(w.wait)
	defer timer.Stop()
	select {
	case got := <-first:
		if got.err != nil {
			cancel()
			return nil, got.err
		}
		if got.resp.StatusCode != http.StatusOK || !isEvents(got.resp) {
			got.resp.Body = &ended{ReadCloser: got.resp.Body, end: cancel}
			return w.received(got.resp)
		}
		first <- got
	case <-timer.C:
	case <-ctx.Done():
		cancel()
		go discard(first)
		return nil, context.Cause(r.Context())
	}
	s := &standing{web: w, request: r, cancel: cancel}
	s.out, s.in = io.Pipe()
	go s.run(ctx, first)
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: s, ContentLength: -1, Request: r,
	}, nil
}

// reply is what a request came to.
type reply struct {
	resp *http.Response
	err  error
}

// discard closes an answer that nobody wants.
func discard(first <-chan reply) {
	if got := <-first; got.err == nil {
		_ = got.resp.Body.Close()
	}
}

// isEvents reports whether an answer is a stream of events.
func isEvents(resp *http.Response) bool {
	return bytes.HasPrefix([]byte(resp.Header.Get("Content-Type")), []byte("text/event-stream"))
}

// ended is a body that runs end when it is closed.
type ended struct {
	io.ReadCloser
	end func()
}

// Close implements io.Closer.
func (e *ended) Close() error {
	defer e.end()
	return e.ReadCloser.Close()
}

// standing is the body that the SDK sees.
type standing struct {
	web     *web
	request *http.Request
	cancel  context.CancelFunc
	in      *io.PipeWriter
	out     *io.PipeReader
	once    sync.Once
}

// Read implements io.Reader.
func (s *standing) Read(p []byte) (int, error) { return s.out.Read(p) }

// Close implements io.Closer.
func (s *standing) Close() error {
	s.once.Do(func() {
		s.cancel()
		_ = s.out.Close()
	})
	return nil
}

// run copies the real streams, one after the other, until the connection ends.
// A server that answers with something else than a stream has none to offer:
// then the stream stays open and silent.
func (s *standing) run(ctx context.Context, first <-chan reply) {
	defer s.in.CloseWithError(io.EOF)
	retry := newBackoff(time.Second, 5*time.Minute)
	open := false
	for got := range s.replies(ctx, first, retry) {
		if got.resp.StatusCode/100 == 4 && got.resp.StatusCode != http.StatusTooManyRequests {
			_ = got.resp.Body.Close()
			if open {
				s.web.lost()
			}
			<-ctx.Done()
			return
		}
		if got.resp.StatusCode == http.StatusOK && isEvents(got.resp) {
			open = true
			began := time.Now()
			_, _ = io.Copy(s.in, newEvents(got.resp.Body, true, s.see))
			if time.Since(began) > 10*time.Second {
				retry.reset()
			}
		}
		_ = got.resp.Body.Close()
	}
}

// replies yields the answers to the request, made again and again with a wait between.
func (s *standing) replies(ctx context.Context, first <-chan reply, retry *backoff) func(func(reply) bool) {
	return func(yield func(reply) bool) {
		got := <-first
		for again := false; ctx.Err() == nil; again = true {
			if got.err == nil {
				if again && got.resp.StatusCode == http.StatusOK {
					s.web.reopened()
				}
				if !yield(got) {
					return
				}
			}
			if !sleep(ctx, retry.next()) {
				return
			}
			got = s.again(ctx)
		}
		if got.err == nil && got.resp != nil {
			_ = got.resp.Body.Close()
		}
	}
}

// again makes the request once more.
func (s *standing) again(ctx context.Context) (got reply) {
	r := s.request.Clone(ctx)
	if r.GetBody != nil {
		if r.Body, got.err = r.GetBody(); got.err != nil {
			return got
		}
	}
	got.resp, got.err = s.web.base.RoundTrip(r)
	return got
}

// see taps a message of the stream. An answer in it says that the server closes
// the stream, which the SDK needs not know.
func (s *standing) see(data []byte) ([]byte, bool) {
	if m, err := decodeMessage(data); err == nil && s.request.Method == http.MethodPost {
		if a, ok := m.(*jsonrpc.Response); ok && a.Error == nil {
			return nil, false
		}
	}
	return s.web.message(data)
}
