package files

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzPath: whatever a path says, no tool brings in what is outside of the
// workspace, or changes it, or names where it is.
func FuzzPath(f *testing.F) {
	d := at(f)
	outside := d.outside()
	seeds := []string{
		"a", "../outside/secret", "in/../../outside", "/etc/passwd", outside, "link/secret", "link/../x", "up/outside/secret", "a\x00/../..", "./in//x/../y", "in/link/secret",
		`..\outside\secret`, "C:\\x", "\\\\host\\share", "..", "in/up/../up/outside/secret", "loop/loop/loop", "~/x", "\u2025/x", "%2e%2e/x", ".../x", "in/abs/secret", "file:///etc/passwd", d.dir, d.dir + "/../outside",
	}
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		d.t = t
		if err := os.RemoveAll(d.dir); err != nil {
			t.Fatal(err)
		}
		d.put(map[string]string{"in/file": "x"})
		for name, target := range map[string]string{"link": "../outside", "up": "..", "in/link": "../../outside", "in/up": "../..", "loop": ".", "in/abs": outside} {
			d.link(target, name)
		}
		for tool, a := range everyTool(path) {
			r, err := d.try(tool, a)
			raw, _ := json.Marshal(r)
			if strings.Contains(string(raw), secret) || strings.Contains(string(raw), "root:x:0") {
				t.Fatalf("%s %q brought in what is outside: %s", tool, path, raw)
			}
			if err != nil && strings.Contains(err.Error(), filepath.Dir(d.dir)) && !strings.Contains(path, filepath.Dir(d.dir)) {
				t.Fatalf("%s %q: the error names a path of the machine: %v", tool, path, err)
			}
		}
		d.unharmed()
		if around, err := os.ReadDir(filepath.Dir(d.dir)); err != nil || len(around) != 2 {
			t.Fatalf("%q: beside the workspace there are %v, %v", path, around, err)
		}
	})
}
