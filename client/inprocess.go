package client

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

// InProcess returns a transport that asks handler itself, without a network: a
// program that holds the control API's handler uses it with New. The answer is
// handed over when the handler has returned; a request whose context ends first
// fails at once, while the handler sees the end of the context.
func InProcess(handler http.Handler) http.RoundTripper { return inProcess{handler} }

type inProcess struct{ handler http.Handler }

// RoundTrip serves one request.
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	served := r.Clone(r.Context())
	if served.Body == nil {
		served.Body = http.NoBody
	}
	served.RequestURI = r.URL.RequestURI()
	served.Host = r.URL.Host
	served.RemoteAddr = "@"
	answer := &answer{header: make(http.Header)}
	done := make(chan error, 1)
	go func() {
		defer served.Body.Close()
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("the handler panicked: %v", p)
			}
		}()
		t.handler.ServeHTTP(answer, served)
		done <- nil
	}()
	select {
	case err := <-done:
		if ended := r.Context().Err(); ended != nil {
			return nil, ended // the handler may have returned for that alone, with half an answer
		}
		if err != nil {
			return nil, err
		}
		return answer.response(r), nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// answer collects what a handler writes.
type answer struct {
	header http.Header
	sent   http.Header // as it was when the status was written
	status int
	body   bytes.Buffer
}

// Header returns the header to be sent.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader fixes status and header; later calls do nothing.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= 200 {
		a.status, a.sent = status, a.header.Clone()
	}
}

// Write adds to the body.
func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

func (a *answer) response(r *http.Request) *http.Response {
	a.WriteHeader(http.StatusOK)
	return &http.Response{
		Status:        fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)),
		StatusCode:    a.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        a.sent,
		Body:          io.NopCloser(&a.body),
		ContentLength: int64(a.body.Len()),
		Request:       r,
	}
}
