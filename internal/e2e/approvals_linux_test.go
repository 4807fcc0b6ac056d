package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a person's screen and keyboard.
type terminal struct {
	t      testing.TB
	keys   *os.File // what is typed, and what is seen
	device *os.File // what a program gets
	seen   *logBuffer
}

// newTerminal opens a pseudo terminal.
func newTerminal(t testing.TB) *terminal {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("there are no pseudo terminals here: ", err)
	}
	t.Cleanup(func() { keys.Close() })
	if err := unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	device, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { device.Close() })
	x := &terminal{t: t, keys: keys, device: device, seen: &logBuffer{}}
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := keys.Read(buffer)
			_, _ = x.seen.Write(buffer[:n])
			if err != nil {
				return
			}
		}
	}()
	return x
}

// attach puts a command at the terminal.
func (x *terminal) attach(cmd *exec.Cmd) *exec.Cmd {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = x.device, x.device, x.device
	return cmd
}

func (x *terminal) types(line string) {
	x.t.Helper()
	if _, err := x.keys.WriteString(line + "\n"); err != nil {
		x.t.Fatal(err)
	}
}

// sees waits until a text is on the screen.
func (x *terminal) sees(text string) {
	x.t.Helper()
	defer func() {
		if x.t.Failed() {
			x.t.Logf("the screen:\n%s", x.seen)
		}
	}()
	eventually(x.t, text+" is on the screen", func() bool { return strings.Contains(x.seen.String(), text) })
}

// TestApprovalFromASecondTerminal: a person at a terminal answers; half of a terminal is none.
func TestApprovalFromASecondTerminal(t *testing.T) {
	t.Parallel()
	h := newHome(t, guarded(t, object{}))
	g := h.serve()
	g.ready("good")
	call := h.watering()
	id := h.asked().ID
	x := newTerminal(t)
	for name, half := range map[string]func(*exec.Cmd){
		"no screen":   func(c *exec.Cmd) { c.Stdout = &bytes.Buffer{} },
		"no keyboard": func(c *exec.Cmd) { c.Stdin = strings.NewReader("y\n") },
	} {
		cmd := x.attach(h.command("approvals", "resolve", id, "allow-once"))
		half(cmd)
		if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != 5 {
			t.Errorf("%s: it ended with %v", name, err)
		}
	}
	if err := x.attach(h.command("approvals", "resolve", id, "allow-once")).Run(); err != nil {
		t.Errorf("%v\n%s", err, x.seen)
	}
	x.sees("allow-once: mcp:good:water_plants")
	if o := call(); o.code != 0 {
		t.Errorf("the call: %+v", o)
	}
	if err := x.attach(h.command("approvals", "resolve", id, "deny")).Run(); err == nil {
		t.Error("it was answered twice")
	}
	x.sees("settled already")
}

// TestWatchAtATerminal: watch asks for an answer to each, one after the other. What
// was typed for a question that somebody else answered counts for no other.
func TestWatchAtATerminal(t *testing.T) {
	t.Parallel()
	h := newHome(t, guarded(t, object{}))
	g := h.serve()
	g.ready("good")
	x := newTerminal(t)
	watch := x.attach(h.command("approvals", "watch"))
	if err := watch.Start(); err != nil {
		t.Fatal(err)
	}
	x.sees("no call waits for an approval")
	first, before := h.watering(), time.Now()
	x.sees("Run water_plants of good?")
	x.sees(h.asked().ID)
	x.sees("y once, a always, n no, s skip?")
	x.types("what?")
	eventually(t, "the answer is old enough to be one", func() bool { return time.Since(before) > time.Second })
	x.types("y")
	if o := first(); o.code != 0 {
		t.Errorf("yes: %+v", o)
	}
	second := h.watering()
	theirs := h.asked()
	x.sees(theirs.ID)
	third := h.watering()
	eventually(t, "two wait", func() bool { return len(h.waitingApprovals()) == 2 })
	g.resolves(theirs.ID, "deny")
	x.sees("press Enter to go on")
	x.types("a\na") // meant for the second, twice: nobody can have read the third yet
	mine := h.asked()
	x.sees(mine.ID)
	x.sees("typed before the question was there")
	eventually(t, "the person has read it", func() bool { return time.Since(mine.Asked) > time.Second })
	if len(h.waitingApprovals()) != 1 {
		t.Error("an answer that was meant for another question counted")
	}
	x.types("n")
	if o := second(); o.code != 5 {
		t.Errorf("theirs: %+v", o)
	}
	if o := third(); o.code != 5 {
		t.Errorf("no: %+v", o)
	}
	if err := watch.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = watch.Wait()
}
