//go:build unix

package child

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"
)

// TestWatchdogReplaced kills the watchdog: the next child starts another, which
// knows those that were there before.
func TestWatchdogReplaced(t *testing.T) {
	l := new(Launcher)
	defer l.Close()
	first := sleeper(t, l)
	w := &l.watch
	gone := w.gone
	if err := syscall.Kill(w.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-gone
	second := sleeper(t, l)
	if w.pipe == nil || w.gone == gone || len(w.groups) != 2 {
		t.Errorf("watchdog %v with groups %v", w.pipe, w.groups)
	}
	first()
	second()
	if len(w.groups) != 0 {
		t.Errorf("groups %v are left", w.groups)
	}
}

// sleeper starts a child, and returns what ends it.
func sleeper(t *testing.T, l *Launcher) (end func()) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "sleep 100 & wait")
	g, err := l.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		g.Kill()
		_ = cmd.Wait()
		g.Release()
	}
}

func TestClosedLauncherStartsNothing(t *testing.T) {
	l := new(Launcher)
	sleeper(t, l)()
	l.Close()
	l.Close()
	if _, err := l.Start(exec.Command("/bin/true")); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}
