//go:build !linux

package node

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/toolcrib/toolcrib/internal/sandbox/wire"
)

// isolate gives the command of a process. Without a fence the only wall is
// Node's permission model: good enough from the version on that refuses
// sockets, and only if it does so here and now.
func isolate(o Options, v version, folder string) (command func() (*exec.Cmd, error), verify func(int) (bool, error), err error) {
	if v.before(closedMajor, closedMinor) {
		return nil, nil, fmt.Errorf("%s is version %v: on this system, which has no fence, only Node %d.%d or later can close the network", o.Node, v, closedMajor, closedMinor)
	}
	if err := selfTest(o, v, folder); err != nil {
		return nil, nil, err
	}
	source, err := program(wire.Ready{Version: wire.Version})
	if err != nil {
		return nil, nil, err
	}
	args := append(flags(v, o.Memory), "-e", source)
	return func() (*exec.Cmd, error) {
		cmd := exec.Command(o.Node, args...)
		cmd.Dir = folder
		return cmd, nil
	}, func(int) (bool, error) { return false, nil }, nil
}

// selfTest has Node try what its permission model must refuse.
func selfTest(o Options, v version, folder string) error {
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.Node, append(flags(v, o.Memory), "-e", trial)...)
	cmd.Env, cmd.Dir = []string{}, folder
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("test the permission model of %s: %w", o.Node, err)
	}
	if open := strings.TrimSpace(string(out)); open != "closed" {
		return fmt.Errorf("the permission model of %s leaves open: %.200s", o.Node, open)
	}
	return nil
}

// own is the running program's file.
func own() (string, error) { return os.Executable() }
