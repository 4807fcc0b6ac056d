//go:build unix

package mcp

import (
	"testing"

	"github.com/toolcrib/toolcrib"
)

// TestUpdateStubborn replaces and removes servers that don't want to leave: the
// update doesn't wait for them, what takes a place does, and Close does.
func TestUpdateStubborn(t *testing.T) {
	a, b := fake(t, "a", "stubborn"), fake(t, "b", "stubborn")
	s := open(t, Options{Servers: []Server{a, b}})
	old, gone := ready(t, s, "a").pid, ready(t, s, "b").pid
	update(t, s, Change{Changed: []string{"a"}, Removed: []string{"b"}}, fake(t, "a", "silent"))
	if !alive(old) || !alive(gone) {
		t.Error("the update waited for them")
	}
	update(t, s, Change{Changed: []string{"a"}}, fake(t, "a", "plain"))
	if l := listing(t, s, "a"); l.State != toolcrib.StateStarting && alive(old) {
		t.Errorf("%s beside the former process", l.State)
	}
	ready(t, s, "a")
	if alive(old) {
		t.Error("the new one runs beside the former process")
	}
	update(t, s, Change{Added: []string{"b"}, Kept: []string{"a"}}, fake(t, "a", "plain"), b)
	if now := ready(t, s, "b"); alive(gone) {
		t.Errorf("process %d runs beside the former %d", now.pid, gone)
	}
	gone = ready(t, s, "b").pid
	update(t, s, Change{Removed: []string{"a", "b"}})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if alive(gone) || children(t) > 0 {
		t.Errorf("%d processes are left after Close", children(t))
	}
}
