//go:build !linux

package process

import "time"

// boundProcessor does nothing: Limits.Total is the bound here.
func boundProcessor(int, time.Duration) {}
