package hook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// fakeEnv switches the test binary into a hook; its first argument says how it behaves.
const fakeEnv = "TOOLCRIB_HOOK_FAKE"

func TestMain(m *testing.M) {
	if os.Getenv(fakeEnv) != "" {
		os.Exit(runFake(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// runFake is a hook in a process of its own.
func runFake(args []string) int {
	in, _ := io.ReadAll(os.Stdin)
	switch args[0] {
	case "say": // these words
		fmt.Print(args[1])
	case "exit": // with this code, saying this
		fmt.Fprint(os.Stderr, args[2])
		fmt.Print(`{"decision": "allow"}`)
		var code int
		_, _ = fmt.Sscan(args[1], &code)
		return code
	case "keep": // what it was sent and its environment, in a file
		if err := os.WriteFile(args[1], append(in, []byte(strings.Join(os.Environ(), "\n"))...), 0o600); err != nil {
			return 1
		}
	case "append": // its word to a list in the arguments
		return appendWord(in, args[1])
	case "endless":
		line := bytes.Repeat([]byte("x"), 64<<10)
		for {
			if _, err := os.Stdout.Write(line); err != nil {
				return 0
			}
		}
	case "noisy": // on stderr, without end, and then an answer
		for range 100 {
			_, _ = os.Stderr.Write(bytes.Repeat([]byte("y"), 64<<10))
		}
		fmt.Print(`{"decision": "allow"}`)
	case "hang": // with a grandchild that ignores everything
		return hang(args[1], true)
	case "leave": // a grandchild behind, and the answer
		return hang(args[1], false)
	case "panic":
		panic("boom")
	case "signal":
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Kill()
		time.Sleep(time.Minute)
	}
	return 0
}

func appendWord(in []byte, word string) int {
	var call struct {
		Args struct {
			Words []string `json:"words"`
		} `json:"args"`
	}
	if err := json.Unmarshal(in, &call); err != nil {
		return 1
	}
	call.Args.Words = append(call.Args.Words, word)
	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"args": call.Args})
	return 0
}

// hang starts a grandchild and writes both process ids into a file.
func hang(file string, stay bool) int {
	cmd := exec.Command("/bin/sh", "-c", "trap '' TERM HUP INT; while :; do sleep 1; done")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return 1
	}
	if err := os.WriteFile(file+".new", fmt.Appendf(nil, "%d %d", os.Getpid(), cmd.Process.Pid), 0o600); err != nil {
		return 1
	}
	if err := os.Rename(file+".new", file); err != nil {
		return 1
	}
	fmt.Println(`{"decision": "allow"}`)
	if stay {
		time.Sleep(time.Hour)
	}
	return 0
}

// fake is a hook that runs the test binary.
func fake(t testing.TB, name string, args ...string) Hook {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Hook{Name: name, Event: Before, Command: self, Args: args, Env: map[string]string{fakeEnv: "1", "GORACE": "atexit_sleep_ms=0"}, Timeout: time.Minute}
}
