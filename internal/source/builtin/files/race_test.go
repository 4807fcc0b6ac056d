package files

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// rounds is how many calls of each tool a race sees.
func rounds() int {
	if testing.Short() {
		return 50
	}
	return 200
}

// TestAFolderThatBecomesALink: while calls run, a folder on their way is
// exchanged for a link to the outside, again and again. Calls may fail; none may
// bring in what is outside, or change it.
func TestAFolderThatBecomesALink(t *testing.T) {
	t.Parallel()
	d := at(t).put(map[string]string{"in/secret": "a crown of paper", "in/deep/secret": "a crown of paper"})
	outside := d.outside()
	real, link, kept := filepath.Join(d.dir, "in"), filepath.Join(filepath.Dir(d.dir), "link"), filepath.Join(filepath.Dir(d.dir), "kept")
	d.link(outside, "probe") // skips where there are none
	if err := os.Remove(filepath.Join(d.dir, "probe")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	swaps, stop := d.swap(real, link, kept)
	good, bad := 0, 0
	for range rounds() {
		for tool, a := range everyTool("in/secret") {
			if tool == "list" || tool == "find" {
				a["path"] = "in"
			}
			r, err := d.try(tool, a)
			for _, c := range r.Content {
				if strings.Contains(c.Text, secret) {
					t.Fatalf("%s brought in what is outside: %s", tool, c.Text)
				}
			}
			if err != nil {
				bad++
			} else {
				good++
			}
		}
		d.try("write", args{"path": "in/secret", "content": "a crown of paper", "overwrite": true})
		d.try("write", args{"path": "in/new/file", "content": "x", "overwrite": true})
		d.try("grep", args{"pattern": "crown"})
	}
	close(stop)
	t.Logf("%d calls succeeded, %d failed, %d swaps", good, bad, swaps.Load())
	if good == 0 || bad == 0 || swaps.Load() == 0 {
		t.Errorf("no race: %d calls succeeded, %d failed, %d swaps", good, bad, swaps.Load())
	}
	d.unharmed()
}

// swap exchanges two names until stop is closed.
func (d desk) swap(real, link, kept string) (swaps *atomic.Int64, stop chan struct{}) {
	swaps, stop = new(atomic.Int64), make(chan struct{})
	ended := make(chan struct{})
	d.t.Cleanup(func() { <-ended })
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
			}
			for _, step := range [][2]string{{real, kept}, {link, real}, {real, link}, {kept, real}} {
				if err := rename(step[0], step[1]); err != nil {
					d.t.Errorf("swap: %v", err)
					return
				}
			}
			swaps.Add(1)
		}
	}()
	return swaps, stop
}

// rename moves a file, and makes way where a call has just made a folder of that name.
func rename(from, to string) (err error) {
	for range 100 {
		if err = os.Rename(from, to); err == nil {
			return nil
		}
		os.RemoveAll(to)
	}
	return err
}

// TestAFileThatBecomesALink is the same with the file at the end.
func TestAFileThatBecomesALink(t *testing.T) {
	t.Parallel()
	d := at(t).put(map[string]string{"file": "a crown of paper"})
	outside := d.outside()
	dir := filepath.Dir(d.dir)
	d.link(filepath.Join(outside, "secret"), "probe")
	if err := os.Rename(filepath.Join(d.dir, "probe"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	swaps, stop := d.swap(filepath.Join(d.dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "kept"))
	for range rounds() {
		for _, tool := range []string{"read", "grep"} {
			r, _ := d.try(tool, everyTool("file")[tool])
			for _, c := range r.Content {
				if strings.Contains(c.Text, secret) {
					t.Fatalf("%s brought in what is outside: %s", tool, c.Text)
				}
			}
		}
	}
	close(stop)
	if swaps.Load() == 0 {
		t.Error("no race")
	}
	d.unharmed()
}

// TestChangesDontGetLost: edits of one file at once, and writes of a new one.
func TestChangesDontGetLost(t *testing.T) {
	t.Parallel()
	d := at(t)
	done := make(chan error)
	d.put(map[string]string{"count": "|"})
	for range 8 {
		go func() {
			_, err := d.try("edit", args{"path": "count", "edits": []args{{"oldText": "|", "newText": "|+"}}})
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got := d.disk("count"); got != "|++++++++" {
		t.Errorf("eight edits made %q", got)
	}
	for range 8 {
		go func() {
			_, err := d.try("write", args{"path": "new", "content": "x"})
			done <- err
		}()
	}
	made := 0
	for range 8 {
		if err := <-done; err == nil {
			made++
		}
	}
	if made != 1 {
		t.Errorf("%d of eight writes made the file", made)
	}
}
