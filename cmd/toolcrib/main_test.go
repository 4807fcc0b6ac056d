package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/toolcrib/toolcrib/gateway"
)

func TestMain(m *testing.M) {
	gateway.SandboxMain() // the children of the program are this binary, under no name of its own
	testscript.Main(m, map[string]func(){"toolcrib": main})
}

// TestScripts runs the program as people do: each file in testdata/script is a
// session at a shell, with a home of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               homeOfItsOwn,
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve": serve,
			"json":  jsonValue,
			"code":  exitCode,
		},
	})
}

// homeOfItsOwn gives a script empty folders for configuration, state and cache,
// with short names, since a socket's path may not be long.
func homeOfItsOwn(env *testscript.Env) error {
	for name, dir := range map[string]string{"HOME": "h", "XDG_CONFIG_HOME": "c", "XDG_STATE_HOME": "s", "XDG_CACHE_HOME": "k"} {
		path := filepath.Join(env.WorkDir, dir)
		if err := os.MkdirAll(path, 0o700); err != nil {
			return err
		}
		env.Setenv(name, path)
	}
	env.Setenv("BASH_COMPLETION", bashCompletion())
	return nil
}

// condition knows "bash-completion": bash is there, and what its completions build on.
func condition(name string) (bool, error) {
	if name != "bash-completion" {
		return false, fmt.Errorf("there is no condition %q", name)
	}
	_, err := exec.LookPath("bash")
	return err == nil && bashCompletion() != "", nil
}

// bashCompletion is the file that a shell reads before its completions; "" when
// there is none.
func bashCompletion() string {
	for _, path := range []string{
		"/usr/share/bash-completion/bash_completion",
		"/opt/homebrew/share/bash-completion/bash_completion",
		"/usr/local/share/bash-completion/bash_completion",
	} {
		if isFile(path) {
			return path
		}
	}
	return ""
}

// serve starts "toolcrib serve ARGS... --json" and goes on when it listens. Its
// URL is in $URL, its control socket in $SOCKET. It is asked to end when the script does, and must do so well.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("serve can't be negated")
	}
	cmd := exec.Command(lookPath(ts, "toolcrib"), append([]string{"serve", "--json"}, args...)...)
	cmd.Dir = ts.Getenv("WORK")
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	log, err := os.Create(ts.MkAbs("serve.log"))
	ts.Check(err)
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		ts.Check(cmd.Process.Signal(os.Interrupt))
		if err := cmd.Wait(); err != nil {
			ts.Logf("serve: %v; its log:\n%s", err, ts.ReadFile("serve.log"))
			ts.Fatalf("serve did not end well when it was asked to")
		}
		ts.Check(log.Close())
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		ts.Fatalf("serve said nothing: %v\n%s", err, ts.ReadFile("serve.log"))
	}
	var ready struct{ URL, Socket string }
	ts.Check(json.Unmarshal(line, &ready))
	ts.Setenv("URL", ready.URL)
	ts.Setenv("SOCKET", ready.Socket)
	ts.Setenv("ADDR", strings.TrimSuffix(strings.TrimPrefix(ready.URL, "http://"), "/mcp"))
}

// lookPath finds a program on the script's own PATH.
func lookPath(ts *testscript.TestScript, name string) string {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if path := filepath.Join(dir, name); isFile(path) {
			return path
		}
	}
	ts.Fatalf("%s is not on PATH", name)
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// exitCode runs a program that must end with a code: "code 3 toolcrib ...".
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code NUMBER PROGRAM ARGS...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if want := args[0]; strconv.Itoa(got) != want {
		ts.Fatalf("the exit code is %d, want %s", got, want)
	}
}

// jsonValue checks a value in the last output: "json hits.0.id TEXT". A value
// that isn't text is compared as JSON; "!" says that it is another one.
func jsonValue(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: json PATH VALUE")
	}
	var value any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &value))
	for key := range strings.SplitSeq(args[0], ".") {
		value = step(ts, value, key)
	}
	got, ok := value.(string)
	if !ok {
		data, err := json.Marshal(value)
		ts.Check(err)
		got = string(data)
	}
	if (got == args[1]) == neg {
		ts.Fatalf("%s is %s, want it to be %s: %t", args[0], got, args[1], !neg)
	}
}

// step goes from a value to its member, by key or by number.
func step(ts *testscript.TestScript, value any, key string) any {
	switch v := value.(type) {
	case map[string]any:
		return v[key]
	case []any:
		var i int
		ts.Check(json.Unmarshal([]byte(key), &i))
		if i < len(v) {
			return v[i]
		}
	}
	return nil
}

// The document about the command line is what the program says.
func TestReferenceIsCurrent(t *testing.T) {
	for name, args := range map[string][]string{
		"cli.md":             {"docs", "cli"},
		"config.md":          {"docs", "config"},
		"config.schema.json": {"config", "schema"},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join("../../docs", name))
			if err != nil {
				t.Fatal(err)
			}
			got, err := program(t, args...).Output()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("docs/%s is stale: run make generate\n%s", name, diff)
			}
		})
	}
}

// program is the program with a home of its own.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("toolcrib", args...)
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home)
	return cmd
}
