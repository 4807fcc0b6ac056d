package hook

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib/internal/child"
)

// HostOptions is what a Host needs of the process.
type HostOptions struct {
	// Environ is the process's environment; programs get the base of it alone.
	Environ []string
	// Proxy says by which proxy an address is reached; nil for none.
	Proxy func(*http.Request) (*url.URL, error)
}

// Host holds what hooks run on and what outlives a change of the configuration:
// their processes and connections.
type Host struct {
	environ  []string
	launcher child.Launcher
	client   *http.Client
	ctx      context.Context
	end      context.CancelFunc

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

// NewHost returns a Host. It starts nothing before a hook runs.
func NewHost(o HostOptions) *Host {
	h := &Host{environ: o.Environ}
	h.ctx, h.end = context.WithCancel(context.Background())
	h.client = &http.Client{
		Transport: &http.Transport{
			Proxy: o.Proxy, DisableCompression: true, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: 64 << 10,
			MaxIdleConnsPerHost: DefaultParallel, IdleConnTimeout: 30 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return h
}

// errClosed is the fault of a hook that a closing gateway ends.
var errClosed = errors.New("the gateway is closing")

// enter counts a run in until leave is called.
func (h *Host) enter() (leave func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errClosed
	}
	h.running.Add(1)
	return h.running.Done, nil
}

// Close ends the hooks that run, and everything that they have started.
func (h *Host) Close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.end()
	h.running.Wait()
	h.launcher.Close()
	h.client.CloseIdleConnections()
}
