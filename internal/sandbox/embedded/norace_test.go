//go:build !race

package embedded

import "testing"

// program gives the children's program: these tests.
func program(testing.TB) string { return "" }

func cleanUp() {}
