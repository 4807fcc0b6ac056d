package node

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestVersions(t *testing.T) {
	tests := map[string]struct {
		text string
		want version
		fail bool
	}{
		"release":     {text: "v20.19.1\n", want: version{20, 19}},
		"preview":     {text: "v26.0.0-nightly20260101", want: version{26, 0}},
		"nothing":     {text: "", fail: true},
		"another":     {text: "Python 3.12.1", fail: true},
		"long number": {text: "v99999999999999999999.1.1", fail: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := parseVersion(test.text)
			if got != test.want || (err != nil) != test.fail {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

func FuzzVersion(f *testing.F) {
	f.Add("v20.19.1")
	f.Add("v.1.")
	f.Fuzz(func(t *testing.T, text string) {
		if v, err := parseVersion(text); err == nil && (v.major > 9999 || v.minor > 9999) {
			t.Errorf("%q gives %v", text, v)
		}
	})
}

func TestFlagsFitTheVersion(t *testing.T) {
	tests := []struct {
		version version
		want    string
		without string
	}{
		{version{20, 0}, "--experimental-permission", "sqlite"},
		{version{22, 12}, "--experimental-permission", ""},
		{version{22, 13}, "--permission", "--experimental-permission"},
		{version{23, 4}, "--experimental-permission", ""},
		{version{24, 0}, "--no-experimental-sqlite", "--experimental-permission"},
	}
	for _, test := range tests {
		list := " " + strings.Join(flags(test.version, 64<<20), " ") + " "
		if !strings.Contains(list, " "+test.want+" ") || test.without != "" && strings.Contains(list, test.without) {
			t.Errorf("%v has the flags%s", test.version, list)
		}
		if !strings.Contains(list, " --max-old-space-size=64 ") {
			t.Errorf("the heap isn't bounded:%s", list)
		}
	}
}

// TestNewSaysWhy has what is no Node, or one that is too old.
func TestNewSaysWhy(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the impostors are shell scripts")
	}
	dir := t.TempDir()
	impostor := func(name, says string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+says+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := map[string]struct {
		options Options
		want    string
	}{
		"none":            {Options{Path: dir}, "there is no node in the folders of PATH"},
		"relative folder": {Options{Path: "." + string(filepath.ListSeparator)}, "there is no node"},
		"no such file":    {Options{Node: filepath.Join(dir, "missing")}, "no such file"},
		"old":             {Options{Node: impostor("old", "echo v18.20.4")}, "needs Node 20 or later"},
		"another program": {Options{Node: impostor("other", "echo hello")}, "doesn't say its version"},
		"broken":          {Options{Node: impostor("broken", "exit 3")}, "ask"},
		"bad limits":      {Options{Data: -1}, "must not be negative"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := New(test.options)
			if err == nil {
				_ = r.Close()
				t.Fatal("it is offered")
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("it says %q, want %q in it", err, test.want)
			}
		})
	}
}
