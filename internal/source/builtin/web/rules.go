package web

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/glob"
)

// rules are Settings, read for one call.
type rules struct {
	Settings
	hosts    glob.Filter
	private  []netip.Prefix
	named    map[string]bool // hosts of AllowPrivate, normalised
	throughs *url.URL        // the proxy; nil for none
}

// newRules reads Settings. It fails with KindConfig.
func newRules(s Settings) (*rules, error) {
	r := &rules{Settings: s.withDefaults(), named: map[string]bool{}}
	var err error
	if r.hosts, err = glob.NewFilter(s.AllowHosts, s.DenyHosts); err != nil {
		return nil, toolcrib.NewError(toolcrib.KindConfig, "the patterns of hosts can't be read: "+err.Error(), "")
	}
	for _, text := range s.AllowPrivate {
		if p, err := netip.ParsePrefix(text); err == nil {
			r.private = append(r.private, p.Masked())
		} else if a, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
			r.private = append(r.private, netip.PrefixFrom(a, a.BitLen()))
		} else if name, err := normalHost(text); err == nil {
			r.named[name] = true
		} else {
			return nil, toolcrib.NewError(toolcrib.KindConfig, fmt.Sprintf("%q is no host, address or range to allow", text), "")
		}
	}
	if s.Proxy != "" {
		if r.throughs, err = url.Parse(s.Proxy); err != nil || r.throughs.Hostname() == "" {
			return nil, toolcrib.NewError(toolcrib.KindConfig, "the address of the proxy can't be read", "")
		}
	}
	return r, nil
}

// address judges an address that a host leads to, "" for any: nil means that it
// may be dialled.
func (r *rules) address(host string, a netip.Addr) error {
	what, internal := special(a)
	if what == "" || internal && r.named[host] {
		return nil
	}
	for _, p := range r.private {
		if p.Contains(a.WithZone("").Unmap()) || p.Contains(a.WithZone("")) {
			return nil
		}
	}
	if host == "" || host == a.String() {
		host = "it"
	}
	return toolcrib.NewError(toolcrib.KindBlocked, fmt.Sprintf("%s leads to %s, and only public ones are reached", host, what),
		"the operator can open it by tools.web.allowPrivate")
}

// maxURL bounds an address, in bytes.
const maxURL = 8192

// parse reads an address that is to be fetched and judges all that can be judged
// before a name is resolved. Its host is normalised.
func (r *rules) parse(text string, base *url.URL) (*url.URL, error) {
	if len(text) > maxURL {
		return nil, refused(fmt.Sprintf("the address is longer than %d bytes", maxURL))
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return nil, refused("the address can't be read")
	}
	if base != nil {
		u = base.ResolveReference(u)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, refused(fmt.Sprintf("only http and https are fetched, not %.20q", u.Scheme))
	}
	if u.User != nil {
		return nil, refused("an address with a user name or password in it is not fetched")
	}
	host, err := normalHost(u.Hostname())
	if err != nil {
		return nil, err
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, refused("the address has no port that there can be")
		}
	}
	u.Host, u.Fragment, u.RawFragment, u.RawQuery = joined(host, u), "", "", escaped(u.RawQuery)
	if !r.hosts.Allows(host) {
		return nil, toolcrib.NewError(toolcrib.KindBlocked, fmt.Sprintf("the configuration doesn't let %s be reached", host), "see tools.web.allowHosts and denyHosts")
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return u, r.address(host, a)
	}
	return u, nil
}

// joined puts host and port together, without the port that the scheme means anyway.
func joined(host string, u *url.URL) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	port := u.Port()
	if port == "" || u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		return host
	}
	return host + ":" + port
}

// escaped is a query in plain ASCII.
func escaped(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>`", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// normalHost returns the one way to write a host: lower case ASCII without a last
// dot, or an address. What other programs may take for an address, though it is
// not written as one (as a number, in octal, with parts left out), is refused.
func normalHost(host string) (string, error) {
	if strings.Contains(host, "%") {
		return "", refused("an address with a zone is not fetched")
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return a.String(), nil
	}
	name, err := idna.Lookup.ToASCII(strings.TrimSuffix(host, "."))
	if err != nil || name == "" || len(name) > 253 {
		return "", refused("the address has no host that there can be")
	}
	if a, err := netip.ParseAddr(name); err == nil { // other digits and dots
		return a.String(), nil
	}
	if numeric(name[strings.LastIndexByte(strings.TrimSuffix(name, "."), '.')+1:]) {
		return "", refused("the host is an address that is not written as one")
	}
	return strings.TrimSuffix(name, "."), nil
}

// numeric reports whether a program might take the last label of a name for a
// number, and the name for an address then.
func numeric(label string) bool {
	label = strings.TrimSuffix(label, ".")
	hex, isHex := strings.CutPrefix(label, "0x")
	if isHex {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return label != "" && strings.Trim(label, "0123456789") == ""
}

func refused(why string) error {
	return toolcrib.NewError(toolcrib.KindInput, why, "give the whole address of a public page, such as https://example.com/page")
}
