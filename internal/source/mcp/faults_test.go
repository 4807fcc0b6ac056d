package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
)

func TestGarbageOnStdout(t *testing.T) {
	s := open(t, Options{Servers: []Server{fake(t, "a", "garbage")}})
	ready(t, s, "a")
	for range 3 {
		if got := said(t, s, "a", "echo", `{"text":"x"}`); got != `{"text":"x"}` {
			t.Errorf("echo: %s", got)
		}
	}
	lines, err := s.Log("a", 0)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(lines, "\n")
	for _, w := range []string{"Welcome to fake", `\x00\x01`, "debug: called", "progress..."} {
		if !strings.Contains(all, w) {
			t.Errorf("the log doesn't hold %q:\n%s", w, all)
		}
	}
}

// TestSilentServer never answers: others are ready meanwhile, and it is down with the reason.
func TestSilentServer(t *testing.T) {
	hasty := quick
	hasty.start, hasty.startMax = 300*time.Millisecond, 600*time.Millisecond
	s := open(t, Options{Servers: []Server{fake(t, "mute", "silent")}, tuning: hasty})
	got := down(t, s, "mute")
	if !strings.Contains(got.reason, "`initialize` was not answered in") {
		t.Errorf("reason %q", got.reason)
	}
	_, err := call(t, s, "mute", "echo", "{}")
	want(t, err, toolcrib.KindUnavailable, "mute", "not answered")
	slow := open(t, Options{Servers: []Server{fake(t, "mute", "silent"), fake(t, "good", "plain")}})
	ready(t, slow, "good")
	if l := listing(t, slow, "mute"); l.Known || l.State != toolcrib.StateStarting || l.Reason == "" {
		t.Errorf("listing of a silent server: %+v", l)
	}
}

// TestMuteDiscover is a server that ignores methods which it doesn't know.
func TestMuteDiscover(t *testing.T) {
	hasty := quick
	hasty.discover = 50 * time.Millisecond
	s := open(t, Options{Servers: []Server{fake(t, "old", "mute-discover")}, tuning: hasty})
	if got := ready(t, s, "old"); got.protocol != "2024-11-05" {
		t.Errorf("speaks %q", got.protocol)
	}
}

// TestSlowStart waits for a server that starts, in a call too.
func TestSlowStart(t *testing.T) {
	s := open(t, Options{Servers: []Server{fake(t, "slow", "slow=700ms")}})
	if got := said(t, s, "slow", "echo", `{}`); got != `{}` {
		t.Errorf("echo: %s", got)
	}
}

func TestDiesAtStart(t *testing.T) {
	s := open(t, Options{
		Servers: []Server{fake(t, "bad", "exit=7"), fake(t, "good", "plain")},
		Redact:  func(s string) string { return strings.ReplaceAll(s, "s3cret", "***") },
	})
	got := down(t, s, "bad")
	if !strings.Contains(got.reason, "exited with code 7") || !strings.Contains(got.reason, "cannot find module: ***") {
		t.Errorf("reason %q", got.reason)
	}
	ready(t, s, "good")
	_, err := call(t, s, "bad", "echo", "{}")
	want(t, err, toolcrib.KindUnavailable, "bad", "code 7")
	if lines, _ := s.Log("bad", 0); strings.Contains(strings.Join(lines, ""), "s3cret") {
		t.Error("the log holds a secret")
	}
	if st := s.Status()[0]; st.State != toolcrib.StateDown && st.State != toolcrib.StateStarting || st.Transport != "stdio" {
		t.Errorf("status %+v", st)
	}
}

