//go:build linux && (amd64 || arm64)

package fence_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
)

// execChild becomes another program: its path, then its arguments.
func execChild(args []string) error {
	read := []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"}
	return fence.Exec(fence.Options{}, fence.Program{Path: args[0], Args: args, Read: read})
}

// TestAnotherProgramIsConfined turns a child into a shell, which then tries
// what a shell can.
func TestAnotherProgramIsConfined(t *testing.T) {
	if r := fence.Probe(); !r.Files {
		t.Skipf("this machine has no fence for other programs: %+v", r.Pieces)
	}
	shell, err := exec.LookPath("dash")
	if err != nil {
		t.Skip("no dash to run")
	}
	path := binary(t)
	tests := map[string]struct{ script, want string }{
		"runs":                               {`echo hello`, "hello"},
		"has no environment":                 {`echo "[$SECRET]"`, "[]"},
		"reads no file":                      {`read x < /etc/passwd || echo refused`, "refused"},
		"writes no file":                     {`echo x > DIR/file || echo refused`, "refused"},
		"makes no file":                      {`echo x > DIR/new || echo refused`, "refused"},
		"finds no other":                     {`for f in /etc/*; do echo "$f"; done`, "/etc/*"},
		"goes nowhere":                       {`cd /tmp || echo refused`, "refused"},
		"forks not":                          {`(echo child)`, "Cannot fork"},
		"runs nothing else":                  {`exec /bin/true`, "not permitted"},
		"signals nobody":                     {`kill -0 $PPID || echo refused`, "refused"},
		"reads no libraries' folder in /etc": {`read x < /etc/hosts || echo refused`, "refused"},
	}
	for _, u := range users() {
		for name, test := range tests {
			t.Run(u.name+" "+name, func(t *testing.T) {
				dir := folder(t, u)
				out, _ := u.command(path, "exec", shell, "-c", strings.ReplaceAll(test.script, "DIR", dir)).CombinedOutput()
				if !strings.Contains(string(out), test.want) {
					t.Errorf("the shell said %q, want %q in it", out, test.want)
				}
				if _, err := os.Stat(dir + "/new"); err == nil {
					t.Error("a file was made")
				}
			})
		}
	}
}

// probeProgram is the probes in the filter of another program: this test
// binary becomes itself, where cgo isn't linked and no library is needed.
func TestProbesInAnotherProgram(t *testing.T) {
	if r := fence.Probe(); !r.Files {
		t.Skipf("this machine has no fence for other programs: %+v", r.Pieces)
	}
	path := binary(t)
	// What a program may do to start: look, read what Landlock lets it, make code, ask about itself.
	may := map[string]bool{
		"stat": true, "access": true, "readlink": true, "duplicate a descriptor": true, "old stat": true, "the machine's name": true,
		"memory as code": true, "memory into code": true,
	}
	for _, u := range users() {
		t.Run(u.name, func(t *testing.T) {
			dir := folder(t, u)
			inherited, err := os.Open(dir + "/file")
			if err != nil {
				t.Fatal(err)
			}
			defer inherited.Close()
			cmd := u.command(path, "exec", path, childArg, "probe", "open", dir)
			cmd.ExtraFiles = []*os.File{inherited}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, line := range lines(string(out)) {
				name, errno, _ := strings.Cut(line, "\t")
				n, err := strconv.Atoi(errno)
				if err != nil {
					t.Fatalf("line %q", line)
				}
				switch answer := unix.Errno(n); {
				case may[name], answer == unix.EPERM, answer == unix.EACCES, answer == unix.ENOSYS, answer == unix.EBADF && name == "inherited descriptor":
				default:
					t.Errorf("%s: answer %v", name, answer)
				}
			}
			if got, want := len(lines(string(out))), len(allProbes()); got != want {
				t.Errorf("%d probes reported, want %d\n%s", got, want, out)
			}
		})
	}
}
