//go:build linux

package node

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib/internal/sandbox"
)

// parentArg makes the test binary a program that runs a busy script with the
// Node named next.
const parentArg = "__node_parent"

func parentMain(args []string) error {
	r, err := New(Options{Node: args[0]})
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = r.Run(context.Background(), sandbox.Script{
		Code: "await host.running(); for (;;);", Functions: []string{"host.running"}, Limits: sandbox.Limits{Wall: time.Minute},
	}, func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		fmt.Println("running in", r.folder)
		return nil, nil
	})
	return err
}

// TestABusyNodeDiesWithItsParent kills the parent in a way that it can't see coming.
func TestABusyNodeDiesWithItsParent(t *testing.T) {
	for version, path := range found(t) {
		t.Run(version, func(t *testing.T) {
			parent := exec.Command("/proc/self/exe", parentArg, path)
			stdout, err := parent.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := parent.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(stdout).ReadString('\n')
			folder, ok := strings.CutPrefix(strings.TrimSpace(line), "running in ")
			if !ok {
				t.Fatalf("the parent said %q (%v)", line, err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(folder) })
			busy := childrenOf(t, parent.Process.Pid)
			if err := parent.Process.Signal(syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			_ = parent.Wait()
			if len(busy) == 0 {
				t.Fatal("the parent had no child")
			}
			for _, pid := range busy {
				gone(t, pid)
			}
		})
	}
}

// childrenOf lists the processes that a process started.
func childrenOf(t *testing.T, pid int) []string {
	t.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, list := range lists {
		if text, err := os.ReadFile(list); err == nil {
			all = append(all, strings.Fields(string(text))...)
		}
	}
	return all
}

// gone waits until the kernel has ended a process; a zombie that nobody waits for is ended.
func gone(t *testing.T, pid string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	t.Errorf("process %s lives on", pid)
}