func TestNoCommand(t *testing.T) {
	s := open(t, Options{Servers: []Server{
		{Name: "n", Command: "npx", Enabled: true, Env: map[string]string{"PATH": t.TempDir()}},
		{Name: "cwd", Command: "sh", Cwd: filepath.Join(t.TempDir(), "absent"), Enabled: true},
		{Name: "none", Enabled: true},
		{Name: "off", Command: "x"},
		{Name: "pattern", Command: "x", Allow: []string{" "}, Enabled: true},
	}})
	if got := down(t, s, "n"); got.reason != `command "npx" not found: install Node.js, or give its full path in mcp.servers.n.command` {
		t.Errorf("reason %q", got.reason)
	}
	if got := down(t, s, "cwd"); !strings.Contains(got.reason, "mcp.servers.cwd.cwd") {
		t.Errorf("reason %q", got.reason)
	}
	for name, c := range map[string]struct {
		state toolcrib.State
		word  string
	}{
		"none":    {toolcrib.StateDown, "set mcp.servers.none.command"},
		"off":     {toolcrib.StateDisabled, "switched off"},
		"pattern": {toolcrib.StateDown, "mcp.servers.pattern.allow[0]"},
	} {
		l := listing(t, s, name)
		if l.State != c.state || !strings.Contains(l.Reason, c.word) {
			t.Errorf("%s is %s: %s", name, l.State, l.Reason)
		}
		_, err := call(t, s, name, "x", "{}")
		want(t, err, toolcrib.KindUnavailable, c.word)
		want(t, s.Restart(t.Context(), name), toolcrib.KindUnavailable, c.word)
	}
	_, err := call(t, s, "nobody", "x", "{}")
	want(t, err, toolcrib.KindNotFound, "nobody")
}

// TestDiesInCall says what happened, that there may be an effect, and starts the server again.
func TestDiesInCall(t *testing.T) {
	s := open(t, Options{Servers: []Server{fake(t, "a", "dies")}})
	ready(t, s, "a")
	_, err := call(t, s, "a", "echo", "{}")
	want(t, err, toolcrib.KindUnavailable, "died while", "code 3", "out of cheese", "may have happened")
	await(t, s, "a", "started again", func(c condition) bool { return c.state == toolcrib.StateReady && c.starts == 2 })
}

func TestCallBounds(t *testing.T) {
	config := fake(t, "a", "hangs")
	config.Timeout = 100 * time.Millisecond
	s := open(t, Options{Servers: []Server{config}})
	ready(t, s, "a")
	_, err := call(t, s, "a", "echo", "{}")
	want(t, err, toolcrib.KindTimeout, "100ms", "mcp.servers.a.timeoutMs")
	awaitLog(t, s, "a", "was cancelled")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Execute(ctx, toolcrib.Call{Tool: toolcrib.Tool{Owner: "a", Name: "echo"}})
	want(t, err, toolcrib.KindCanceled, "cancelled")
	_, err = call(t, s, "a", "gone", "{}")
	want(t, err, toolcrib.KindUnavailable, "any more")
}

// TestModernStdio speaks the newest protocol over stdio: changes and questions.
func TestModernStdio(t *testing.T) {
	s := open(t, Options{Servers: []Server{fake(t, "sdk", "sdk")}})
	ready(t, s, "sdk")
	_, err := call(t, s, "sdk", "ask", `{"text":""}`)
	want(t, err, toolcrib.KindTool, "asks for input")
	if _, err := call(t, s, "sdk", "grow", `{"text":""}`); err != nil {
		t.Fatal(err)
	}
	await(t, s, "sdk", "changed", func(c condition) bool {
		_, ok := c.list.find("added")
		return ok
	})
}

// TestHugeStderr floods the log, which stays within its bounds.
func TestHugeStderr(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Servers: []Server{fake(t, "a", "noisy")}, LogDir: dir})
	ready(t, s, "a")
	said(t, s, "a", "echo", "{}")
	await(t, s, "a", "ready", func(condition) bool { return true })
	lines, _ := s.Log("a", 0)
	if len(lines) > maxRecent {
		t.Errorf("%d lines in memory", len(lines))
	}
	for _, name := range []string{"a.log", "a.log.old"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > maxLogFile+2*maxLogLine || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %d bytes, %s", name, info.Size(), info.Mode())
		}
	}
}

