package web

import (
	"encoding/binary"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
)

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"1.1.1.1", "8.8.8.8", "93.184.215.14", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0",
		"172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "168.63.129.15",
		"2606:4700::1111", "2a00:1450:4001::200e", "2001:200::1", "64:ff9b::808:808", "::ffff:8.8.8.8", "2a00::5efe:808:808", "2003::1", "3ffe::1",
	} {
		if what, _ := special(netip.MustParseAddr(text)); what != "" {
			t.Errorf("%s is taken for %s", text, what)
		}
	}
}

// FuzzAddress carries an IPv4 address in every form that there is, and looks at it
// in other ways than the table does.
func FuzzAddress(f *testing.F) {
	for _, a := range []uint32{0, 0x7f000001, 0x0a000001, 0xa9fea9fe, 0x08080808, 0xffffffff, 0x64400001, 0xac100001} {
		f.Add(a, uint64(0x20010db800000000))
	}
	f.Fuzz(func(t *testing.T, bits uint32, high uint64) {
		var b4 [4]byte
		binary.BigEndian.PutUint32(b4[:], bits)
		a := netip.AddrFrom4(b4)
		what, _ := special(a)
		never := a.IsPrivate() || a.IsLoopback() || a.IsMulticast() || a.IsLinkLocalUnicast() || a.IsUnspecified() || b4[0] == 0 || b4[0] >= 240
		if never && what == "" {
			t.Errorf("%s is taken for a public address", a)
		}
		carried := map[string]netip.Addr{"mapped": netip.AddrFrom16(a.As16()), "compatible": in16(0, uint64(bits)), "nat64": in16(0x0064ff9b00000000, uint64(bits)), "isatap": in16(high, 0x5efe<<32|uint64(bits))}
		for form, c := range carried {
			if got, _ := special(c); what != "" && got == "" {
				t.Errorf("%s, %s of %s, is taken for a public address", c, form, a)
			}
		}
		for form, c := range map[string]netip.Addr{"6to4": in16(0x2002<<48|uint64(bits)<<16, high), "teredo": in16(0x20010000<<32|uint64(bits), high)} {
			if got, _ := special(c); got == "" {
				t.Errorf("%s, %s of %s, is taken for a public address", c, form, a)
			}
		}
		c := in16(high, uint64(bits))
		if got, _ := special(c); got == "" && (!c.IsGlobalUnicast() || c.IsPrivate() || c.IsLoopback() || c.Is4In6()) {
			t.Errorf("%s is taken for a public address", c)
		}
	})
}

func in16(high, low uint64) netip.Addr {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], high)
	binary.BigEndian.PutUint64(b[8:], low)
	return netip.AddrFrom16(b)
}

// FuzzURL wants of whatever passes that it says the same to every reader.
func FuzzURL(f *testing.F) {
	for _, text := range []string{
		"http://site.example/x?y=z#f", "https://[2606:4700::1111]:8443/", "http://2130706433/", "http://0x7f.1", "http://１２７.0.0.1/", "http://a@b/", "//x", "http://127.0.0.1", "http://[::ffff:1.2.3.4]/",
	} {
		f.Add(text, "http://site.example/a/b")
	}
	f.Fuzz(func(t *testing.T, text, base string) {
		r, err := newRules(Settings{})
		if err != nil {
			t.Fatal(err)
		}
		var from *url.URL
		if b, err := r.parse(base, nil); err == nil {
			from = b
		}
		u, err := r.parse(text, from)
		if err != nil {
			if kind := toolcrib.KindOf(err); kind != toolcrib.KindInput && kind != toolcrib.KindBlocked {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		said := u.String()
		again, err := url.Parse(said)
		if err != nil || again.Host != u.Host || again.Scheme != u.Scheme {
			t.Fatalf("%q became %q, which is read as %v, %v", text, said, again, err)
		}
		host := u.Hostname()
		if a, err := netip.ParseAddr(host); err == nil {
			if what, _ := special(a); what != "" {
				t.Errorf("%q leads to %s", text, what)
			}
		} else if strings.ContainsAny(host, "%:@/\\ ") || host != strings.ToLower(host) || numeric(host[strings.LastIndexByte(host, '.')+1:]) {
			t.Errorf("%q has the host %q", text, host)
		}
		if u.User != nil || u.Fragment != "" || strings.ContainsFunc(said, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			t.Errorf("%q became %q", text, said)
		}
	})
}
