package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/toolcrib/toolcrib/internal/store/sqlite"
	"github.com/toolcrib/toolcrib/internal/store/storetest"
)

// open opens a database that ends with the test.
func open(t testing.TB, path string) *sqlite.DB {
	t.Helper()
	d, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func TestContract(t *testing.T) {
	storetest.Run(t, func(t testing.TB) storetest.Store {
		// A name that a URL would read otherwise.
		return open(t, filepath.Join(t.TempDir(), "a b", "x?y#z%41.db"))
	})
}
