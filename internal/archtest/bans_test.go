package archtest

import (
	"slices"
	"strings"
	"testing"
)

// ban forbids imports to the packages at or below each of dirs; except lists
// those that are let off.
type ban struct {
	dirs    []string
	imports func(importPath string) bool
	except  []string
	why     string
}

// anyOf matches the import paths that are, or lie below, one of the given.
func anyOf(paths ...string) func(string) bool {
	return func(importPath string) bool {
		for _, p := range paths {
			if within(importPath, p) {
				return true
			}
		}
		return false
	}
}

func thirdParty(importPath string) bool {
	_, ours := own(importPath)
	return !ours && !standard(importPath)
}

func ours(importPath string) bool {
	_, yes := own(importPath)
	return yes
}

var everything = []string{".", "client", "gateway", "internal", "cmd"}

var bans = []ban{
	{
		dirs: []string{"."}, imports: thirdParty,
		why: "the root package is the dictionary: whoever imports it gets the standard library and nothing else",
	},
	{
		dirs: []string{"internal/sandbox"}, imports: ours, except: []string{},
		why: "the sandbox runs a script against one host function and could be a module of its own; what it can't name, a script can't reach",
	},
	{
		dirs:    []string{"internal/policy", "internal/search", "internal/signature", "internal/schema", "internal/catalog", "internal/toolsearch"},
		imports: anyOf("net", "os/exec", "database/sql"),
		why:     "plain data in, plain data out: these decide and describe, and the one door to effects is internal/invoke",
	},
	{
		dirs:    []string{"internal/toolsearch", "internal/mcpserver", "internal/httpapi"},
		imports: anyOf(module+"/internal/source", module+"/internal/invoke"),
		why:     "surfaces run tools through the caller that gateway gives them, so that no way around the one door can grow",
	},
	{
		dirs: []string{"internal/source", "internal/invoke", "internal/toolsearch"}, imports: anyOf(module + "/internal/policy"),
		why: "what is allowed is decided by gateway's wiring; a source that knows policy would be a second place to get it wrong",
	},
	{
		dirs: []string{"internal/config"}, imports: anyOf(module + "/internal"),
		why: "the configuration is words; gateway translates them into what each package wants",
	},
	{
		dirs: []string{"client"}, imports: anyOf(module + "/internal"),
		why: "the client is published, and speaks to the gateway over its API only",
	},
	{
		dirs: []string{"internal/cli"},
		imports: func(p string) bool {
			return anyOf(module+"/internal")(p) && !anyOf(module+"/internal/config", module+"/internal/clientconfig", module+"/internal/pluginkit", module+"/internal/attach", module+"/internal/child",
				module+"/internal/eval", module+"/internal/bench", module+"/internal/qa")(p)
		},
		why: "the commands are a client of the API; what they can't do through gateway and client, other programs can't do either",
	},
	{
		dirs: everything, imports: anyOf("github.com/spf13"), except: []string{"internal/cli"},
		why: "flags and commands live in internal/cli alone",
	},
	{
		dirs: everything, imports: anyOf("github.com/modelcontextprotocol/go-sdk"),
		except: []string{"internal/source/mcp", "internal/mcpserver", "internal/mcptest"},
		why:    "the protocol's types stop at the two packages that speak it",
	},
	{
		dirs: everything, imports: anyOf("github.com/blevesearch"), except: []string{},
		why: "the other search engine is there to be compared with, in benchmarks only",
	},
	{
		dirs: everything, imports: anyOf("mvdan.cc/sh"), except: []string{"internal/source/builtin/exec"},
		why: "the shell's language stops at the tool that judges command lines",
	},
	{
		dirs: everything, imports: anyOf("log"), except: []string{"internal/mcptest/catalogserver"},
		why: "a logger (log/slog) is handed in by the caller; the global one knows no secrets to take out",
	},
	{
		dirs: everything, imports: anyOf("C", "unsafe"), except: []string{"internal/child", "internal/sandbox/fence", "internal/sandbox/engine"},
		why: "cgo would end the static build, and unsafe the guarantees of the language; only the parts that tie child processes to ours and fence them in need the system's own structures",
	},
}

// letOff names single import paths that a ban's prefix would catch by accident.
var letOff = map[string]bool{"log/slog": true, "net/url": true, module + "/internal/near": true}

func (b ban) applies(dir string) bool {
	for _, e := range b.except {
		if within(dir, e) {
			return false
		}
	}
	for _, d := range b.dirs {
		if dir == d || (d != "." && within(dir, d)) {
			return true
		}
	}
	return false
}

// sameHouse reports whether a package imports from the very folder that the
// ban is about, such as config its own parser.
func sameHouse(dir, importPath string, b ban) bool {
	target, ok := own(importPath)
	return ok && slices.ContainsFunc(b.dirs, func(d string) bool { return d != "internal" && within(dir, d) && within(target, d) })
}

// Each ban keeps one promise of ARCHITECTURE.md, and says which when it is broken.
func TestPackagesDoNotKnowWhatTheyMustNot(t *testing.T) {
	_, tree := readTree(t)
	for _, p := range tree {
		for _, b := range bans {
			if !b.applies(p.dir) {
				continue
			}
			for _, imp := range p.imports() {
				if b.imports(imp) && !letOff[imp] && !sameHouse(p.dir, imp, b) {
					t.Errorf("%s imports %s: %s", tableName(p.dir), imp, b.why)
				}
			}
		}
	}
}

// A ban that names a misspelt package would hold nothing.
func TestBansMatchWhatTheyMean(t *testing.T) {
	sdk := "github.com/modelcontextprotocol/go-sdk/mcp"
	var hit []string
	for _, b := range bans {
		if b.applies("internal/search") && b.imports(sdk) {
			hit = append(hit, b.why)
		}
		if b.applies("internal/source/mcp") && b.imports(sdk) {
			t.Errorf("internal/source/mcp may speak the protocol, but a ban says: %s", b.why)
		}
	}
	if len(hit) != 1 || !strings.Contains(hit[0], "speak it") {
		t.Errorf("internal/search importing the SDK is caught by %q, want the one about the protocol's types", hit)
	}
}
