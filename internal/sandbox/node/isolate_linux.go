package node

import (
	"errors"
	"fmt"
	"os/exec"

	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
)

// isolate gives the command of a process and the look at it. On Linux that is
// the launcher, and nothing without a fence that tells files apart.
func isolate(o Options, v version, folder string) (command func() (*exec.Cmd, error), verify func(int) (bool, error), err error) {
	report := fence.Probe()
	if !report.Files {
		why := errors.New("the kernel can't fence Node in")
		for _, piece := range report.Pieces {
			if !piece.OK {
				why = fmt.Errorf("%w; %s: %s", why, piece.Name, piece.Detail)
			}
		}
		return nil, nil, why
	}
	command, err = launcher(o, v, folder)
	return command, verifyFence, err
}

// own is the running program, even if its file was replaced or deleted.
func own() (string, error) { return "/proc/self/exe", nil }
