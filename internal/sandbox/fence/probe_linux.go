//go:build amd64 || arm64

package fence

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Probe says what this machine can isolate. It confines nothing: it asks the
// kernel for versions.
func Probe() Report {
	seccomp := seccompPiece()
	landlock := landlockPiece()
	return Report{
		Kernel: seccomp.OK,
		Files:  seccomp.OK && landlock.OK,
		Pieces: []Piece{
			{Name: PieceDescriptors, OK: true, Detail: "a child closes every descriptor but its pipes"},
			userPiece(),
			{Name: PieceParent, OK: true, Detail: "the kernel kills a child with the thread that started it"},
			noNewPrivsPiece(),
			{Name: PieceLimits, OK: true, Detail: "no files, no core dumps, bounded descriptors and memory"},
			landlock,
			seccomp,
		},
	}
}

func userPiece() Piece {
	p := Piece{Name: PieceUser, OK: true, Detail: fmt.Sprintf("a child runs as user %d, as this program does", unix.Geteuid())}
	if unix.Geteuid() == 0 {
		p.Detail = fmt.Sprintf("a child of root becomes user %d, or drops all capabilities where that id isn't mapped", nobody)
	}
	return p
}

func noNewPrivsPiece() Piece {
	if _, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil {
		return Piece{Name: PieceNoNewPrivs, Detail: "the kernel doesn't know it: " + err.Error()}
	}
	return Piece{Name: PieceNoNewPrivs, OK: true, Detail: "programs that would give more rights give none"}
}

func landlockPiece() Piece {
	abi := landlockVersion()
	if abi == 0 {
		return Piece{Name: PieceLandlock, Detail: "the kernel has none (it needs Linux 5.13 and landlock among the security modules); seccomp holds without it"}
	}
	return Piece{Name: PieceLandlock, OK: true, Detail: fmt.Sprintf("version %d", abi)}
}

// seccompPiece asks whether the verdicts that the filter gives are known.
func seccompPiece() Piece {
	for _, action := range []uint32{unix.SECCOMP_RET_KILL_PROCESS, unix.SECCOMP_RET_ERRNO} {
		if err := actionKnown(action); err != nil {
			return Piece{Name: PieceSeccomp, Detail: "the kernel has no filters for system calls (it needs Linux 4.14): " + err.Error()}
		}
	}
	return Piece{Name: PieceSeccomp, OK: true, Detail: "a list of allowed system calls on all threads; the rest fail with EPERM"}
}
