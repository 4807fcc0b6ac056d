//go:build !unix

package files

// withoutWaiting: opening doesn't wait here.
const withoutWaiting = 0
