package engine

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

const config = `{"functions":["host.echo","host.fail"],"seed":[1,2,3,4],"now":1000,"logs":1000,"result":10000,"calls":10,"arguments":1000,"sent":5000}`

// run runs code with two host functions that answer at once.
func run(t *testing.T, code string) (End, []string) {
	t.Helper()
	e, err := New()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	answers := make(chan Answer, 100)
	var logs []string
	host := Host{
		Call: func(n int, function, args string) error {
			if function == "host.fail" {
				answers <- Answer{N: n, Text: `{"kind":"tool","message":"no such thing","data":{"a":1}}`}
				return nil
			}
			answers <- Answer{N: n, OK: true, Text: args}
			return nil
		},
		Log: func(level, text string) error {
			logs = append(logs, level+": "+text)
			return nil
		},
	}
	end, err := e.Run(Script{Code: code, Bare: code, Config: json.RawMessage(config), Memory: 64 << 20}, host, answers)
	if err != nil {
		t.Fatal(err)
	}
	return end, logs
}

func TestEnds(t *testing.T) {
	tests := []struct{ name, code, value, failure string }{
		{"value", "return [await host.echo(1)]", `[[1]]`, ""},
		{"expression", "1 + 1", `2`, ""},
		{"runtime error", "let x\nnull.y", "", `"kind":"runtime","message":"TypeError: cannot read property 'y' of null"`},
		{"syntax error", "let x = = 1", "", `"column":9,"kind":"syntax","line":2`},
		{"host error", "await host.fail()", "", `"kind":"tool","message":"no such thing"`},
		{"memory", "return 'x'.repeat(1e8).length", "", `"limit":"memory"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			end, _ := run(t, test.code)
			if end.Value != test.value || !strings.Contains(end.Failure, test.failure) || (test.failure == "") != (end.Failure == "") {
				t.Errorf("it ends with %+v, want value %s, failure %s", end, test.value, test.failure)
			}
		})
	}
}

// The engine tells of a rejection, and that it was handled after all; its
// place in the list is then used again.
func TestRejectionsAreCounted(t *testing.T) {
	end, _ := run(t, `for (let i = 0; i < 1000; i++) { const p = Promise.reject(i); await null; p.catch(() => 0) } return 1`)
	if end.Value != "1" {
		t.Errorf("handled rejections end in %+v", end)
	}
	end, _ = run(t, `const p = Promise.reject(new Error("first")); Promise.reject(new Error("second")); await p.catch(() => 0); return 1`)
	if !strings.Contains(end.Failure, "second") {
		t.Errorf("an unhandled rejection among handled ones ends in %+v", end)
	}
}

func TestAHostThatFailsEndsTheRun(t *testing.T) {
	e, err := New()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	gone := errors.New("the pipe is closed")
	host := Host{Call: func(int, string, string) error { return gone }, Log: func(string, string) error { return nil }}
	code := "for (;;) try { await host.echo(1) } catch {} finally { continue }"
	if end, err := e.Run(Script{Code: code, Bare: code, Config: json.RawMessage(config)}, host, make(chan Answer)); !errors.Is(err, gone) {
		t.Errorf("it ends with %+v, %v; want the host's error", end, err)
	}
}

func FuzzCode(f *testing.F) {
	for _, code := range []string{"return 1", "}); (async function () {", "`", "/*", "1) + (1", "return {a: [1, 'x', null]}", "\u2028return '\xff'", "async () => 1"} {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code string) {
		if len(code) > 200 || strings.ContainsAny(code, "{(") && strings.ContainsAny(code, "wf") {
			return // loops have no end here: nobody holds a clock
		}
		end, _ := run(t, code)
		text := end.Failure
		if text == "" {
			text = end.Value
		}
		if !json.Valid([]byte(text)) {
			t.Errorf("%q ends with %+v, which is not JSON", code, end)
		}
	})
}
