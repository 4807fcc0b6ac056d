package sandbox

import (
	"cmp"
	"fmt"
	"time"
)

// Script is what a runtime runs.
type Script struct {
	// Code is the body of an async function: await and return stand at its
	// top level.
	Code string
	// Functions are the dotted paths of the functions that the script finds
	// among its globals, such as "openclaw.tools.search". Each returns a promise.
	Functions []string
	// Seed makes Math.random: equal seeds give equal numbers.
	Seed [32]byte
	// Now is what the script's clock shows, to the millisecond. The clock
	// stands still while the script runs, so that a script with the same
	// answers takes the same way. The zero time is 1970-01-01.
	Now time.Time
	// Limits bound it; fields that are zero mean the defaults.
	Limits Limits
}

// Limits bound one run of a script. Each has its own failure.
type Limits struct {
	// Wall is how long a script may take, without the time in which a person
	// was asked. Default 10 s.
	Wall time.Duration
	// Total is the same with that time. Default 15 min.
	Total time.Duration
	// Code is the largest script, in bytes. Default 64 KiB.
	Code int
	// Logs is how much a script may log, in bytes of text, with one for the
	// end of each line. Default 16 KiB.
	Logs int
	// Result is the largest value returned, in bytes of its JSON. Default 256 KiB.
	Result int
	// Calls is how many calls a script may make. Default 100.
	Calls int
	// Parallel is how many of them run at a time; the others wait. Default 16.
	Parallel int
	// Memory is what the engine may use, in bytes. Default 128 MiB.
	Memory int64
}

// DefaultLimits are those of a Limits that says nothing.
func DefaultLimits() Limits {
	return Limits{
		Wall: 10 * time.Second, Total: 15 * time.Minute,
		Code: 64 << 10, Logs: 16 << 10, Result: 256 << 10,
		Calls: 100, Parallel: 16, Memory: 128 << 20,
	}
}

// WithDefaults fills the fields that are zero.
func (l Limits) WithDefaults() Limits {
	d := DefaultLimits()
	return Limits{
		Wall: cmp.Or(l.Wall, d.Wall), Total: cmp.Or(l.Total, d.Total),
		Code: cmp.Or(l.Code, d.Code), Logs: cmp.Or(l.Logs, d.Logs), Result: cmp.Or(l.Result, d.Result),
		Calls: cmp.Or(l.Calls, d.Calls), Parallel: cmp.Or(l.Parallel, d.Parallel), Memory: cmp.Or(l.Memory, d.Memory),
	}
}

// MinMemory is the least memory in which an engine starts.
const MinMemory = 4 << 20

// Check reports the first limit that no script could keep.
func (l Limits) Check() error {
	switch {
	case l.Wall < 0 || l.Total < 0:
		return fmt.Errorf("the time limits %v and %v must not be negative", l.Wall, l.Total)
	case min(l.Code, l.Logs, l.Result, l.Calls, l.Parallel) < 0:
		return fmt.Errorf("the limits %+v must not be negative", l)
	case l.Memory != 0 && l.Memory < MinMemory:
		return fmt.Errorf("the memory limit of %d bytes is less than the %d that the engine needs to start", l.Memory, MinMemory)
	}
	return nil
}
