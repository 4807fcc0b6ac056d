package store

import (
	"path/filepath"
	"testing"

	"github.com/toolcrib/toolcrib"
)

func TestLocate(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	absolute := filepath.Join(state, "elsewhere.db")
	for _, test := range []struct{ url, state, path string }{
		{"", state, filepath.Join(state, FileName)},
		{"", "", ""},
		{"memory:", state, ""},
		{"sqlite:x.db", state, filepath.Join(state, "x.db")},
		{"sqlite:" + absolute, "", absolute},
	} {
		p, err := Locate(test.url, test.state)
		if err != nil || p.Path != test.path || p.Memory() != (test.path == "") {
			t.Errorf("%q below %q: %+v, %v", test.url, test.state, p, err)
		}
	}
	for _, test := range [][2]string{{"sqlite:", state}, {"postgres://x", state}, {"sqlite:x.db", ""}, {"memory", state}} {
		if p, err := Locate(test[0], test[1]); toolcrib.KindOf(err) != toolcrib.KindConfig {
			t.Errorf("%q: %+v, %v", test[0], p, err)
		}
	}
}
