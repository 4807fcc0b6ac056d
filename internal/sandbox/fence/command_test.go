//go:build linux && (amd64 || arm64)

package fence_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
)

// commandChild becomes a command behind the fence.
func commandChild(args []string) error {
	var c fence.Command
	if err := json.Unmarshal([]byte(args[0]), &c); err != nil {
		return err
	}
	c.Env = []string{"PATH=/usr/bin:/bin"}
	return fence.ExecCommand(fence.Options{Parent: os.Getppid()}, c)
}

// shell runs a script behind the fence for commands, with a mount namespace of its
// own or without. Where there can be none, own skips the test.
func (u user) shell(t *testing.T, path, dir, script string, own bool) string {
	t.Helper()
	order, err := json.Marshal(fence.Command{Path: "/bin/sh", Args: []string{"sh", "-c", script}, Dir: dir, Own: own, Write: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	cmd := u.command(path, "command", string(order))
	if own {
		fence.CommandAttr(cmd.SysProcAttr)
		if u.attr != nil { // the starter is root, and starts it as somebody else
			cmd.SysProcAttr.AmbientCaps = nil
		}
	}
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !asExit(err, &exit) {
		t.Skipf("no namespaces: %v", err)
	}
	return string(out)
}

func asExit(err error, into **exec.ExitError) bool {
	exit, ok := err.(*exec.ExitError)
	*into = exit
	return ok
}

// open is a folder that everybody may write to.
func openFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "fence")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestCommandMetadata: owners, modes and times of files elsewhere stay as they
// are, though Landlock doesn't cover them and the user owns the files.
func TestCommandMetadata(t *testing.T) {
	needFence(t)
	path := binary(t)
	for _, u := range users() {
		for _, own := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, own mounts %t", u.name, own), func(t *testing.T) {
				dir, elsewhere := openFolder(t), openFolder(t)
				file := filepath.Join(elsewhere, "file")
				if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
					t.Fatal(err)
				}
				if u.attr != nil {
					if err := os.Chown(file, int(u.attr.Uid), int(u.attr.Gid)); err != nil {
						t.Fatal(err)
					}
				}
				before := look(t, file)
				out := u.shell(t, path, dir, fmt.Sprintf(`f=%s
					chmod 777 $f && echo CHMOD; touch -d 2001-01-01 $f && echo TOUCH; chgrp $(id -g) $f && echo CHGRP
					mv $f mine && echo MV; ln $f mine && echo LN; rm -f $f; echo y >> $f && echo WRITE; cat $f && echo READ
					echo inside > mine && cat mine && rm mine`, file), own)
				if after := look(t, file); after != before {
					t.Errorf("it was %s and is %s", before, after)
				}
				for _, word := range []string{"CHMOD", "TOUCH", "CHGRP", "MV", "LN", "WRITE", "READ"} {
					if strings.Contains(out, word+"\n") {
						t.Errorf("%s worked: %s", word, out)
					}
				}
				if !strings.HasSuffix(out, "inside\n") {
					t.Errorf("got %s", out)
				}
			})
		}
	}
}

// look is all that can be seen of a file.
func look(t *testing.T, file string) string {
	t.Helper()
	var s syscall.Stat_t
	if err := syscall.Stat(file, &s); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(s.Mode, s.Uid, s.Gid, s.Size, s.Nlink, s.Mtim, s.Ctim)
}

// TestCommandIsConfined looks at a command from outside, and from a child of it.
func TestCommandIsConfined(t *testing.T) {
	needFence(t)
	path := binary(t)
	for _, u := range users() {
		t.Run(u.name, func(t *testing.T) {
			out := u.shell(t, path, openFolder(t), `cat /proc/self/status > /dev/null 2>&1; while read -r l; do echo "$l"; done < /proc/$$/status; ulimit -c; ls /`, false)
			for _, want := range []string{"NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000", "CapPrm:\t0000000000000000", "CapAmb:\t0000000000000000"} {
				if !strings.Contains(out, want) {
					t.Errorf("%s is missing: %s", want, out)
				}
			}
			if !strings.Contains(out, "Permission denied") {
				t.Errorf("/ could be listed: %s", out)
			}
		})
	}
}

func TestCommandNeedsItsPaths(t *testing.T) {
	needFence(t)
	for _, c := range []fence.Command{{}, {Path: "sh", Args: []string{"sh"}}, {Path: "/bin/sh"}} {
		if err := fence.ExecCommand(fence.Options{}, c); err == nil || !strings.Contains(err.Error(), "absolute path") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
