//go:build unix

package httpapi

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/toolcrib/toolcrib"
)

// racerEnv makes the test binary a process that wants the socket of this path.
const racerEnv = "TOOLCRIB_TEST_SOCKET"

func TestMain(m *testing.M) {
	if path := os.Getenv(racerEnv); path != "" {
		race(path)
		return
	}
	os.Exit(m.Run())
}

// race waits for the end of stdin, wants the socket, says whether it got it, and
// then stays until it is killed.
func race(path string) {
	fmt.Println("here")
	_, _ = io.Copy(io.Discard, os.Stdin)
	l, err := ListenControl(path)
	if err != nil {
		fmt.Println(toolcrib.KindOf(err))
		return
	}
	fmt.Println("mine")
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		conn.Close()
	}
}

// racer is one such process.
type racer struct {
	cmd *exec.Cmd
	out *bufio.Reader
}

func (r racer) says(t *testing.T) string {
	t.Helper()
	line, err := r.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line[:len(line)-1]
}

// TestOneGetsTheSocket of processes that want it in the same moment, where a
// killed one has left its own.
func TestOneGetsTheSocket(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "c.sock")
	for round := range 40 {
		start, fire, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		var racers []racer
		for range 8 {
			cmd := exec.CommandContext(t.Context(), self)
			cmd.Env = append(os.Environ(), racerEnv+"="+path)
			cmd.Stdin = start
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			racers = append(racers, racer{cmd, bufio.NewReader(out)})
		}
		for _, r := range racers {
			r.says(t)
		}
		start.Close()
		fire.Close()
		got := 0
		for _, r := range racers {
			switch said := r.says(t); said {
			case "mine":
				got++
			case string(toolcrib.KindConfig):
			default:
				t.Errorf("round %d: an error of kind %q", round, said)
			}
		}
		if got != 1 {
			t.Errorf("round %d: %d processes have the socket", round, got)
		}
		if conn, err := net.Dial("unix", path); err != nil {
			t.Errorf("round %d: %v", round, err)
		} else {
			conn.Close()
		}
		for _, r := range racers {
			_ = r.cmd.Process.Kill()
			_ = r.cmd.Wait()
		}
	}
}
