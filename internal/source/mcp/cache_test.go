package mcp

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
)

// TestRemembered answers from disk at once while the server starts again.
func TestRemembered(t *testing.T) {
	dir := t.TempDir()
	config := fake(t, "a", "exact", "--token=s3cret")
	config.Env["KEY"] = "s3cret"
	s := open(t, Options{Servers: []Server{config}, CacheDir: dir})
	ready(t, s, "a")
	before := listing(t, s, "a")
	_ = s.Close()
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) != 1 {
		t.Fatalf("files %v", files)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data)+files[0], "s3cret") {
		t.Error("the file holds a secret")
	}
	config.Env["KEY"] = "another" // a new value is the same server
	s = open(t, Options{Servers: []Server{config}, CacheDir: dir})
	after := s.Listings(t.Context(), toolcrib.Scope{})[0]
	if !after.Known {
		t.Fatal("the list isn't remembered")
	}
	if diff := cmp.Diff(before.Tools, after.Tools); diff != "" || before.Fingerprint != after.Fingerprint {
		t.Error(diff)
	}
	config.Args = []string{"other"}
	if _, err := (cache{dir}).load(&config); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another command finds the list: %v", err)
	}
}

// TestDamagedCache ignores what isn't a list of this server.
func TestDamagedCache(t *testing.T) {
	for _, text := range []string{
		"", "{", "null", "[]", `{"version":9}`, `{"version":1,"server":"b"}`,
		`{"version":1,"server":"a","tools":[{"name":""}]}`, `{"version":1,"server":"a","tools":[{"name":"x","parameters":7}]}`,
	} {
		dir := t.TempDir()
		config := fake(t, "a", "plain")
		if err := os.WriteFile((cache{dir}).file(&config), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if l, err := (cache{dir}).load(&config); err == nil {
			t.Errorf("%q is read as %v", text, l.tools)
		}
		s := open(t, Options{Servers: []Server{config}, CacheDir: dir})
		ready(t, s, "a")
		_ = s.Close()
		if l, err := (cache{dir}).load(&config); err != nil || len(l.tools) != 1 {
			t.Errorf("%q is not replaced: %v", text, err)
		}
	}
}

// TestCacheBounds removes the oldest lists, and keeps none that is too large.
func TestCacheBounds(t *testing.T) {
	c := cache{t.TempDir()}
	for i := range 6 {
		path := filepath.Join(c.dir, string(rune('a'+i))+".json")
		if err := os.WriteFile(path, make([]byte, maxCacheFile-1), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Duration(i-10)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	s := &Server{Name: "srv", Command: "x"}
	if err := c.save(s, newList([]toolcrib.Tool{{Name: "t"}}, nil)); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(c.dir, "*"))
	var total int64
	for _, f := range left {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	if total > maxCacheDir || len(left) != 4 || filepath.Base(left[0]) != "d.json" {
		t.Errorf("%d bytes in %v", total, left)
	}
	big := newList([]toolcrib.Tool{{Name: "t", Description: strings.Repeat("x", maxCacheFile)}}, nil)
	if err := c.save(s, big); err == nil {
		t.Error("a list over the bound is remembered")
	}
}
