//go:build unix

package child

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
)

// watchScript reads the groups that live from its stdin. When that ends, the
// gateway is gone: after a clean end no group is left, after kill -9 all are,
// and the script ends them.
const watchScript = `trap '' INT TERM HUP QUIT
groups=
while read -r op id; do
  rest=
  for g in $groups; do [ "$g" = "$id" ] || rest="$rest $g"; done
  groups=$rest
  [ "$op" = + ] && groups="$groups $id"
done
[ -z "$groups" ] && exit 0
for g in $groups; do kill -s TERM -- "-$g"; done
sleep 1
for g in $groups; do kill -s KILL -- "-$g"; done
`

// watchdog is a small process that outlives a killed gateway for as long as it
// takes to end the gateway's children. The zero watchdog starts when it is first needed.
type watchdog struct {
	mu     sync.Mutex
	pipe   *os.File
	pid    int
	gone   chan struct{}
	groups map[int]bool
	closed bool
}

// start starts the process unless it runs. Without a shell there is no
// watchdog, and the system's own means must do.
func (w *watchdog) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ensure()
}

// ensure starts the process; the lock is held.
func (w *watchdog) ensure() {
	if w.pipe != nil || w.closed {
		return
	}
	r, pipe, err := os.Pipe()
	if err != nil {
		return
	}
	defer r.Close()
	cmd := &exec.Cmd{
		Path: "/bin/sh", Args: []string{"sh", "-c", watchScript}, Stdin: r, Dir: "/",
		Env:         []string{"PATH=/usr/bin:/bin"},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err := cmd.Start(); err != nil {
		_ = pipe.Close()
		return
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = cmd.Wait()
	}()
	w.pipe, w.pid, w.gone = pipe, cmd.Process.Pid, gone
	for _, id := range slices.Sorted(maps.Keys(w.groups)) {
		fmt.Fprintf(w.pipe, "+ %d\n", id)
	}
}

// add puts a group under watch.
func (w *watchdog) add(id int) { w.tell("+", id) }

// remove takes a group from the watch.
func (w *watchdog) remove(id int) { w.tell("-", id) }

// tell notes a change and sends it. A watchdog that died is replaced.
func (w *watchdog) tell(op string, id int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.groups == nil {
		w.groups = map[int]bool{}
	}
	if op == "+" {
		w.groups[id] = true
	} else {
		delete(w.groups, id)
	}
	if w.pipe == nil {
		return
	}
	if _, err := fmt.Fprintf(w.pipe, "%s %d\n", op, id); err != nil {
		_ = w.pipe.Close()
		w.pipe = nil
		w.ensure()
	}
}

// close lets the watchdog end and waits for it.
func (w *watchdog) close() {
	w.mu.Lock()
	w.closed = true
	pipe, gone := w.pipe, w.gone
	w.pipe = nil
	w.mu.Unlock()
	if pipe != nil {
		_ = pipe.Close()
		<-gone
	}
}
