package httpapi

import (
	"context"
	"crypto/sha256"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
)

// guard says who may come in over TCP.
type guard struct {
	// loopback is true when the listener can be reached from this machine only.
	loopback bool
	// token is the SHA-256 of gateway.token; nil when that isn't set.
	token []byte
	// tokens are those that were made; nil for none.
	tokens   Tokens
	refusals *refusals
	hosts    []string
	origins  []string
}

func newGuard(o PublicOptions) (*guard, error) {
	g := &guard{loopback: Loopback(o.Listen), tokens: o.Tokens, refusals: &refusals{log: logger(o.Logger)}}
	if o.Token != "" {
		sum := sha256.Sum256([]byte(o.Token))
		g.token = sum[:]
	} else if err := g.checkListen(o.Listen); err != nil {
		return nil, err
	}
	for _, host := range o.AllowedHosts {
		g.hosts = append(g.hosts, strings.ToLower(host))
	}
	for _, origin := range o.AllowedOrigins {
		g.origins = append(g.origins, strings.TrimRight(strings.ToLower(origin), "/"))
	}
	return g, nil
}

// storeTime is how long looking for a token may take before a listener opens.
const storeTime = 10 * time.Second

// checkListen refuses an address that other machines reach while nobody has a token.
func (g *guard) checkListen(listen string) error {
	if g.loopback {
		return nil
	}
	var cause error
	if g.tokens != nil {
		ctx, cancel := context.WithTimeout(context.Background(), storeTime)
		defer cancel()
		var any bool
		if any, cause = g.tokens.Any(ctx); any {
			return nil
		}
	}
	return toolcrib.NewError(toolcrib.KindConfig,
		"gateway.listen is "+listen+", which other machines may reach, and no token is set",
		"make one with toolcrib token create, or set gateway.token (or TOOLCRIB_GATEWAY__TOKEN), or listen on 127.0.0.1").WithCause(cause)
}

// checkPlace refuses requests that a web page may have tricked a browser into:
// by a name that points to this machine, or from a page of another site.
func (g *guard) checkPlace(r *http.Request) error {
	if !g.allowsHost(r.Host) {
		return toolcrib.NewError(toolcrib.KindBlocked, "the host name "+quote(r.Host)+" is not one of this gateway",
			"use 127.0.0.1 or localhost, or add the name to gateway.allowedHosts")
	}
	for _, origin := range r.Header.Values("Origin") {
		if !g.allowsOrigin(origin) {
			return toolcrib.NewError(toolcrib.KindBlocked, "web pages of "+quote(origin)+" may not use this gateway",
				"add the origin to gateway.allowedOrigins if they should")
		}
	}
	return nil
}

// allowsHost: a listener on the loopback serves loopback names and those that
// were allowed. Any other asks for a token, which no page can send, so that the
// names matter only where the operator listed some.
func (g *guard) allowsHost(host string) bool {
	name := strings.ToLower(hostname(host))
	if loopbackName(name) || slices.Contains(g.hosts, name) || slices.Contains(g.hosts, strings.ToLower(host)) {
		return true
	}
	return !g.loopback && len(g.hosts) == 0
}

func (g *guard) allowsOrigin(origin string) bool {
	if slices.Contains(g.origins, strings.TrimRight(strings.ToLower(origin), "/")) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && u.Path == "" && loopbackName(strings.ToLower(u.Hostname()))
}

// Loopback reports whether a listen address can be reached from this machine
// only. An address without a host means every interface.
func Loopback(listen string) bool { return loopbackName(strings.ToLower(hostname(listen))) }

func loopbackName(name string) bool {
	if name == "localhost" {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// hostname is the host of host:port, [v6]:port, [v6] or host; text that is none
// of these comes back whole, and is nobody's name.
func hostname(hostport string) string {
	if host, port, err := net.SplitHostPort(hostport); err == nil && strings.Trim(port, "0123456789") == "" {
		return host
	}
	return strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
}

// quote shows foreign text in a message: short and printable.
func quote(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || r > 0x7e {
			return '?'
		}
		return r
	}, s)
	if len(s) > 100 {
		s = s[:100] + "…"
	}
	return `"` + s + `"`
}
