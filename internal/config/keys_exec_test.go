package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExecKeys(t *testing.T) {
	t.Parallel()
	usual := Exec{Ask: "on-miss", Sandbox: "auto", TimeoutMs: 300_000, MaxOutputBytes: 65536}
	for _, c := range []struct {
		flags []string
		want  func(*Exec)
		fails string
	}{
		{want: func(*Exec) {}},
		{
			flags: []string{`tools.exec.allow=["git log *"]`, "tools.exec.ask=off", "tools.exec.askClient=true", "tools.exec.sandbox=always", "tools.exec.timeoutMs=1", "tools.exec.maxOutputBytes=99999999"},
			want: func(e *Exec) {
				*e = Exec{Allow: []string{"git log *"}, Ask: "off", AskClient: true, Sandbox: "always", TimeoutMs: 1000, MaxOutputBytes: 1 << 20}
			},
		},
		{flags: []string{`tools.exec.path=["~/go/bin", "/opt/x/"]`, `tools.exec.readable=["/srv"]`}, want: func(e *Exec) {
			e.Path, e.Readable = []string{"/home/me/go/bin", "/opt/x"}, []string{"/srv"}
		}},
		{flags: []string{`tools.exec.path=["bin"]`}, fails: "tools.exec.path[0]"},
		{flags: []string{`tools.exec.path=["/a:/b"]`}, fails: "tools.exec.path[0]"},
		{flags: []string{`tools.exec.readable=["/a", ""]`}, fails: "tools.exec.readable[1]"},
		{flags: []string{"tools.exec.ask=perhaps"}, fails: "tools.exec.ask"},
	} {
		got, _, err := Load(Options{Home: "/home/me", Flags: c.flags})
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%q: %v", c.flags, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.flags, err)
			continue
		}
		want := usual
		c.want(&want)
		if diff := cmp.Diff(want, got.Tools.Exec); diff != "" {
			t.Errorf("%q: %s", c.flags, diff)
		}
	}
}