func TestProgress(t *testing.T) {
	s := open(t, Options{Servers: []Server{fake(t, "a", "progress"), fake(t, "sdk", "sdk")}})
	ready(t, s, "a")
	var mu sync.Mutex
	got := map[string][]toolcrib.Progress{}
	var wait sync.WaitGroup
	for i := range 8 {
		id := fmt.Sprint("call", i)
		wait.Go(func() {
			_, err := s.Execute(limit(t), toolcrib.Call{
				ID: id, Tool: toolcrib.Tool{Owner: "a", Name: "echo"},
				Progress: func(p toolcrib.Progress) {
					mu.Lock()
					defer mu.Unlock()
					got[id] = append(got[id], p)
				},
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for id, p := range got {
		if diff := cmp.Diff([]toolcrib.Progress{{Done: 1, Total: 2, Message: "half"}, {Done: 2, Total: 2}}, p); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
	if len(got) != 8 {
		t.Errorf("%d calls had progress", len(got))
	}
	ready(t, s, "sdk")
	checkProgress(t, s, "sdk")
}

// TestOffersNothing answers a server's questions with what wasn't offered: nothing.
func TestOffersNothing(t *testing.T) {
	s := open(t, Options{Servers: []Server{fake(t, "a", "asks")}})
	ready(t, s, "a")
	got := said(t, s, "a", "echo", "{}")
	if !strings.Contains(got, `"roots":[]`) || !strings.Contains(got, "does not support elicitation") {
		t.Errorf("answers: %s", got)
	}
}

// TestEnviron gives a child the base and what is configured, and nothing else.
func TestEnviron(t *testing.T) {
	config := fake(t, "a", "environ")
	config.Env["MINE"] = "1"
	config.Env["LANG"] = "xx"
	config.Env[Marker] = "another"
	s := open(t, Options{Servers: []Server{config}, Environ: []string{
		"PATH=/usr/bin:/bin", "LANG=C", "AWS_SECRET=s3cret", "https_proxy=http://p", "npm_config_registry=http://r",
		"npm_config_//r/:_authToken=s3cret", "LC_ALL=C", "XDG_CACHE_HOME=/c", "TOOLCRIB_GATEWAY__TOKEN=s3cret",
	}})
	got := strings.Split(said(t, s, "a", "echo", "{}"), "\n")
	slices.Sort(got)
	wanted := []string{
		"LANG=xx", "LC_ALL=C", "MINE=1", "PATH=/usr/bin:/bin", "TOOLCRIB_FAKE_SERVER=environ", "TOOLCRIB_STARTED_AS=a", "XDG_CACHE_HOME=/c",
		"https_proxy=http://p", "npm_config_registry=http://r",
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Error(diff)
	}
}

// TestResults reads odd results: what can be used is, and the rest says that the tool ran.
func TestResults(t *testing.T) {
	for _, c := range []struct{ raw, text, details, fault string }{
		{`{"content":[]}`, "", "", ""},
		{`{}`, "", "", ""},
		{`{"content":"plain"}`, "plain", "", ""},
		{`{"content":{"type":"text","text":"one"}}`, "one", "", ""},
		{`{"content":null,"structuredContent":[1]}`, "", "[1]", ""},
		{`{"toolResult":{"a":1}}`, "", `{"a":1}`, ""},
		{`{"resultType":"complete","content":[{"type":"text","text":"x"}]}`, "x", "", ""},
		{`{"resultType":"task"}`, "", "", `"task"`},
		{`{"content":[7]}`, "", "", "block 1"},
		{`{"content":[{"text":"x"}]}`, "", "", "block 1"},
		{`{"content":true}`, "", "", "not an array"},
		{`{"isError":"yes"}`, "", "", "isError"},
		{`[]`, "", "", "not an object"},
	} {
		r, err := readResult(json.RawMessage(c.raw))
		if c.fault != "" {
			want(t, err, toolcrib.KindOutput, "did run", c.fault)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.raw, err)
			continue
		}
		text := ""
		if len(r.Content) > 0 {
			text = r.Content[0].Text
		}
		if text != c.text || string(r.Details) != c.details {
			t.Errorf("%s: %q, %s", c.raw, text, r.Details)
		}
	}
}
