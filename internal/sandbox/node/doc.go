// Package node is the sandbox runtime for those who want their scripts in
// V8: each runs in a short-lived Node process of its own. Node's permission model
// doesn't isolate, so on Linux the process is started through a launcher, which is
// the program's own binary: it fences itself in and then becomes Node. On
// other systems only a Node whose own switches pass a test at the start is used.
// What can't be isolated isn't offered: New says why.
//
// It owns the launcher, the choice of Node's flags and files, and the
// JavaScript that Node runs (bootstrap.js); the parent's side is package process,
// the script's is package prelude. It knows no tools.
package node
