//go:build linux

package fence_test

var archProbes []probe
