//go:build !linux

package cli

// portOwner would name the process that listens at an address's port; this
// system has no cheap way to tell.
func portOwner(string) string { return "" }
