//go:build amd64 || arm64

package fence

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Exec puts the fence around the process and turns it into another program. It
// returns only when that fails; the process must then end at once.
//
// The program needs more of the system to start than a running Go program does:
// it may look for files and read those of Program.Read, and its memory may
// become code. So Landlock is needed here, and Exec fails without it. It can't
// make processes, sockets or files, and can't become a third program.
func Exec(o Options, p Program) error {
	o, err := o.settle()
	if err != nil {
		return err
	}
	if !filepath.IsAbs(p.Path) || len(p.Args) == 0 {
		return fmt.Errorf("fence: a program needs an absolute path and its name as first argument, not %q and %d arguments", p.Path, len(p.Args))
	}
	runtime.LockOSThread() // the thread that calls exec is the one that lives on
	defer runtime.UnlockOSThread()
	if err := closeOthers(o); err != nil {
		return fmt.Errorf("fence: %s: %w", PieceDescriptors, err)
	}
	// Paths are opened while this process still may: root's folders can be closed to nobody.
	program, err := unix.Open(p.Path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("fence: open %s: %w", p.Path, err)
	}
	wall, err := newRuleset(append([]string{p.Path}, p.Read...))
	if err != nil {
		return err
	}
	defer wall.close()
	if wall.abi == 0 {
		return errors.New("fence: the kernel has no Landlock, so that files can't be kept from the program")
	}
	if err := prepare(o); err != nil {
		return err
	}
	if err := confineProgram(wall, program); err != nil {
		return err
	}
	return become(program, p)
}

func confineProgram(wall *ruleset, program int) error {
	if err := wall.restrict(allThreads); err != nil {
		return err
	}
	if err := testLandlock(); err != nil {
		return err
	}
	if err := install(programFilter(program), allThreads); err != nil {
		return err
	}
	return selfTestProgram()
}

// become replaces the process by the open program.
func become(program int, p Program) error {
	args, err := syscall.SlicePtrFromStrings(p.Args)
	if err != nil {
		return fmt.Errorf("fence: arguments of %s: %w", p.Path, err)
	}
	none := [1]*byte{}
	var empty [1]byte
	_, _, errno := unix.RawSyscall6(unix.SYS_EXECVEAT, uintptr(program), uintptr(unsafe.Pointer(&empty[0])),
		uintptr(unsafe.Pointer(&args[0])), uintptr(unsafe.Pointer(&none[0])), unix.AT_EMPTY_PATH, 0)
	return fmt.Errorf("fence: run %s: %w", p.Path, errno)
}
