package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

const errPipe = syscall.EPIPE

func TestCallArgs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "args.json")
	if err := os.WriteFile(file, []byte("\n{\"a\": 1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		flag  string
		pairs []string
		want  string
		fails string
	}{
		"nothing":              {want: `{}`},
		"text":                 {pairs: []string{"a=hello world"}, want: `{"a":"hello world"}`},
		"empty text":           {pairs: []string{"a="}, want: `{"a":""}`},
		"a value with =":       {pairs: []string{"a=b=c"}, want: `{"a":"b=c"}`},
		"text that needs care": {pairs: []string{`a=<"é">`}, want: `{"a":"\u003c\"é\"\u003e"}`},
		"number, bool, null":   {pairs: []string{"a=12", "b=true", "c=null"}, want: `{"a":12,"b":true,"c":null}`},
		"quoted number":        {pairs: []string{`a="12"`}, want: `{"a":"12"}`},
		"list and object":      {pairs: []string{`a=["x"]`, `b={"c": 1}`}, want: `{"a":["x"],"b":{"c":1}}`},
		"large number":         {pairs: []string{"a=12345678901234567890"}, want: `{"a":12345678901234567890}`},
		"no =":                 {pairs: []string{"a"}, fails: "not KEY=VALUE"},
		"no key":               {pairs: []string{"=a"}, fails: "not KEY=VALUE"},
		"twice":                {pairs: []string{"a=1", "a=2"}, fails: "given twice"},
		"JSON":                 {flag: `{"a": {"b": 1}}`, want: `{"a": {"b": 1}}`},
		"file":                 {flag: "@" + file, want: `{"a": 1}`},
		"stdin":                {flag: "-", want: `{"from": "stdin"}`},
		"object":               {pairs: []string{` {"a": 1}`}, want: `{"a": 1}`},
		"object and pair":      {pairs: []string{`{"a": 1}`, "b=1"}, fails: "not KEY=VALUE"},
		"broken object":        {pairs: []string{`{"a": `}, fails: "the argument is not a JSON object"},
		"object twice":         {flag: "{}", pairs: []string{`{"a": 1}`}, fails: "given twice"},
		"both":                 {flag: "{}", pairs: []string{"a=1"}, fails: "given twice"},
		"a list":               {flag: "[]", fails: "not a JSON object"},
		"null":                 {flag: "null", fails: "it is null"},
		"cut":                  {flag: `{"a":`, fails: "not a JSON object"},
		"missing file":         {flag: "@" + file + "x", fails: "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newApp(Process{Stdin: strings.NewReader(`{"from": "stdin"}`), Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}})
			given, err := a.callArgs(tt.flag, tt.pairs)
			got := given.object
			if err == nil && got == nil {
				got, err = object(given.pairs, nil)
			}
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) || toolcrib.KindOf(err) != toolcrib.KindInput {
					t.Errorf("got %s and %v, want an input error with %q", got, err, tt.fails)
				}
				return
			}
			if err != nil || compact(t, got) != compact(t, []byte(tt.want)) {
				t.Errorf("got %s and %v, want %s", got, err, tt.want)
			}
		})
	}
}

func compact(t *testing.T, raw []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return b.String()
}

func TestPrintCall(t *testing.T) {
	image := toolcrib.Content{Type: "image", Raw: json.RawMessage(`{"type":"image","mimeType":"image/png","data":"aGVsbG8="}`)}
	link := toolcrib.Content{Type: "resource_link", Raw: json.RawMessage(`{"type":"resource_link","uri":"file:///a\u001b[2J"}`)}
	for name, tt := range map[string]struct {
		result   toolcrib.Result
		terminal bool
		want     string
		code     int
	}{
		"text":                     {result: toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text("one\n"), toolcrib.Text("two")}}, want: "one\ntwo\n"},
		"details alone":            {result: toolcrib.Result{Details: json.RawMessage(`{"a":1}`)}, want: "{\n  \"a\": 1\n}\n"},
		"other blocks":             {result: toolcrib.Result{Content: []toolcrib.Content{image, link}}, want: "[image image/png, 5 bytes; see it with --json]\n[resource_link file:///a[2J; see it with --json]\n"},
		"control text to a file":   {result: toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text("a\x1b[31mb")}}, want: "a\x1b[31mb\n"},
		"control text to a screen": {result: toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text("a\x1b[31mb")}}, terminal: true, want: "a[31mb\n"},
		"failure":                  {result: toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text("no such issue")}, IsError: true}, want: "no such issue\n", code: 7},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout bytes.Buffer
			a := newApp(Process{Stdout: &stdout, Stderr: &bytes.Buffer{}, StdoutTerminal: tt.terminal})
			err := a.printCall(client.CallReply{Tool: client.CalledTool{ID: "mcp:a:b"}, Result: tt.result}, false)
			if flushErr := a.out.flush(); flushErr != nil {
				t.Fatal(flushErr)
			}
			if stdout.String() != tt.want || codeOf(err) != tt.code {
				t.Errorf("got %q and code %d, want %q and code %d", stdout.String(), codeOf(err), tt.want, tt.code)
			}
		})
	}
}

func TestRowsAreCutOnATerminalOnly(t *testing.T) {
	long := strings.Repeat("é", 200)
	for _, terminal := range []bool{true, false} {
		var stdout bytes.Buffer
		a := newApp(Process{Stdout: &stdout, StdoutTerminal: terminal, Environ: []string{"COLUMNS=60", "NO_COLOR=1"}})
		a.out.rows([]string{"ID", "DESCRIPTION"}, [][]string{{"a", long}, {"longer", ""}})
		if err := a.out.flush(); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(stdout.String(), "\n")
		if got := len([]rune(lines[1])); (got == 60) != terminal || (got == 208) == terminal {
			t.Errorf("on a terminal %t the row has %d columns", terminal, got)
		}
		if lines[0] != "ID      DESCRIPTION" || lines[2] != "longer" {
			t.Errorf("got %q, want columns that line up and no spaces at the end", lines)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("a\x1b]0;title\x07b\u202ec\u009b31m\n\t")
	f.Fuzz(func(t *testing.T, text string) {
		got := plain(text)
		if strings.ContainsAny(got, "\x00\x07\x08\r\x1b\u009b\u202e\u2066") {
			t.Errorf("plain(%q) = %q", text, got)
		}
		if again := plain(got); again != got {
			t.Errorf("plain isn't settled: %q, then %q", got, again)
		}
	})
}
