// Package fence owns the operating system's fence around a child process that
// runs foreign code: what the child gives up before it reads a script (Enter,
// and Exec for a child that becomes another program), how a parent starts such
// a child and makes sure that the fence stands (Starter, Check), and what this
// machine is able to isolate (Probe).
//
// On Linux the steps are, in this order: close what was inherited, leave root,
// die with the parent, no_new_privs, resource limits, Landlock, seccomp on all
// threads, a self-test. Seccomp is the wall: it lets through what a running Go
// program needs to compute and to use the descriptors that it has, and answers
// EPERM to all else. Landlock is a second wall behind it, and the one that
// tells files apart for a program that must open some to start. Other systems
// have the process boundary alone.
//
// It knows nothing of scripts, engines, frames or tools.
package fence
