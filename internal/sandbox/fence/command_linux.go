//go:build amd64 || arm64

package fence

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ExecCommand puts the fence for commands around the process and turns it into
// one. It returns only when that fails; the process must then end at once.
//
// A command is a program that nobody chose with care, and all that it starts. So
// its filter names what is refused, not what is let through: sockets, other
// processes' memory, namespaces, mounts, the kernel's keys and settings. What it
// may read and write Landlock decides; ExecCommand fails without it. Unlike Exec
// it keeps the user, who owns the files that it works on, and gives up what root
// is beyond that. What it starts inherits all of this.
//
// It may signal what it has started, and where Landlock can't tell that from the
// rest (before version 6), nobody.
func ExecCommand(o Options, c Command) error {
	o.Descriptors, o.Data = CommandDescriptors, CommandData
	o, err := o.settle()
	if err != nil {
		return err
	}
	if !filepath.IsAbs(c.Path) || len(c.Args) == 0 {
		return fmt.Errorf("fence: a command needs an absolute path and its name as first argument, not %q and %d arguments", c.Path, len(c.Args))
	}
	runtime.LockOSThread() // the thread that calls exec is the one that lives on
	defer runtime.UnlockOSThread()
	if err := closeOthers(o); err != nil {
		return fmt.Errorf("fence: %s: %w", PieceDescriptors, err)
	}
	// Without mounts that can't be written, the filter refuses what those would.
	sealed := c.Own && seal(c.Write) == nil
	if err := unix.Chdir(cmp.Or(c.Dir, "/")); err != nil { // anew, since a mount may lie on it
		return fmt.Errorf("fence: enter %s: %w", c.Dir, err)
	}
	wall, err := commandRules(c)
	if err != nil {
		return err
	}
	defer wall.close()
	if err := prepareCommand(o); err != nil {
		return err
	}
	if err := confineCommand(wall, sealed); err != nil {
		return err
	}
	return fmt.Errorf("fence: run %s: %w", c.Path, syscall.Exec(c.Path, c.Args, c.Env))
}

// writeFolder is everything below a folder but devices.
const writeFolder = (filesV1 &^ (unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK)) | filesV2 | filesV3

// commandRules opens all paths while the process still may.
func commandRules(c Command) (*ruleset, error) {
	wall, err := newRuleset(append(SystemFiles(), c.Read...))
	if err != nil {
		return nil, err
	}
	if wall.abi == 0 {
		return nil, errors.New("fence: the kernel has no Landlock, so that files can't be kept from the command")
	}
	for _, path := range deviceFiles {
		if err := wall.allowTo(path, unix.LANDLOCK_ACCESS_FS_READ_FILE|unix.LANDLOCK_ACCESS_FS_WRITE_FILE); err != nil && !errors.Is(err, fs.ErrNotExist) {
			wall.close()
			return nil, fmt.Errorf("fence: landlock: let %s be used: %w", path, err)
		}
	}
	for _, path := range c.Write {
		if err := wall.allowTo(path, writeFolder&handled(wall.abi).Handled_access_fs); err != nil {
			wall.close()
			return nil, fmt.Errorf("fence: landlock: let %s be changed: %w", path, err)
		}
	}
	return wall, nil
}

// prepareCommand does what comes between closing descriptors and the walls.
func prepareCommand(o Options) error {
	steps := []struct {
		name string
		do   func(Options) error
	}{
		{PieceUser, stayUser},
		{PieceParent, dieWithParent},
		{PieceNoNewPrivs, noNewPrivileges},
		{PieceLimits, setCommandLimits},
	}
	for _, s := range steps {
		if err := s.do(o); err != nil {
			return fmt.Errorf("fence: %s: %w", s.name, err)
		}
	}
	return nil
}

func confineCommand(wall *ruleset, sealed bool) error {
	if err := wall.restrict(allThreads); err != nil {
		return err
	}
	if err := testLandlock(); err != nil {
		return err
	}
	filter := commandFilter(reachedBy{
		signals: handled(wall.abi).Scoped&unix.LANDLOCK_SCOPE_SIGNAL != 0, metadata: sealed, root: unix.Geteuid() == 0,
	})
	if err := install(filter, allThreads); err != nil {
		return err
	}
	return selfTestCommand()
}

// Securebits: the user root gets no capabilities, and that stays so.
const (
	noRoot       = 1 << 0
	noRootLocked = 1 << 1
	lastPossible = 63 // capabilities
)

// stayUser keeps the user and gives up all capabilities, also those that running
// a program would bring back. no_new_privs stands behind that.
func stayUser(Options) error {
	if unix.Geteuid() == 0 {
		for c := range uintptr(lastPossible + 1) {
			if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
				break // past the last one, or not allowed to: no_new_privs holds
			}
		}
		_ = unix.Prctl(unix.PR_SET_SECUREBITS, noRoot|noRootLocked, 0, 0, 0) // as above
	}
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) // as above
	if err := dropCapabilities(); err != nil {
		return err
	}
	return checkNoCapabilities()
}

// checkNoCapabilities makes sure that the calling thread has none left.
func checkNoCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	if _, _, errno := unix.RawSyscall(unix.SYS_CAPGET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&have[0])), 0); errno != 0 {
		return errno
	}
	if have != ([2]unix.CapUserData{}) {
		return errors.New("capabilities are left")
	}
	return nil
}
