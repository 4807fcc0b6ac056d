package web

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"syscall"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Bounds of connecting and of what comes before a page.
const (
	maxAddresses  = 6 // that are tried of a name
	maxRedirects  = 5
	connectTime   = 10 * time.Second // to one address
	maxHeaders    = 64 << 10         // bytes
	userAgentName = "toolcrib"
)

// transport reaches what the rules allow, for one call.
func (s *Source) transport(r *rules) *http.Transport {
	t := &http.Transport{
		DialContext:            func(ctx context.Context, network, address string) (net.Conn, error) { return s.dial(ctx, r, address) },
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: s.opt.Roots},
		TLSHandshakeTimeout:    connectTime,
		MaxResponseHeaderBytes: maxHeaders,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // unpacked here, within bounds
		MaxConnsPerHost:        1,
	}
	if r.throughs != nil {
		t.Proxy = http.ProxyURL(r.throughs)
		t.DialContext = (&net.Dialer{Timeout: connectTime}).DialContext // the operator's own address
	}
	return t
}

// dial connects to a host at the first of its addresses that may be reached and
// answers. A name is resolved once, so that what was judged is what is dialled.
func (s *Source) dial(ctx context.Context, r *rules, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addrs, err := s.reachable(ctx, r, host)
	if err != nil {
		return nil, err
	}
	var last error
	for _, a := range addrs {
		conn, err := s.connect(ctx, r, host, net.JoinHostPort(a.String(), port))
		if err == nil {
			return conn, nil
		}
		if last = err; ctx.Err() != nil || toolcrib.KindOf(err) == toolcrib.KindBlocked {
			break
		}
	}
	return nil, last
}

// reachable resolves a host and returns the addresses that may be dialled. A host
// some of whose addresses aren't public keeps the others.
func (s *Source) reachable(ctx context.Context, r *rules, host string) ([]netip.Addr, error) {
	addrs := []netip.Addr{}
	if a, err := netip.ParseAddr(host); err == nil {
		addrs = append(addrs, a)
	} else if addrs, err = s.opt.Resolve(ctx, host); err != nil {
		return nil, toolcrib.NewError(toolcrib.KindTool, fmt.Sprintf("the name %s could not be resolved", host), "check its spelling").WithCause(err)
	}
	var why error = toolcrib.NewError(toolcrib.KindTool, fmt.Sprintf("the name %s leads nowhere", host), "check its spelling")
	public := slices.DeleteFunc(slices.Clone(addrs), func(a netip.Addr) bool {
		err := r.address(host, a)
		if err != nil {
			why = err
		}
		return err != nil
	})
	if len(public) == 0 {
		return nil, why
	}
	return public[:min(len(public), maxAddresses)], nil
}

// connect dials one address that was judged. The operating system's own view of
// it is judged once more.
func (s *Source) connect(ctx context.Context, r *rules, host, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	if s.opt.Dial != nil {
		return s.opt.Dial(ctx, address)
	}
	d := net.Dialer{Control: func(_, socket string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(socket)
		if err != nil {
			return fmt.Errorf("the address to dial can't be read: %w", err)
		}
		return r.address(host, to.Addr())
	}}
	return d.DialContext(ctx, "tcp", address)
}

// resolve is the system's way to resolve a name.
func resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	for i := range addrs {
		addrs[i] = addrs[i].Unmap()
	}
	return addrs, err
}

// foretell judges, for a proxy that will resolve the name itself, where it leads
// to from here. A name that only the proxy knows passes.
func (s *Source) foretell(ctx context.Context, r *rules, u *url.URL) error {
	_, err := s.reachable(ctx, r, u.Hostname())
	if toolcrib.KindOf(err) == toolcrib.KindBlocked {
		return err
	}
	return nil
}
