package embedded

import (
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib/internal/sandbox"
)

// forgeries are what a child sends that was broken into: a kind and a payload,
// or raw bytes.
var forgeries = []struct{ name, frame, says string }{
	{"unknown kind", "raw:\x00\x00\x00\x03X{}", "unknown kind"},
	{"endless frame", "raw:\xff\xff\xff\xffl", "at most"},
	{"no JSON", "l{", "unexpected end"},
	{"call of what is not there", `c{"n":1,"function":"other","args":[]}`, "not given"},
	{"call out of order", `c{"n":2,"function":"f","args":[]}`, "call number 2"},
	{"call number zero", `c{"n":0,"function":"f","args":[]}`, "call number 0"},
	{"call without arguments", `c{"n":1,"function":"f"}`, "arguments"},
	{"arguments that are no list", `c{"n":1,"function":"f","args":{}}`, "arguments"},
	{"log of an odd level", `l{"level":"evil","text":""}`, "level"},
	{"log over the limit", `l{"level":"log","text":"` + strings.Repeat("x", 20<<10) + `"}`, "logs of more"},
	{"result over the limit", `d{"value":"` + strings.Repeat("x", 300<<10) + `"}`, "result of"},
	{"no result", `d{}`, "without a value"},
	{"made-up kind", `f{"kind":"blocked","message":"x"}`, "kind \"blocked\""},
	{"timeout of its own", `f{"kind":"timeout","message":"x"}`, "kind \"timeout\""},
	{"ready again", `R{"version":1}`, "a frame"},
	{"an answer", `a{"n":1,"value":1}`, "a frame"},
	{"a script for the parent", `r{"code":""}`, "a frame"},
}

// A child that doesn't keep to the protocol is ended: nothing that it sends
// makes the parent do what the script may not.
func TestForgedMessagesEndTheChild(t *testing.T) {
	for _, test := range forgeries {
		t.Run(test.name, func(t *testing.T) {
			r, err := New(Options{Exe: program(t), Pool: -1, Probe: "forge:" + test.name})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			out, err := r.Run(t.Context(), sandbox.Script{Code: "return 1", Functions: []string{"f"}}, echo)
			if err != nil {
				t.Fatal(err)
			}
			if out.Failure == nil || out.Failure.Kind != sandbox.KindInternal || !strings.Contains(out.Failure.Message, "protocol violated") || !strings.Contains(out.Failure.Message, test.says) {
				t.Errorf("it ends with %s, %v; want a violation that says %q", out.Value, out.Failure, test.says)
			}
			if len(out.Calls) > 0 {
				t.Errorf("the host was called: %+v", out.Calls)
			}
		})
	}
}
