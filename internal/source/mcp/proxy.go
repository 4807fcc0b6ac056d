package mcp

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/toolcrib/toolcrib/internal/child"
)

// Proxy returns the proxy rule that an environment sets: HTTPS_PROXY,
// HTTP_PROXY and NO_PROXY, in capitals or not. This machine itself is never
// reached through a proxy.
func Proxy(environ []string) func(*http.Request) (*url.URL, error) {
	get := func(name string) string {
		if v := child.Lookup(environ, name); v != "" {
			return v
		}
		return child.Lookup(environ, strings.ToLower(name))
	}
	byScheme := map[string]string{"https": get("HTTPS_PROXY"), "http": get("HTTP_PROXY")}
	direct := strings.Split(get("NO_PROXY"), ",")
	return func(r *http.Request) (*url.URL, error) {
		proxy := byScheme[r.URL.Scheme]
		if proxy == "" || isLocal(r.URL.Hostname()) || isDirect(direct, r.URL) {
			return nil, nil
		}
		if !strings.Contains(proxy, "://") {
			proxy = "http://" + proxy
		}
		return url.Parse(proxy)
	}
}

// isLocal reports whether a host is this machine.
func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// isDirect reports whether a NO_PROXY entry covers u: "*", a host with or
// without its port, a domain and all below it, an address or a block of them.
func isDirect(entries []string, u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	ip := net.ParseIP(host)
	for _, e := range entries {
		e = strings.ToLower(strings.TrimSpace(e))
		if _, block, err := net.ParseCIDR(e); err == nil {
			if ip != nil && block.Contains(ip) {
				return true
			}
			continue
		}
		if h, port, err := net.SplitHostPort(e); err == nil {
			if port != u.Port() {
				continue
			}
			e = h
		}
		if e == "*" {
			return true
		}
		if e = strings.TrimPrefix(strings.TrimPrefix(e, "*"), "."); e == "" {
			continue
		}
		if host == e || strings.HasSuffix(host, "."+e) {
			return true
		}
	}
	return false
}
