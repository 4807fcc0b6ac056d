//go:build unix

package files

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/toolcrib/toolcrib"
)

// TestSpecialFilesNeverHang: nobody is at the other end of the pipe.
func TestSpecialFilesNeverHang(t *testing.T) {
	t.Parallel()
	d := at(t).put(map[string]string{"file": "crown"})
	special := map[string]string{"pipe": "a pipe"}
	if err := syscall.Mkfifo(filepath.Join(d.dir, "pipe"), 0o666); err != nil {
		t.Skip(err)
	}
	if socket, err := net.Listen("unix", filepath.Join(d.dir, "sock")); err == nil {
		defer socket.Close()
		special["sock"] = "a socket"
	}
	if err := syscall.Mknod(filepath.Join(d.dir, "zero"), syscall.S_IFCHR|0o666, 1<<8|5); err == nil {
		special["zero"] = "a device"
	}
	d.link("pipe", "to-pipe")
	special["to-pipe"] = "a pipe"
	for name, what := range special {
		for tool, a := range everyTool(name) {
			if tool == "list" || tool == "find" {
				what = "no folder"
			} else {
				what = special[name]
			}
			d.refuse(tool, a, toolcrib.KindTool, what)
		}
		d.refuse("read", args{"path": name + "/x"}, toolcrib.KindTool, "no folder")
		d.refuse("write", args{"path": name + "/x", "content": ""}, toolcrib.KindTool, "no folder")
	}
	if text, _ := d.ask("grep", args{"pattern": "crown"}); text != "file\n1: crown\n" {
		t.Errorf("grep: %q", text)
	}
	if err := syscall.Mkfifo(filepath.Join(d.dir, ".gitignore"), 0o666); err != nil {
		t.Fatal(err)
	}
	if text, _ := d.ask("find", args{"pattern": "fi*"}); text != "file\n" {
		t.Errorf("find beside rules that are a pipe: %q", text)
	}
	os.Remove(d.dir + "/.gitignore")
}

// TestAWorkspaceThatIsAPipe is not waited for.
func TestAWorkspaceThatIsAPipe(t *testing.T) {
	t.Parallel()
	d := at(t)
	if err := os.Remove(d.dir); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(d.dir, 0o666); err != nil {
		t.Skip(err)
	}
	for tool, a := range everyTool("x") {
		d.refuse(tool, a, toolcrib.KindTool, "the workspace can't be")
	}
}
