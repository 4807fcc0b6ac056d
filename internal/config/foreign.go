package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// adopt reads the block mcpServers of other programs' files as mcp.servers.
// What else such a program keeps in its file is warned of and passed over.
func (l *loader) adopt() {
	block := l.root.field("mcpServers")
	if block == nil {
		return
	}
	at, servers := block.at, block.val
	l.root.drop("mcpServers")
	if own := l.root.get("mcp").field("servers"); own != nil {
		l.fail(at, "mcpServers", "stands beside mcp.servers ("+own.at.String()+")", "keep one of the two blocks")
		return
	}
	l.passOver(l.root, rootSpec(), nil, "")
	l.passOver(l.root.get("mcp"), rootSpec().child("mcp"), foreignMCP, "mcp")
	l.passOver(l.root.get("tools"), rootSpec().child("tools"), foreignTools, "tools")
	if servers.kind != json5.Object {
		l.fail(servers.origin, "mcpServers", fmt.Sprintf("found %v, expected an object", servers.kind), "")
		return
	}
	mcp := l.root.get("mcp")
	if mcp == nil {
		mcp = newObject(at)
		l.root.set("mcp", mcp)
	}
	mcp.set("servers", l.adoptServers(servers))
}

// Keys that Gemini's settings file has inside of objects that are named like ours.
var (
	foreignMCP   = []string{"allowed", "excluded", "serverCommand"}
	foreignTools = []string{"sandbox", "shell", "core", "allowed", "exclude", "discoveryCommand", "callCommand", "useRipgrep", "truncateToolOutputThreshold", "autoAccept", "enableHooks"}
)

// passOver drops the keys of v that s doesn't have, with a warning: those of
// the list, or all when the list is nil.
func (l *loader) passOver(v *value, s *spec, list []string, path string) {
	if v == nil {
		return
	}
	v.fields = slices.DeleteFunc(v.fields, func(f field) bool {
		if s.child(f.key) != nil || list != nil && !slices.Contains(list, f.key) {
			return false
		}
		hint := ""
		if near := nearestChild(s, f.key); near != "" && list == nil {
			hint = fmt.Sprintf(" (did you mean %q?)", near)
		}
		l.warn(f.at, joinPath(path, f.key), "is not a key of toolcrib and is ignored%s", hint)
		return true
	})
}

func (l *loader) adoptServers(servers *value) *value {
	out := newObject(servers.origin)
	taken := map[string]int{}
	for _, f := range servers.fields { // clean names first, so that they stay as they are
		if toolcrib.ValidOwner(f.key) {
			taken[fold(f.key)] = 1
		}
	}
	for _, f := range servers.fields {
		name := f.key
		if !toolcrib.ValidOwner(name) {
			name = freeName(slug(name), taken)
			l.warn(f.at, joinPath("mcpServers", f.key), "the name is not clean; the server is called %q", name)
		}
		a := adopter{loader: l, path: joinPath("mcpServers", f.key)}
		out.fields = append(out.fields, field{name, f.at, a.server(f.val)})
	}
	return out
}

// freeName is name, or name with the first number that makes it unlike those
// taken. Beside each taken name stands the last number that was tried.
func freeName(name string, taken map[string]int) string {
	free := name
	for n := max(2, taken[fold(name)]+1); taken[fold(free)] > 0; n++ {
		free = fmt.Sprintf("%s-%d", name, n)
		taken[fold(name)] = n
	}
	taken[fold(free)] = max(1, taken[fold(free)])
	return free
}

// adopter turns one server of another program's file into one of ours.
type adopter struct {
	*loader
	path string
}

func (a adopter) server(v *value) *value {
	if v.kind != json5.Object {
		return v // the check says what is wrong
	}
	s := rootSpec().child("mcp").child("servers").any
	out := newObject(v.origin)
	var others []field // after our own keys, so that they can join and replace those
	for _, f := range v.fields {
		switch {
		case f.val.kind == json5.Null:
			a.warn(f.at, joinPath(a.path, f.key), "is null and counts as absent")
		case f.key == "command" && f.val.kind == json5.Array:
			others = append(others, f)
		case s.child(f.key) != nil:
			out.fields = append(out.fields, f)
		default:
			others = append(others, f)
		}
	}
	for _, f := range others {
		if translate := foreignKeys[f.key]; translate != nil {
			translate(a, out, f)
		} else {
			a.unknown(s, f)
		}
	}
	a.envFile(v, out)
	a.kind(v, out)
	return out
}

func (a adopter) unknown(s *spec, f field) {
	hint := ""
	if near := nearestChild(s, f.key); near != "" {
		hint = fmt.Sprintf(" (did you mean %q?)", near)
	}
	a.warn(f.at, joinPath(a.path, f.key), "is not a key that toolcrib knows and is ignored%s", hint)
}

