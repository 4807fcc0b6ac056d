package client_test

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// handlerFunc makes a client of one handler in this process.
func handlerFunc(f http.HandlerFunc) *client.Client { return client.New(client.InProcess(f), "") }

// TestForeignAnswers: whatever answers, the error has a kind and no panic comes.
func TestForeignAnswers(t *testing.T) {
	for _, test := range []struct {
		name string
		f    http.HandlerFunc
		kind toolcrib.Kind
		says string
	}{
		{"html", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>")) }, toolcrib.KindInternal, "same version"},
		{"bad gateway", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }, toolcrib.KindInternal, "502 Bad Gateway"},
		{"redirect", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(304) }, toolcrib.KindInternal, "304"},
		{"empty", func(http.ResponseWriter, *http.Request) {}, toolcrib.KindInternal, "JSON"},
		{"wrong shape", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"version":3}`)) }, toolcrib.KindInternal, "JSON"},
		{"panic", func(http.ResponseWriter, *http.Request) { panic("x") }, toolcrib.KindUnavailable, "broke"},
		{"endless", func(w http.ResponseWriter, _ *http.Request) {
			piece := []byte(strings.Repeat(" ", 1<<20))
			for range 65 {
				w.Write(piece)
			}
		}, toolcrib.KindLimit, "64 MiB"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := handlerFunc(test.f).Status(t.Context())
			if toolcrib.KindOf(err) != test.kind || !strings.Contains(err.Error(), test.says) {
				t.Errorf("err = %v, want kind %s and %q", err, test.kind, test.says)
			}
		})
	}
}

func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()
	c := handlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for range 500 { // the handler and the deadline end in either order
		if _, err := c.Status(ctx); toolcrib.KindOf(err) != toolcrib.KindTimeout {
			t.Fatalf("err = %v", err)
		}
	}
}

func TestInvalidArgs(t *testing.T) {
	c := handlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the request was sent") })
	_, err := c.Call(t.Context(), client.CallRequest{ID: "x", Args: []byte(`{broken`)})
	if toolcrib.KindOf(err) != toolcrib.KindInput {
		t.Errorf("err = %v", err)
	}
}

func TestDialLeftover(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	_, err = client.Dial(path)
	if toolcrib.KindOf(err) != toolcrib.KindUnavailable || !strings.Contains(err.Error(), "leftover") {
		t.Errorf("err = %v", err)
	}
}
