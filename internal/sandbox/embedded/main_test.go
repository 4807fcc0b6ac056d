package embedded

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	ChildInTest(os.Args, Hooks{})
	os.Exit(m.Run())
}
