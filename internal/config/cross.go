package config

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// crossChecker checks what no single row of the table can: keys that need or
// exclude each other, and the forms of addresses and names.
type crossChecker struct {
	opts Options
	dir  string
	*problems
}

func (c crossChecker) all(root *value) {
	if servers := root.get("mcp").get("servers"); servers != nil {
		for _, f := range servers.fields {
			c.server(f, joinPath("mcp.servers", f.key))
		}
	}
	c.agents(root.get("agents").get("list"))
	c.gateway(root.get("gateway"))
	c.record(root)
	c.workspaces(root)
	c.exec(root.get("tools").get("exec"))
	c.hooks(root.get("hooks"))
	c.plugins(root.get("plugins"))
	c.models(root.get("models"))
	c.toolPolicy(root.get("tools"), "tools")
	c.approvals(root.get("tools"), "tools")
	c.web(root.get("tools").get("web"))
	c.modes(root.get("tools"), "tools")
}

func (c crossChecker) server(f field, path string) {
	v := f.val
	if v.bad {
		return
	}
	command, addr := v.get("command"), v.get("url")
	switch {
	case command != nil && addr != nil:
		c.fail(f.at, path, "has both command and url", "keep the one that is meant")
	case command == nil && addr == nil:
		c.fail(f.at, path, "has neither command nor url", "name the program to start, or the address of the server")
	}
	c.patterns(v, path)
	c.prefix(v.get("prefix"), path+".prefix")
	c.variables(v.get("env"), path+".env")
	c.headers(v.get("headers"), path+".headers")
	if on := v.get("enabled"); on != nil && !on.bool {
		return // what is left may hold references that could not be filled in
	}
	if command != nil && !command.bad && strings.TrimSpace(command.text) == "" {
		c.fail(command.origin, path+".command", "is empty", "name the program to start")
	}
	if command != nil {
		c.commandLine(command, path+".command")
	}
	if addr != nil && !addr.bad {
		c.url(addr, path+".url")
	}
	if cwd := v.get("cwd"); cwd != nil {
		cwd.text = c.opts.resolve(cwd.text, c.dir)
	}
	c.useless(v, path, command != nil, "server", "headers", "sse")
}

// useless warns of keys that belong to the other kind of thing: one with a
// command, or one with a url and the keys of web.
func (c crossChecker) useless(v *value, path string, command bool, thing string, web ...string) {
	keys, has := []string{"args", "env", "cwd"}, "url"
	if command {
		keys, has = web, "command"
	}
	for _, key := range keys {
		if w := v.get(key); w != nil {
			c.warn(w.origin, path+"."+key, "has no effect on a %s with %s", thing, has)
		}
	}
}

func (c crossChecker) url(v *value, path string) {
	u, err := url.Parse(v.text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		c.fail(v.origin, path, "is not an address of the web", "write it as https://HOST/PATH or http://HOST/PATH")
	}
}

func (c crossChecker) prefix(v *value, path string) {
	if v == nil || v.bad {
		return
	}
	if v.kind == json5.Bool && v.bool {
		c.fail(v.origin, path, "true says nothing", `write the prefix as a string, or false to drop it`)
	}
	clean := func(r rune) bool {
		return r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if len(v.text) > 32 || strings.ContainsFunc(v.text, func(r rune) bool { return !clean(r) }) {
		c.fail(v.origin, path, "is not at most 32 letters, digits, _ or -", fmt.Sprintf("for example %q", strings.ReplaceAll(slug(v.text)[:min(32, len(slug(v.text)))], ".", "-")))
	}
}

func (c crossChecker) variables(v *value, path string) {
	if v == nil {
		return
	}
	for _, f := range v.fields {
		if f.key == "" || strings.ContainsAny(f.key, "=\x00") {
			c.fail(f.at, joinPath(path, f.key), "is not the name of a variable", `a name holds no "="`)
		}
		if strings.Contains(f.val.text, "\x00") {
			c.fail(f.val.origin, joinPath(path, f.key), "holds a NUL character, which no variable can", "")
		}
	}
}

func (c crossChecker) headers(v *value, path string) {
	if v == nil {
		return
	}
	for _, f := range v.fields {
		if f.key == "" || strings.ContainsFunc(f.key, func(r rune) bool {
			return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
		}) {
			c.fail(f.at, joinPath(path, f.key), "is not the name of a header", "a name is letters, digits and -")
		}
		if strings.ContainsAny(f.val.text, "\r\n\x00") {
			c.fail(f.val.origin, joinPath(path, f.key), "holds a line break, which no header can", "")
		}
	}
}

func (c crossChecker) agents(list *value) {
	if list == nil {
		return
	}
	first := map[string]Origin{}
	for i, agent := range list.items {
		if agent.bad {
			continue
		}
		path, id := itemPath("agents.list", i), agent.get("id")
		switch {
		case id == nil:
			c.fail(agent.origin, path, "has no id", `give it one, such as id: "research"`)
			continue
		case id.bad:
			continue
		case !toolcrib.ValidOwner(id.text):
			c.fail(id.origin, path+".id", "is not a letter or digit, then at most 63 letters, digits, _, . or -", "")
		}
		if at, ok := first[id.text]; ok {
			c.fail(id.origin, path+".id", "stands twice, also at "+at.String(), "ids are unique")
		} else {
			first[id.text] = id.origin
		}
		c.toolPolicy(agent.get("tools"), path+".tools")
		c.approvals(agent.get("tools"), path+".tools")
		c.modes(agent.get("tools"), path+".tools")
	}
}

// patterns refuses empty patterns, which can only be a mistake.
func (c crossChecker) patterns(v *value, path string) {
	for _, key := range []string{"allow", "deny", "alsoAllow"} {
		c.emptyPatterns(v.get(key), path+"."+key)
	}
}

func (c crossChecker) emptyPatterns(list *value, path string) {
	if list == nil {
		return
	}
	for i, item := range list.items {
		if !item.bad && strings.TrimSpace(item.text) == "" {
			c.fail(item.origin, itemPath(path, i), "is an empty pattern", `"*" matches every tool`)
		}
	}
}

func (c crossChecker) gateway(v *value) {
	if listen := v.get("listen"); listen != nil && !listen.bad {
		_, port, err := net.SplitHostPort(listen.text)
		if n, perr := strconv.Atoi(port); err != nil || perr != nil || n < 0 || n > 65535 {
			c.fail(listen.origin, "gateway.listen", "is not HOST:PORT", "for example "+DefaultListen)
		}
	}
	c.openListener(v)
	if token := v.get("token"); token != nil && !token.bad && (token.text == "" || strings.ContainsFunc(token.text, func(r rune) bool { return r <= ' ' || r > '~' })) {
		c.fail(token.origin, "gateway.token", "is empty or holds a character that no header can carry", "use letters and digits, at least 16 of them")
	}
	if origins := v.get("allowedOrigins"); origins != nil {
		for i, o := range origins.items {
			u, err := url.Parse(o.text)
			if !o.bad && (err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" || u.RawQuery != "") {
				c.fail(o.origin, itemPath("gateway.allowedOrigins", i), "is not the origin of a web page", "write SCHEME://HOST or SCHEME://HOST:PORT, such as https://example.com")
			}
		}
	}
	if hosts := v.get("allowedHosts"); hosts != nil {
		for i, h := range hosts.items {
			if !h.bad && (h.text == "" || strings.ContainsAny(h.text, "/ *")) {
				c.fail(h.origin, itemPath("gateway.allowedHosts", i), "is not a host", "write a host, with or without a port, such as tools.example.com:8443")
			}
		}
	}
}
