package config

import (
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Web says what web_fetch may reach, and how much of it.
type Web struct {
	// AllowHosts and DenyHosts are patterns on the names of hosts. Deny wins, and an
	// empty AllowHosts allows all.
	AllowHosts, DenyHosts []string
	// AllowPrivate holds hosts, addresses and CIDR ranges that may be reached
	// though they aren't public.
	AllowPrivate []string
	// TimeoutMs is 1000 to 110000, for one page with all redirects.
	TimeoutMs int
	// MaxBytes is 1024 to 8 MiB, as sent and once more when unpacked.
	MaxBytes int
	// AllowDowngrade follows redirects from https to http.
	AllowDowngrade bool
	// Proxy is the URL of a proxy, which may hold a password; empty for none.
	Proxy string
}

// Timeout is TimeoutMs as a duration.
func (w Web) Timeout() time.Duration { return time.Duration(w.TimeoutMs) * time.Millisecond }

func webKeys() []Key {
	const p = "tools.web"
	return []Key{
		{Path: p, Type: Object, Doc: "What the built-in tool web_fetch may reach. It never reaches private addresses, unless allowPrivate says so."},
		{Path: p + ".allowHosts", Type: List, Doc: `Only hosts that match one of these patterns are reached, such as "*.example.com". Empty or absent: all that are public.`},
		{Path: p + ".allowHosts.[]", Type: String, Doc: "A host's name or address, with * for anything; no port."},
		{Path: p + ".denyHosts", Type: List, Doc: "Hosts that match one of these patterns are not reached. Deny wins over allow."},
		{Path: p + ".denyHosts.[]", Type: String, Doc: "A host's name or address, with * for anything; no port."},
		{
			Path: p + ".allowPrivate", Type: List,
			Doc: "What may be reached though it isn't public: loopback, internal networks. A name opens the loopback, private and shared addresses that it leads to; link-local ones, such as those of cloud metadata, take an address or range.",
		},
		{Path: p + ".allowPrivate.[]", Type: String, Doc: `A host's name, without *, an address, or a range such as "10.2.0.0/16".`},
		{Path: p + ".timeoutMs", Type: Whole, Default: "20000", Min: 1000, Max: 110_000, Doc: "How long one page may take, redirects included, in milliseconds."},
		{
			Path: p + ".maxBytes", Type: Whole, Default: "2097152", Min: 1024, Max: 8 << 20,
			Doc: "How many bytes of a page are read, as they are sent and once more when unpacked. What comes after is left out.",
		},
		{Path: p + ".allowDowngrade", Type: Bool, Default: "false", Doc: "true follows redirects from https to http."},
		{
			Path: p + ".proxy", Type: String, Secret: true,
			Doc: "An http or https proxy for all pages, such as ${env:HTTPS_PROXY}; none is taken from the environment by itself. Behind a proxy nobody but the proxy knows which address a name leads to: toolcrib still refuses private addresses and names that lead to them from here, and the proxy has to refuse the rest.",
		},
	}
}

func webOf(v *value) Web {
	return Web{
		AllowHosts: texts(v.get("allowHosts")), DenyHosts: texts(v.get("denyHosts")), AllowPrivate: texts(v.get("allowPrivate")),
		TimeoutMs: number(v.get("timeoutMs"), 0), MaxBytes: number(v.get("maxBytes"), 0),
		AllowDowngrade: yes(v.get("allowDowngrade")), Proxy: text(v.get("proxy")),
	}
}

// web checks what no single row of the table can.
func (c crossChecker) web(v *value) {
	c.hosts(v.get("allowHosts"), "tools.web.allowHosts", badPattern)
	c.hosts(v.get("denyHosts"), "tools.web.denyHosts", badPattern)
	c.hosts(v.get("allowPrivate"), "tools.web.allowPrivate", badPrivate)
	proxy := v.get("proxy")
	if proxy == nil || proxy.bad || proxy.text == "" {
		return
	}
	u, err := url.Parse(proxy.text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		c.fail(proxy.origin, "tools.web.proxy", "is no address of a proxy", "write http://HOST:PORT or https://HOST:PORT")
	}
}

// hosts checks each item of a list; wrong says what is wrong with one.
func (c crossChecker) hosts(list *value, path string, wrong func(string) string) {
	if list == nil || list.bad {
		return
	}
	for i, item := range list.items {
		if why := wrong(item.text); !item.bad && why != "" {
			c.fail(item.origin, itemPath(path, i), why, `write a host as in "docs.example.com", an address, or a range as in "10.2.0.0/16"`)
		}
	}
}

func badPattern(text string) string {
	switch {
	case strings.TrimSpace(text) == "":
		return "is empty"
	case strings.Contains(text, "/"):
		return "is no pattern of a host's name"
	}
	return ""
}

func badPrivate(text string) string {
	if _, err := netip.ParsePrefix(text); err == nil {
		return ""
	}
	if why := badPattern(text); why != "" {
		return why
	}
	if strings.Contains(text, "*") {
		return "holds a *, which only allowHosts and denyHosts take"
	}
	return ""
}
