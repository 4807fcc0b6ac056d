//go:build amd64 || arm64

package fence

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in the kernel's struct seccomp_data; the machines here are little-endian.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArgs   = 16
)

const (
	loadWord   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	jumpEqual  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	jumpNotLow = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	jumpAnyBit = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	giveBack   = unix.BPF_RET | unix.BPF_K
)

// rule lets one system call through (or gives another verdict) when all its
// conditions hold. Several rules may name the same call: one must hold.
type rule struct {
	call    uintptr
	when    []condition
	verdict uint32
}

// condition is a test of the lower 32 bits of one argument, and of the upper
// where whole is set: the kernel itself reads flags, commands and ids from the
// lower half only.
type condition struct {
	arg   int
	op    uint16
	value uint32
	not   bool
	whole bool
}

// allow is a rule that lets a call through under conditions.
func allow(call uintptr, when ...condition) rule {
	return rule{call: call, when: when, verdict: unix.SECCOMP_RET_ALLOW}
}

// refuse is a rule that answers a call with an error of its own.
func refuse(call uintptr, with unix.Errno) rule {
	return rule{call: call, verdict: unix.SECCOMP_RET_ERRNO | uint32(with)}
}

func is(arg int, value uint32) condition {
	return condition{arg: arg, op: jumpEqual, value: value}
}

// isZero compares all 64 bits: for pointers.
func isZero(arg int) condition {
	return condition{arg: arg, op: jumpEqual, whole: true}
}

func hasNone(arg int, bits uint32) condition {
	return condition{arg: arg, op: jumpAnyBit, value: bits, not: true}
}

func hasAny(arg int, bits uint32) condition {
	return condition{arg: arg, op: jumpAnyBit, value: bits}
}

// assemble turns rules into a program that kills the process for calls of a
// foreign architecture and answers EPERM to those that no rule names.
func assemble(rules []rule) []unix.SockFilter {
	kill := unix.SockFilter{Code: giveBack, K: unix.SECCOMP_RET_KILL_PROCESS}
	program := []unix.SockFilter{
		{Code: loadWord, K: offsetArch},
		{Code: jumpEqual, K: auditArch, Jt: 1},
		kill,
		{Code: loadWord, K: offsetNumber},
	}
	if foreignNumbers != 0 {
		program = append(program, unix.SockFilter{Code: jumpNotLow, K: foreignNumbers, Jf: 1}, kill)
	}
	for _, r := range rules {
		program = append(program, r.block()...)
	}
	return append(program, unix.SockFilter{Code: giveBack, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)})
}

// block is the rule's part of the program. It is entered with the call's
// number loaded, and left past its end, with the number loaded, when the rule
// doesn't hold.
func (r rule) block() []unix.SockFilter {
	var body []unix.SockFilter
	for _, c := range r.when {
		body = append(body, c.test(offsetArgs+8*uint32(c.arg), c.value)...)
		if c.whole {
			body = append(body, c.test(offsetArgs+8*uint32(c.arg)+4, 0)...)
		}
	}
	body = append(body, unix.SockFilter{Code: giveBack, K: r.verdict})
	if len(r.when) > 0 {
		body = append(body, unix.SockFilter{Code: loadWord, K: offsetNumber})
	}
	fail := len(body) - 1 // the instruction that loads the number again
	for i, in := range body[:max(fail-1, 0)] {
		if in.Code == loadWord {
			continue
		}
		away := uint8(fail - i - 1)
		if in.Jt != 0 {
			body[i].Jt, body[i].Jf = away, 0
		} else {
			body[i].Jf = away
		}
	}
	return append([]unix.SockFilter{{Code: jumpEqual, K: uint32(r.call), Jf: uint8(len(body))}}, body...)
}

// test loads a word and jumps; a target of 1 marks the side that fails, which
// block fills in.
func (c condition) test(offset, value uint32) []unix.SockFilter {
	jump := unix.SockFilter{Code: c.op, K: value, Jf: 1}
	if c.not {
		jump.Jt, jump.Jf = 1, 0
	}
	return []unix.SockFilter{{Code: loadWord, K: offset}, jump}
}

// install puts a filter in force, for good, on all threads at once: the kernel
// refuses when a single thread can't take it.
func install(filter []unix.SockFilter, on threads) error {
	var flags uintptr
	if on == allThreads {
		flags = unix.SECCOMP_FILTER_FLAG_TSYNC
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	r, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return fmt.Errorf("fence: seccomp: %w", errno)
	}
	if r != 0 {
		return fmt.Errorf("fence: seccomp: thread %d can't take the filter", r)
	}
	return nil
}

// actionKnown asks whether the kernel has filters and knows this verdict.
func actionKnown(action uint32) error {
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	if errno != 0 {
		return errno
	}
	return nil
}
