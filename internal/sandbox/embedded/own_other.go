//go:build !linux

package embedded

import "os"

// own is the running program's file.
func own() (string, error) { return os.Executable() }
