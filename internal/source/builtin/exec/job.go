package exec

import "github.com/toolcrib/toolcrib/internal/sandbox/fence"

// Flags are the first argument of a launcher, and of what it starts to go behind
// the fence.
const (
	Flag      = "--toolcrib-exec"
	fenceFlag = "--toolcrib-exec-fenced"
)

// Descriptors of a launcher beside the standard streams, which are the line's own.
const (
	// orderAt is the order's: a job as one line. When it ends, so does the line.
	orderAt = 3
	// reportAt is the report's.
	reportAt = 4
)

// job is what a launcher is told.
type job struct {
	// Lines are words that run as they are. Without them Shell runs by /bin/sh.
	Lines []Pipeline `json:"lines,omitempty"`
	Shell string     `json:"shell,omitempty"`
	// Dir is where it runs, Env its environment; programs are looked for in its PATH.
	Dir string   `json:"dir"`
	Env []string `json:"env"`
	// Fence is the fence of each program; nil for none.
	Fence *fence.Command `json:"fence,omitempty"`
}

// report is what a launcher answers: one for each command that starts, then one
// for the end.
type report struct {
	// Started is the number of a command's session, 0 in the last report.
	Started  int    `json:"started,omitempty"`
	ExitCode int    `json:"exitCode"`
	Signal   string `json:"signal,omitempty"`
	// Fault says why nothing ran, or not all; empty when it did.
	Fault string `json:"fault,omitempty"`
}
