//go:build amd64 || arm64

package fence

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// CommandAttr lets the process that will call ExecCommand have a mount namespace
// of its own, when this one may make them. A start that fails with it should be
// tried again without: not every system allows it.
func CommandAttr(attr *syscall.SysProcAttr) {
	attr.Cloneflags |= syscall.CLONE_NEWNS
	if os.Geteuid() == 0 {
		return
	}
	// Others make it in a user namespace, in which they stay who they are.
	attr.Cloneflags |= syscall.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN}
}

// seal makes everything but the folders unwritable in the mount namespace of this
// process, which must be its own.
func seal(writable []string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make the mounts private: %w", err)
	}
	trees := make([]int, 0, len(writable))
	for _, path := range writable {
		fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if err != nil {
			return fmt.Errorf("hold on to %s: %w", path, err)
		}
		defer unix.Close(fd)
		trees = append(trees, fd)
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("make the mounts unwritable: %w", err)
	}
	for i, path := range writable {
		if err := unix.MoveMount(trees[i], "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			return fmt.Errorf("put %s back: %w", path, err)
		}
	}
	var root unix.Statfs_t
	if err := unix.Statfs("/", &root); err != nil {
		return err
	}
	if root.Flags&unix.ST_RDONLY == 0 {
		return errors.New("/ can still be written")
	}
	return nil
}
