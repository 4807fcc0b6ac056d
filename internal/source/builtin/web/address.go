package web

import (
	"encoding/binary"
	"net/netip"
)

// Ranges that a public page is never in, after the registries of special-purpose
// addresses (RFC 6890 and its updates) and, for 168.63.129.16, what a cloud
// gives its machines. A name in allowPrivate opens those that are internal.
var ranges = []struct {
	prefix   netip.Prefix
	what     string
	internal bool
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "an address of this network", false},
	{netip.MustParsePrefix("10.0.0.0/8"), "a private address", true},
	{netip.MustParsePrefix("100.64.0.0/10"), "an address of a carrier's shared network", true},
	{netip.MustParsePrefix("127.0.0.0/8"), "a loopback address", true},
	{netip.MustParsePrefix("168.63.129.16/32"), "an address of a cloud's metadata", false},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address", false},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private address", true},
	{netip.MustParsePrefix("192.0.0.0/24"), "a reserved address", false},
	{netip.MustParsePrefix("192.0.2.0/24"), "a documentation address", false},
	{netip.MustParsePrefix("192.88.99.0/24"), "a relay's address", false},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private address", true},
	{netip.MustParsePrefix("198.18.0.0/15"), "a benchmarking address", false},
	{netip.MustParsePrefix("198.51.100.0/24"), "a documentation address", false},
	{netip.MustParsePrefix("203.0.113.0/24"), "a documentation address", false},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address", false},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved or broadcast address", false},

	{netip.MustParsePrefix("::1/128"), "a loopback address", true},
	{netip.MustParsePrefix("fc00::/7"), "a private address", true},
	{netip.MustParsePrefix("fe80::/10"), "a link-local address", false},
	{netip.MustParsePrefix("ff00::/8"), "a multicast address", false},
	{netip.MustParsePrefix("2001::/23"), "an address of a tunnel or a protocol", false}, // Teredo, ORCHID, benchmarking
	{netip.MustParsePrefix("2001:db8::/32"), "a documentation address", false},
	{netip.MustParsePrefix("2002::/16"), "an address of a tunnel", false}, // 6to4
	{netip.MustParsePrefix("3fff::/20"), "a documentation address", false},
}

var (
	global = netip.MustParsePrefix("2000::/3")
	nat64  = netip.MustParsePrefix("64:ff9b::/96")
)

// special says what an address is that isn't public; "" for one that is. An
// address is internal when it is one of those that a host's own network uses.
func special(a netip.Addr) (what string, internal bool) {
	switch {
	case !a.IsValid():
		return "no address", false
	case a.Zone() != "":
		return "an address with a zone", false
	case a.Is4In6():
		return special(a.Unmap())
	}
	for _, r := range ranges {
		if r.prefix.Contains(a) {
			return r.what, r.internal
		}
	}
	if a.Is4() {
		return "", false
	}
	b := a.As16()
	switch {
	case nat64.Contains(a):
		return special(netip.AddrFrom4([4]byte(b[12:])))
	case !global.Contains(a):
		return "a reserved address", false // the unspecified one, IPv4-compatible ones and so on
	case isatap(b):
		return special(netip.AddrFrom4([4]byte(b[12:])))
	}
	return "", false
}

// isatap reports whether the address carries an IPv4 one as ISATAP does (RFC 5214).
func isatap(b [16]byte) bool {
	id := binary.BigEndian.Uint32(b[8:])
	return id == 0x00005efe || id == 0x02005efe
}
