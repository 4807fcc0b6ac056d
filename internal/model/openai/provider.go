package openai

import (
	"cmp"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/model"
)

// Bounds that Options may change.
const (
	DefaultConnectTimeout = 10 * time.Second
	DefaultHeaderTimeout  = 10 * time.Minute // models think before they say the first word
	DefaultIdleTimeout    = 5 * time.Minute
	DefaultMaxBody        = 64 << 20 // bytes of an answer that isn't streamed
	DefaultMaxEvent       = 16 << 20 // bytes of one event
	maxRefusal            = 1 << 20  // bytes of an answer that says no
)

// Options is what a provider needs; BaseURL is required.
type Options struct {
	// Name is for messages; the host of BaseURL if "".
	Name string
	// BaseURL is what paths are joined to, such as https://host/v1.
	BaseURL string
	// Key is sent as the bearer token; "" sends none.
	Key string
	// Headers are sent with every request, and win over the caller's.
	Headers map[string]string
	// Proxy is as in http.Transport; nil uses none.
	Proxy func(*http.Request) (*url.URL, error)
	// ConnectTimeout bounds the connecting, HeaderTimeout the wait for the begin
	// of an answer, IdleTimeout that for each further piece.
	ConnectTimeout, HeaderTimeout, IdleTimeout time.Duration
	MaxBody, MaxEvent                          int
}

// Provider asks one address. Its connections are used again.
type Provider struct {
	opt    Options
	base   *url.URL
	client *http.Client
}

// New checks the options.
func New(opt Options) (*Provider, error) {
	base, err := url.Parse(strings.TrimRight(opt.BaseURL, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, toolcrib.NewError(toolcrib.KindConfig, "the address of a model's provider must begin with http:// or https:// and have a host", "")
	}
	opt.Name = cmp.Or(opt.Name, base.Host)
	opt.ConnectTimeout = cmp.Or(opt.ConnectTimeout, DefaultConnectTimeout)
	opt.HeaderTimeout = cmp.Or(opt.HeaderTimeout, DefaultHeaderTimeout)
	opt.IdleTimeout = cmp.Or(opt.IdleTimeout, DefaultIdleTimeout)
	opt.MaxBody = cmp.Or(opt.MaxBody, DefaultMaxBody)
	opt.MaxEvent = cmp.Or(opt.MaxEvent, DefaultMaxEvent)
	transport := &http.Transport{
		Proxy:                 opt.Proxy,
		DialContext:           (&net.Dialer{Timeout: opt.ConnectTimeout}).DialContext,
		TLSHandshakeTimeout:   opt.ConnectTimeout,
		ResponseHeaderTimeout: opt.HeaderTimeout,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   128,
		IdleConnTimeout:       90 * time.Second,
	}
	return &Provider{opt: opt, base: base, client: &http.Client{
		Transport: transport,
		// A redirect could lead the key to another host, so that none is followed.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Close ends the connections that are idle.
func (p *Provider) Close() { p.client.CloseIdleConnections() }

// address is where a path stands. Queries of the base address stay.
func (p *Provider) address(path string) string { return p.base.JoinPath(path).String() }

// header is what a request is sent with.
func (p *Provider) header(a model.Ask) http.Header {
	h := http.Header{}
	maps.Copy(h, a.Header)
	for _, name := range []string{"Authorization", "Host", "Connection", "Content-Length", "Transfer-Encoding", "Accept-Encoding", "Cookie", "Upgrade", "Te", "Trailer"} {
		h.Del(name)
	}
	if a.Body != nil {
		h.Set("Content-Type", "application/json")
	}
	if key := cmp.Or(a.Key, p.opt.Key); key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
	for _, name := range slices.Sorted(maps.Keys(p.opt.Headers)) {
		h.Set(name, p.opt.Headers[name])
	}
	return h
}
