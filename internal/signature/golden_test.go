package signature_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib/internal/signature"
)

var update = flag.Bool("update", false, "write testdata/*.golden anew")

type sample struct{ name, schema string }

func samples(t testing.TB) []sample {
	t.Helper()
	text, err := os.ReadFile("testdata/schemas.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []sample
	for line := range strings.Lines(string(text)) {
		name, schema, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && name != "#" {
			all = append(all, sample{name, strings.TrimSpace(schema)})
		}
	}
	return all
}

func TestGolden(t *testing.T) {
	var b strings.Builder
	for _, s := range samples(t) {
		output, ok := signature.OfOutput(json.RawMessage(s.schema))
		if !ok {
			output = "(none)"
		}
		fmt.Fprintf(&b, "%s\n  input:  %s\n  output: %s\n", s.name, signature.Of(json.RawMessage(s.schema)), output)
	}
	const path = "testdata/signatures.golden"
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("signatures differ from %s (-want +got); run with -update if that is meant:\n%s", path, diff)
	}
}

func TestNothingToShow(t *testing.T) {
	for _, schema := range []string{"", "null", "7", `"string"`, "[]", " "} {
		if got := signature.Of(json.RawMessage(schema)); got != "unknown" {
			t.Errorf("Of(%q) = %q, want unknown", schema, got)
		}
		if got, ok := signature.OfOutput(json.RawMessage(schema)); ok {
			t.Errorf("OfOutput(%q) = %q, want none", schema, got)
		}
	}
}

// TestCatalogs runs every tool of recorded servers through both signatures.
func TestCatalogs(t *testing.T) {
	shared := os.Getenv("TOOLCRIB_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	files, err := filepath.Glob(filepath.Join(shared, "catalogs", "*.json"))
	if err != nil || len(files) == 0 {
		t.Skip("shared catalogs absent: set TOOLCRIB_SHARED to the folder that holds catalogs/")
	}
	tools, shown := 0, 0
	for _, file := range files {
		for _, tool := range catalog(t, file) {
			tools++
			got := signature.Of(tool.InputSchema)
			checkForm(t, got, signature.Input)
			if got != "unknown" {
				shown++
			}
			if output, ok := signature.OfOutput(tool.InputSchema); ok {
				checkForm(t, output, signature.Output)
			}
		}
	}
	t.Logf("%d of %d tools have an input signature", shown, tools)
	if shown*10 < tools*9 {
		t.Errorf("only %d of %d tools have an input signature, want nine in ten", shown, tools)
	}
}

type listed struct {
	Name        string          `json:"name"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

func catalog(t testing.TB, file string) []listed {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Tools []listed `json:"tools"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return list.Tools
}

// checkForm holds that a signature is in bounds, on one line and well-formed.
func checkForm(t testing.TB, text string, bounds signature.Bounds) {
	t.Helper()
	if n := utf8.RuneCountInString(text); n > bounds.Chars {
		t.Fatalf("%d characters, want at most %d: %s", n, bounds.Chars, text)
	}
	if err := parse(text, bounds); err != nil {
		t.Fatalf("not well-formed: %v: %s", err, text)
	}
}
