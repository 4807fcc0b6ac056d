// Package memory keeps in the process what internal/store/sqlite keeps in a file:
// for programs that want nothing on disk, and for tests. It is bounded: the oldest
// events go when there are more than MaxEvents.
package memory
