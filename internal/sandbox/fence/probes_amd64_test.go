//go:build linux

package fence_test

import "golang.org/x/sys/unix"

var archProbes = []probe{
	{"old open", func(w world) unix.Errno { return call(unix.SYS_OPEN, text(w.dir+"/file"), 0, 0) }},
	{"old creat", func(w world) unix.Errno { return call(unix.SYS_CREAT, text(w.dir+"/file"), 0o644) }},
	{"old fork", func(world) unix.Errno { return fork(unix.SYS_FORK) }},
	{"old stat", func(w world) unix.Errno { return call(unix.SYS_STAT, text(w.dir+"/file"), block(256)) }},
	{"segment register", func(world) unix.Errno { return call(unix.SYS_ARCH_PRCTL, 0x1003, block(8)) }},
}
