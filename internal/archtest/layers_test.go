package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// row is one line of the layer table: "| 1 | `internal/search` | owns | must not know |".
var row = regexp.MustCompile("^\\| *([0-9]+) *\\| *((?:`[^`]+`[, ]*)+)\\|(.+)\\|(.+)\\|$")

// readLayers reads the layer table of ARCHITECTURE.md: folder → layer.
func readLayers(t *testing.T) map[string]int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	layers := map[string]int{}
	for line := range strings.Lines(string(text)) {
		m := row.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.FieldsFunc(m[2], func(r rune) bool { return strings.ContainsRune("`, ", r) }) {
			if _, twice := layers[name]; twice {
				t.Errorf("ARCHITECTURE.md: %s stands in the layer table twice", name)
			}
			layers[name] = n
		}
	}
	if len(layers) == 0 {
		t.Fatal("ARCHITECTURE.md has no layer table any more")
	}
	return layers
}

// tableName is how the layer table calls the folder of a package.
func tableName(dir string) string {
	if dir == "." {
		return "toolcrib"
	}
	return dir
}

// Every package stands in the table and every line of the table is a package:
// a new package has to say where it belongs before it can be used.
func TestEveryPackageHasALayer(t *testing.T) {
	layers := readLayers(t)
	_, tree := readTree(t)
	seen := map[string]bool{}
	for _, p := range tree {
		name := tableName(p.dir)
		seen[name] = true
		if _, ok := layers[name]; !ok {
			t.Errorf("%s is not in the layer table of ARCHITECTURE.md: add a line that says what it owns and what it must not know", name)
		}
	}
	for name := range layers {
		if !seen[name] {
			t.Errorf("the layer table of ARCHITECTURE.md names %s, and there is no such package", name)
		}
	}
}

// Arrows point downward only, so that any package can be read, tested and
// replaced with nothing but what lies below it.
func TestImportsPointDownward(t *testing.T) {
	layers := readLayers(t)
	_, tree := readTree(t)
	for _, p := range tree {
		from := layers[tableName(p.dir)]
		for _, imp := range p.imports() {
			dir, ours := own(imp)
			if !ours {
				continue
			}
			if to := layers[tableName(dir)]; to >= from {
				t.Errorf("%s (layer %d) imports %s (layer %d): a package imports smaller layers only; "+
					"let %s name what it needs as a small interface, and let gateway connect the two",
					tableName(p.dir), from, tableName(dir), to, tableName(p.dir))
			}
		}
	}
}

// The published part is small on purpose: all else may change without notice.
func TestLittleIsPublished(t *testing.T) {
	public := map[string]bool{".": true, "gateway": true, "client": true}
	_, tree := readTree(t)
	for _, p := range tree {
		if public[p.dir] || within(p.dir, "internal") || within(p.dir, "cmd") || p.name == "main" {
			continue
		}
		t.Errorf("%s can be imported by everybody: only the root, gateway and client are published, so move it below internal/", p.dir)
	}
}
