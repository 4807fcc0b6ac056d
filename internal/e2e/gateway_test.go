package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// running is a `toolcrib serve` that listens.
type running struct {
	*home
	cmd    *exec.Cmd
	url    string
	addr   string
	socket string
	pid    int
	log    *logBuffer
	ended  chan struct{}
	stop   sync.Once
}

// logBuffer keeps what a process says, and can be read meanwhile.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// serve starts `toolcrib serve` at a free port. It is asked to end with the
// test, and must end well and leave no process behind.
func (h *home) serve(args ...string) *running {
	h.t.Helper()
	r := h.serveUnwatched(args...)
	h.t.Cleanup(r.end)
	return r
}

// serveUnwatched is serve for a test that ends it by itself.
func (h *home) serveUnwatched(args ...string) *running {
	h.t.Helper()
	r := &running{home: h, log: &logBuffer{}, ended: make(chan struct{})}
	r.cmd = exec.Command(binary, append([]string{"serve", "--json", "--listen", "127.0.0.1:0", "--config", h.config}, args...)...)
	r.cmd.Env = h.environ()
	r.cmd.Stderr = r.log
	// A pipe of our own: Wait would close one of the command's while it is read.
	out, in, err := os.Pipe()
	if err != nil {
		h.t.Fatal(err)
	}
	r.cmd.Stdout = in
	if err := r.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	in.Close()
	go func() {
		defer close(r.ended)
		_ = r.cmd.Wait()
	}()
	h.t.Cleanup(func() {
		out.Close()
		_ = r.cmd.Process.Kill()
		<-r.ended
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		<-r.ended
		h.t.Fatalf("serve said nothing: %v\n%s", err, r.log)
	}
	var ready struct {
		URL, Socket string
		PID         int
	}
	if err := json.Unmarshal(line, &ready); err != nil {
		h.t.Fatal(err)
	}
	r.url, r.socket, r.pid = ready.URL, ready.Socket, ready.PID
	r.addr = strings.TrimSuffix(strings.TrimPrefix(r.url, "http://"), "/mcp")
	return r
}

// end asks the gateway to end, as the system does, and sees that it does so well.
func (r *running) end() {
	r.t.Helper()
	r.stop.Do(func() {
		if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			r.t.Errorf("serve is gone already: %v\n%s", err, r.log)
			return
		}
		exits(r.t, r.cmd, r.ended, r.log)
		if r.t.Failed() {
			r.t.Logf("log of serve:\n%s", r.log)
		}
		nobodyLeft(r.t, r.dir)
	})
}

// exits waits for the end of a process, which must be a good one.
func exits(t testing.TB, cmd *exec.Cmd, ended <-chan struct{}, log *logBuffer) {
	t.Helper()
	select {
	case <-ended:
		if code := cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("it ended with %d (%s)\n%s", code, cmd.ProcessState, log)
		}
	case <-time.After(patience):
		_ = cmd.Process.Signal(syscall.SIGABRT)
		<-ended
		t.Errorf("it did not end within %v\n%s", patience, log)
	}
}

// ready waits until each of the servers is ready.
func (r *running) ready(names ...string) {
	r.t.Helper()
	var last map[string]serverLine
	deadline := time.Now().Add(patience)
	for {
		last = r.servers()
		waiting := 0
		for _, name := range names {
			if last[name].State != "ready" {
				waiting++
			}
		}
		if waiting == 0 {
			return
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("not all of %v became ready: %+v\n%s", names, last, r.log)
		}
		time.Sleep(50 * time.Millisecond) // the other process can't tell us
	}
}