// foreignKeys says what to do with each key that another program has and toolcrib has not.
var foreignKeys = map[string]func(a adopter, out *value, f field){
	"command":       adopter.commandLine, // a list; a string is ours
	"disabled":      adopter.disabled,
	"serverUrl":     adopter.address,
	"httpUrl":       adopter.address,
	"environment":   rename("env"),
	"disabledTools": rename("deny"),
	"excludeTools":  rename("deny"),
	"includeTools":  rename("allow"),
	"enabledTools":  rename("allow"),
	"tools":         rename("allow"),
	"timeout":       adopter.timeout,

	"type":          skip, // read by kind
	"transport":     skip,
	"transportType": skip,
	"envFile":       skip, // read by envFile

	"autoApprove":        ignore("toolcrib runs no approvals of another program; the list is ignored"),
	"alwaysAllow":        ignore("toolcrib runs no approvals of another program; the list is ignored"),
	"trust":              ignore("it switches another program's questions off and says nothing of toolcrib's trusted; ignored"),
	"oauth":              ignore("signing in is not taken over; give a header with a token in headers"),
	"auth":               ignore("signing in is not taken over; give a header with a token in headers"),
	"authProviderType":   ignore("signing in is not taken over; give a header with a token in headers"),
	"headersHelper":      ignore("no program is run for headers; give them in headers"),
	"description":        ignore("a text for people; ignored"),
	"name":               ignore("a text for people; ignored"),
	"icon":               ignore("a picture for people; ignored"),
	"dev":                ignore("it watches and debugs the server in an editor; ignored"),
	"watchPaths":         ignore("toolcrib watches no files of a server; ignored"),
	"gallery":            ignore("it says where an editor found the server; ignored"),
	"version":            ignore("it says where an editor found the server; ignored"),
	"alwaysLoad":         ignore("which tools are searched is said by tools.toolSearch; ignored"),
	"startupTimeoutMs":   ignore("toolcrib has its own bound for the start; ignored"),
	"startup_timeout_ms": ignore("toolcrib has its own bound for the start; ignored"),
}

func skip(adopter, *value, field) {}

func ignore(why string) func(adopter, *value, field) {
	return func(a adopter, _ *value, f field) { a.warn(f.at, joinPath(a.path, f.key), "%s", why) }
}

// rename takes a value over under a key of ours. It joins a list or an object
// that stands there already.
func rename(key string) func(adopter, *value, field) {
	return func(a adopter, out *value, f field) {
		if have := out.get(key); have != nil && have.kind == json5.Array && f.val.kind == json5.Array {
			have.items = append(have.items, f.val.items...)
			return
		}
		if have := out.get(key); have != nil && have.kind == json5.Object && f.val.kind == json5.Object {
			own := have.clone()
			lay(have, f.val)
			lay(have, own) // what stands under our name wins
			return
		}
		out.set(key, f.val)
	}
}

func (a adopter) disabled(out *value, f field) {
	if f.val.kind != json5.Bool {
		a.fail(f.val.origin, joinPath(a.path, f.key), fmt.Sprintf("found %v, expected true or false", f.val.kind), "")
		return
	}
	if out.get("enabled") == nil || f.val.bool {
		out.set("enabled", newBool(!f.val.bool, f.val.origin))
	}
}

func (a adopter) address(out *value, f field) {
	if out.get("url") != nil {
		a.warn(f.at, joinPath(a.path, f.key), "is used in place of url")
	}
	out.set("url", f.val)
}

// commandLine reads a command that is a list: the program, then its arguments.
func (a adopter) commandLine(out *value, f field) {
	if len(f.val.items) == 0 {
		a.fail(f.val.origin, joinPath(a.path, f.key), "is an empty list", "name the program to start")
		return
	}
	out.set("command", f.val.items[0])
	if len(f.val.items) > 1 && out.get("args") == nil {
		out.set("args", &value{kind: json5.Array, origin: f.val.origin, items: f.val.items[1:]})
	}
}

// timeout reads a number that some programs mean in seconds (Cline and Roo Code,
// 1 to 3600) and others in milliseconds (Claude Code, Gemini, Amazon Q). Below 1000 it
// is seconds, and so are 1800 and 3600, which those programs offer in a menu.
func (a adopter) timeout(out *value, f field) {
	path := joinPath(a.path, f.key)
	if f.val.kind != json5.Number || f.val.num != float64(int64(f.val.num)) {
		a.fail(f.val.origin, path, fmt.Sprintf("found %v, expected a whole number", f.val.kind), "")
		return
	}
	if out.get("timeoutMs") != nil {
		a.warn(f.at, path, "is ignored beside timeoutMs")
		return
	}
	n, unit := int64(f.val.num), "milliseconds"
	if n < 1000 || n == 1800 || n == 3600 {
		n, unit = n*1000, "seconds"
	}
	a.warn(f.at, path, "%s is read as %s; write timeoutMs: %d to be sure", f.val.text, unit, n)
	out.set("timeoutMs", newNumber(n, f.val.origin))
}

// kind holds type or transport against what the server has.
func (a adopter) kind(v, out *value) {
	for _, key := range []string{"type", "transport", "transportType"} {
		f := v.field(key)
		if f == nil || f.val.kind != json5.String {
			continue
		}
		path := joinPath(a.path, key)
		switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(f.val.text)) {
		case "stdio", "local", "command":
			if out.get("command") == nil {
				a.warn(f.at, path, "says that a program is started, and no command is given")
			}
		case "http", "streamablehttp", "remote":
			if out.get("url") == nil {
				a.warn(f.at, path, "says that the server has an address, and no url is given")
			}
		case "sse":
			switch {
			case out.get("url") == nil:
				a.warn(f.at, path, "says that the server has an address, and no url is given")
			case out.get("sse") == nil:
				out.set("sse", newBool(true, f.val.origin))
			}
		default:
			a.warn(f.at, path, "is not a transport that toolcrib knows and is ignored")
		}
	}
}
