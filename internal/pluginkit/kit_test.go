package pluginkit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
)

// Each language has a manifest, the steps in its README, and its id in the place of
// every mark.
func TestWrite(t *testing.T) {
	for _, l := range Languages() {
		dir := filepath.Join(t.TempDir(), "Some.id_1")
		files, err := Write(dir, "Some.id_1", l)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"plugin.json5", "README.md", ".gitignore"} {
			if !slices.Contains(files, want) {
				t.Errorf("%s: no %s in %v", l.Name, want, files)
			}
		}
		for _, file := range files {
			text, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "PLUGIN_") && !strings.Contains(string(text), "TOOLCRIB_PLUGIN_") {
				t.Errorf("%s: a mark is left in %s", l.Name, file)
			}
			if file == "README.md" && !strings.Contains(string(text), l.Steps[0]) {
				t.Errorf("%s: the README doesn't have %q", l.Name, l.Steps[0])
			}
		}
		if _, err := Write(dir, "other", l); toolcrib.KindOf(err) != toolcrib.KindInput {
			t.Errorf("it is written over what is there: %v", err)
		}
	}
	if _, err := Write(filepath.Join(t.TempDir(), "x"), "../x", Languages()[0]); toolcrib.KindOf(err) != toolcrib.KindInput {
		t.Errorf("an odd id is taken: %v", err)
	}
	if _, ok := Of("cobol"); ok {
		t.Error("a language that isn't there is known")
	}
}
