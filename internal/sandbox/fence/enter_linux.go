//go:build amd64 || arm64

package fence

import (
	"fmt"
	"runtime"
)

// Enter puts the fence around the calling process, for good. Everything that
// the process wants to open, start or load has to be there already. It returns
// an error when a part doesn't hold; the process must then end at once, since
// it may be fenced in half.
//
// Landlock is left out where the kernel has none. A program built with cgo
// gets it on one thread only before kernel 7.0 (Landlock version 8): seccomp,
// which covers every thread, doesn't depend on it.
func Enter(o Options) error {
	o, err := o.settle()
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// Setting it, even to what it is, ends the runtime's own reading of the cgroup's files.
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	if err := closeOthers(o); err != nil {
		return fmt.Errorf("fence: %s: %w", PieceDescriptors, err)
	}
	if err := prepare(o); err != nil {
		return err
	}
	wall, err := newRuleset(nil)
	if err != nil {
		return err
	}
	defer wall.close()
	if err := wall.restrict(allThreads); err != nil {
		return err
	}
	if wall.abi > 0 {
		if err := testLandlock(); err != nil {
			return err
		}
	}
	if err := install(selfFilter(), allThreads); err != nil {
		return err
	}
	return selfTest()
}

// prepare does the steps that both kinds of children share between closing
// descriptors and the walls.
func prepare(o Options) error {
	steps := []struct {
		name string
		do   func(Options) error
	}{
		{PieceUser, leaveRoot},
		{PieceParent, dieWithParent},
		{PieceNoNewPrivs, noNewPrivileges},
		{PieceLimits, setLimits},
	}
	for _, s := range steps {
		if err := s.do(o); err != nil {
			return fmt.Errorf("fence: %s: %w", s.name, err)
		}
	}
	return nil
}
