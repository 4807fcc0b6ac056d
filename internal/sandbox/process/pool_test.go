package process

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib/internal/sandbox"
)

func TestOptionsAreChecked(t *testing.T) {
	command := func() (*exec.Cmd, error) { return exec.Command("cat"), nil }
	for _, bad := range []Options{{}, {Name: "x"}, {Command: command}, {Name: "x", Command: command, Running: -1}, {Name: "x", Command: command, StartTimeout: -1}} {
		if p, err := New(bad); err == nil {
			t.Errorf("%+v was taken", bad)
			_ = p.Close()
		}
	}
}

// A child that says nothing, and one that says nonsense, is given up.
func TestChildrenThatAreNone(t *testing.T) {
	tests := []struct {
		name    string
		command []string
		says    string
	}{
		{"silent", []string{"sleep", "60"}, "said nothing in time"},
		{"gone", []string{"true"}, "ended without a word"},
		{"nonsense", []string{"sh", "-c", "echo hello, I am a shell"}, "protocol violated"},
		{"complaint", []string{"sh", "-c", "echo no such flag >&2; exit 2"}, "no such flag"},
		{"flood", []string{"sh", "-c", "yes complaint | head -c 100000 >&2; exit 2"}, "complaint"},
		{"other version", []string{"sh", "-c", `printf '\000\000\000\016R{"version":9}'; sleep 60`}, "version 9"},
		{"failed", []string{"sh", "-c", `printf '\000\000\000\043R{"version":1,"error":"no seccomp"}'; sleep 60`}, "no seccomp"},
		{"too early", []string{"sh", "-c", `printf '\000\000\000\003d{}'; sleep 60`}, "the first frame"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, err := New(Options{Name: "test", StartTimeout: 2 * time.Second, Command: func() (*exec.Cmd, error) {
				return exec.Command(test.command[0], test.command[1:]...), nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			_, err = p.Run(t.Context(), sandbox.Script{Code: "return 1"}, nil)
			if err == nil || !strings.Contains(err.Error(), test.says) || len(err.Error()) > 5000 {
				t.Errorf("the error is %v, want %q in it", err, test.says)
			}
		})
	}
}
