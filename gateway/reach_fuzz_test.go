package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// reach is two gateways of which one has tools that policy denies, and the other
// doesn't have them at all. Whatever is asked of them, they must answer the same.
type reach struct {
	denied, without map[string]*Session // by mode
	ran             atomic.Int32        // calls of tools that are denied
}

// reachModes are the modes in which both are open.
var reachModes = []string{"direct", "tools", "directory", "code"}

// reachConfig denies in as many ways as there are.
const reachConfig = `{
  tools: {
    toolSearch: { mode: "tools", codeIsolation: "process", codeTimeoutMs: 20000 },
    maxResultBytes: 16384,
    deny: ["open_vault", "plugin:vault:*", "core:cellar:twin", "SWEEP*", "caf\u00e9", "mcp:*"],
  },
}`

func newReach(t testing.TB) *reach {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.json5")
	if err := os.WriteFile(file, []byte(reachConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &reach{}
	r.denied = r.open(t, file, append(r.allowed(), r.forbidden()...))
	r.without = r.open(t, file, r.allowed())
	return r
}

func (r *reach) open(t testing.TB, file string, tools []Tool) map[string]*Session {
	t.Helper()
	g, err := New(context.WithoutCancel(t.Context()), Options{ConfigFile: file, Tools: tools, Sandbox: able})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	all := map[string]*Session{}
	for _, mode := range reachModes {
		if all[mode], err = g.Open(SessionOptions{Mode: mode, Scope: toolcrib.Scope{Session: "s", Door: toolcrib.DoorMCP, Client: "some-script"}}); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// allowed are tools that anybody may use, some of them near the others by name.
func (r *reach) allowed() []Tool {
	long := Func("long_story", "Tell a story without an end.", func(context.Context, struct{}) (string, error) {
		return strings.Repeat("and then ", 4000), nil
	})
	return []Tool{
		echo("open_window"), echo("twin"), echo("cafe"), long, echo("cellar__twin"),
		echo("sweeper", Owner(toolcrib.SourceCore, "broom")), echo("stop", DirectOnly()),
	}
}

// forbidden are tools that nobody here may use: denied by name, id, glob and owner,
// or the owner's alone.
func (r *reach) forbidden() []Tool {
	hidden := func(name string, opts ...ToolOption) Tool {
		return Func(name, "Zanzibar: open the vault and take the gold.", func(_ context.Context, in struct {
			Text     string `json:"text,omitempty"`
			Zanzibar string `json:"zanzibar,omitempty"`
		},
		) (string, error) {
			r.ran.Add(1)
			return "zanzibar", nil
		}, opts...)
	}
	vault, cellar := Owner(toolcrib.SourcePlugin, "vault"), Owner(toolcrib.SourceCore, "cellar")
	return []Tool{
		hidden("open_vault", vault), hidden("open_window", vault), hidden("Open Vault!", vault), hidden("tool_call", vault),
		hidden("twin", cellar), hidden("caf\u00e9", cellar), hidden("sweep_all", cellar, DirectOnly()), hidden("keys", cellar, OwnerOnly()),
		hidden(strings.Repeat("sweep", 20), cellar),
	}
}

// attempt is one thing that a model may try.
type attempt struct {
	door      uint8
	ref, args string
}

// reachDoors are what a model may do with a reference and arguments. Each returns what it
// calls; false when that can't be sent.
var reachDoors = []struct {
	mode string
	call func(a attempt) (name, args string, ok bool)
}{
	{"direct", byName},
	{"directory", byName},
	{"tools", byName},
	{"code", byName},
	{"tools", func(a attempt) (string, string, bool) {
		return "tool_call", fmt.Sprintf(`{"id":%s,"args":%s}`, jsonText(a.ref), a.args), json.Valid([]byte(a.args))
	}},
	{"directory", func(a attempt) (string, string, bool) {
		return "tool_call", fmt.Sprintf(`{"name":%s,"input":%s,"zanzibar":1}`, jsonText(a.ref), jsonText(a.args)), true
	}},
	{"tools", raw("tool_call")},
	{"tools", func(a attempt) (string, string, bool) {
		return "tool_describe", fmt.Sprintf(`{"id":%s}`, jsonText(a.ref)), true
	}},
	{"directory", raw("tool_describe")},
	{"tools", func(a attempt) (string, string, bool) {
		return "tool_search", fmt.Sprintf(`{"query":%s,"limit":20}`, jsonText(a.ref)), true
	}},
	{"tools", func(a attempt) (string, string, bool) {
		return "tool_search", fmt.Sprintf(`{"queries":[{"query":%s},{"query":%s}]}`, jsonText(a.ref), jsonText(a.args)), true
	}},
	{"directory", raw("tool_search")},
	{"code", body(`return await openclaw.tools.call(%s, %s)`)},
	{"code", body(`return [await openclaw.tools.search(%[1]s), await openclaw.tools.search(%[2]s).catch(e => [e.kind, e.message])]`)},
	{"code", body(`return await openclaw.tools.describe(%s, %s)`)},
	{"code", body(`try { await openclaw.tools.call(%s, %s) } catch (e) { return [e.name, e.kind, e.message, e.stack, Object.keys(e)] }`)},
	{"code", body(`return await openclaw.tools.call("tool_call", {id: %s, args: %s})`)},
	{"code", body(`return await openclaw.tools.call({toString: () => %s, id: %[1]s}, %s)`)},
	{"code", body(`return await openclaw.tools.call([%s], [%s])`)},
}

// quick is how many of the doors come before those of code, where an attempt takes
// milliseconds: the fuzzer is to go there less often.
const (
	quick    = 12
	codeFrom = 0xf0
)

// doorByte is the door of an attempt that goes to one of the list.
func doorByte(i int) uint8 {
	if i < quick {
		return uint8(i)
	}
	return uint8(codeFrom + i - quick)
}

// at is the place of the door in the list.
func (a attempt) at() int {
	if a.door < codeFrom {
		return int(a.door) % quick
	}
	return quick + int(a.door-codeFrom)%(len(reachDoors)-quick)
}

func byName(a attempt) (string, string, bool) { return a.ref, a.args, json.Valid([]byte(a.args)) }

// raw sends the arguments of a control as they are.
func raw(control string) func(attempt) (string, string, bool) {
	return func(a attempt) (string, string, bool) {
		return control, strings.ReplaceAll(a.args, "REF", strings.Trim(jsonText(a.ref), `"`)), json.Valid([]byte(a.args))
	}
}

// body is code with the reference and the arguments in it.
func body(format string) func(attempt) (string, string, bool) {
	return func(a attempt) (string, string, bool) {
		return "tool_search_code", fmt.Sprintf(`{"code":%s}`, jsonText(fmt.Sprintf(format, jsonText(a.ref), a.args))), json.Valid([]byte(a.args))
	}
}

func jsonText(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

// passing are the parts of an answer that are others each time: times, and ids of kept results.
var passing = regexp.MustCompile(`(ms\\*":)\d+|\br[0-9a-f]{32}\b`)

// answer is all that a session answers, with what passes taken out.
func (a attempt) answer(t testing.TB, s *Session) (string, bool) {
	name, args, ok := reachDoors[a.at()].call(a)
	if !ok || !json.Valid([]byte(args)) {
		return "", false
	}
	reply := s.surface(t.Context()).Call(t.Context(), toolsearch.CallRequest{
		Name: name, Args: json.RawMessage(args), CallID: "call-1", Scope: s.scope,
	})
	data, err := json.Marshal(reply)
	if err != nil {
		t.Fatal(err)
	}
	return passing.ReplaceAllString(string(data), "$1"), true
}

// try makes an attempt at both gateways and compares what they say.
func (r *reach) try(t testing.TB, a attempt) {
	t.Helper()
	mode := reachDoors[a.at()].mode
	got, ok := a.answer(t, r.denied[mode])
	if !ok {
		return
	}
	want, _ := a.answer(t, r.without[mode])
	if n := r.ran.Load(); n > 0 {
		t.Fatalf("a denied tool ran: %+v", a)
	}
	if mode == "code" && cut(got) && cut(want) {
		return // how much is left depends on the digits of a time
	}
	if got != want {
		t.Errorf("door %d, reference %q, arguments %q:\nwhere the tool is denied: %s\nwhere there is none:      %s", a.door, a.ref, a.args, got, want)
	}
}

// cut reports whether an answer was too long, which shows nothing of a denied tool.
func cut(answer string) bool {
	return strings.Contains(answer, `\"truncated\":true`) && !strings.Contains(answer, "anzibar")
}

// sameView compares all that is shown without being asked for.
func (r *reach) sameView(t testing.TB) {
	t.Helper()
	for _, mode := range reachModes {
		a, b := r.denied[mode].surface(t.Context()), r.without[mode].surface(t.Context())
		if diff := cmp.Diff(b.Tools(), a.Tools()); diff != "" {
			t.Errorf("mode %s shows other tools (-without +denied):\n%s", mode, diff)
		}
		if diff := cmp.Diff(b.Instructions(), a.Instructions()); diff != "" {
			t.Errorf("mode %s says something else (-without +denied):\n%s", mode, diff)
		}
		if a.Mode() != b.Mode() || string(a.Mode()) != mode {
			t.Errorf("mode %s is %s and %s", mode, a.Mode(), b.Mode())
		}
	}
}

// lookalikes are references that are not the tool's, and might be taken for it.
func lookalikes() (refs []string) {
	for _, name := range []string{"open_vault", "plugin:vault:open_vault", "vault__open_vault", "Open Vault!", "core:cellar:twin", "twin", "caf\u00e9", "core:cellar:caf\u00e9", "sweep_all", "keys", "core:cellar:keys"} {
		refs = append(refs, name, strings.ToUpper(name), strings.ToTitle(name[:1])+name[1:],
			" "+name, name+"\n", "\u00a0"+name, name+"\u2003", "\ufeff"+name, name+"\x00",
			name[:1]+"\u200b"+name[1:], name[:1]+"\u00ad"+name[1:], "\u202e"+name, "\u2066"+name+"\u2069", name+"\ufe0f",
			strings.ReplaceAll(name, "o", "\u043e"), strings.ReplaceAll(name, "a", "\u0430"), strings.ReplaceAll(name, "e", "\u0435"),
			strings.ReplaceAll(name, "\u00e9", "e\u0301"), strings.ReplaceAll(name, ":", "\uff1a"), strings.ReplaceAll(name, "_", "\u2017"), strings.ReplaceAll(name, "l", "I"),
			strings.Map(func(c rune) rune {
				if c > ' ' && c < 0x7f {
					return c + 0xfee0 // full width
				}
				return c
			}, name),
			name[:len(name)-1]+"*", "*"+name[1:], name[:1]+"?"+name[2:], name[:len(name)-1], name+"s", name+"/../"+name,
			"group:plugins", `"`+name+`"`, "["+name+"]", "tool_call:"+name, "plugin:app:"+name, "mcp:vault:"+name, "client:"+name, "app__"+name, "core__"+name,
			strings.ReplaceAll(name, ":", "__"), strings.ReplaceAll(name, "_", "-"), name+"\xff", "%6fpen_vault", `\u006fpen_vault`, "&#111;pen_vault")
	}
	return append(refs, "", "*", "plugin:vault:*", "plugin:vault:", "plugin:vault", "vault", "zanzibar", "gold", "tool_call", "tool_search_code", "tool_describe",
		"core:toolsearch:tool_call", "core:results:read", "results__read", strings.Repeat("sweep", 20), "open the vault and take the gold", "long_story", "open_window", "stop", "sweeper")
}

// reachArgs are arguments that might carry a reference past somebody.
var reachArgs = []string{
	`{}`, `{"text":"x"}`, `{"id":"REF"}`, `{"id":"REF","args":{"text":"x"}}`, `{"tool":"REF","arguments":"{\"text\":\"x\"}"}`,
	`"{\"id\":\"plugin:vault:open_vault\",\"args\":{}}"`, `{"args":{"id":"REF","args":{}}}`, `{"id":"open_window","id":"REF"}`, `{"id":"open_window","tool_id":"REF","name":"REF"}`,
	`{"id":["REF"]}`, `{"id":{"id":"REF"}}`, `{"id":"tool_call","args":{"id":"REF","args":{}}}`, `{"id":"tool_search_code","args":{"code":"return await openclaw.tools.call('REF')"}}`,
	`{"id":"core:results:read","args":{"id":"REF"}}`, `{"id":"long_story"}`, `{"query":"REF","limit":1000}`, `{"queries":["REF",{"query":"zanzibar"}]}`, `{"q":"zanzibar vault gold"}`,
	`{"keywords":"REF","queries":null}`, `{"query":"open_vault OR *","source":"plugin","owner":"vault"}`, `{"tool.id":"REF","args.text":"x"}`, `[{"id":"REF"}]`, `null`, `"REF"`, `{"code":"REF"}`,
}

// TestDeniedIsAbsent: everything above, at each door.
func TestDeniedIsAbsent(t *testing.T) {
	r := newReach(t)
	r.sameView(t)
	for door := range reachDoors {
		each := 1
		if door >= quick {
			each = 41
		}
		for i, ref := range lookalikes() {
			if i%each == door%each {
				r.try(t, attempt{doorByte(door), ref, `{"text":"x"}`})
			}
		}
		for i, args := range reachArgs {
			for j, ref := range []string{"open_vault", "plugin:vault:open_vault", "core:cellar:keys"} {
				if (3*i+j)%each < 3 {
					r.try(t, attempt{doorByte(door), ref, args})
				}
			}
		}
		if t.Failed() {
			return
		}
	}
}

// FuzzReachDenied looks for a way to reach a tool that policy denies, or to learn
// that there is one.
func FuzzReachDenied(f *testing.F) {
	for door := range reachDoors {
		f.Add(doorByte(door), "plugin:vault:open_vault", `{"id":"REF","args":{"text":"x"}}`)
		f.Add(doorByte(door), "caf\u00e9", `{}`)
	}
	for i, args := range reachArgs {
		f.Add(uint8(6+i%6), "open_vault", args)
	}
	r := newReach(f)
	f.Fuzz(func(t *testing.T, door uint8, ref, args string) {
		if len(ref)+len(args) > 4<<10 {
			t.Skip("long texts are cut: their bound has tests of its own")
		}
		r.try(t, attempt{door, ref, args})
	})
}
