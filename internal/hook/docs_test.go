package hook

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
)

// example writes the nth block of a language in docs/hooks.md into a file.
func example(t *testing.T, language string, n int) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/hooks.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) <= n {
		t.Fatalf("docs/hooks.md has %d blocks of %s", len(blocks), language)
	}
	file := filepath.Join(t.TempDir(), "example")
	if err := os.WriteFile(file, blocks[n][1], 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestShellExample(t *testing.T) {
	b := open(t, Hook{Name: "guard", Event: Before, Command: "/bin/sh", Args: []string{example(t, "sh", 0)}, Timeout: time.Minute})
	call := aCall(`{"command":"ls"}`)
	if _, err := b.Before(t.Context(), &call); err != nil {
		t.Error(err)
	}
	call = aCall(`{"command":"rm -rf /"}`)
	_, err := b.Before(t.Context(), &call)
	refused(t, err, toolcrib.KindBlocked, "rm is not for models")
}

// python is the interpreter, if there is one.
func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is absent")
	}
	return path
}

func TestPythonExample(t *testing.T) {
	b := open(t, Hook{Name: "cards", Event: After, Command: python(t), Args: []string{example(t, "python", 0)}, Timeout: time.Minute})
	result := &toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text("paid with 4111 1111 1111 1111")}}
	if err := b.After(t.Context(), aCall(`{}`), result); err != nil {
		t.Fatal(err)
	}
	if got := result.Content[0].Text; got != "paid with [card]" {
		t.Errorf("the result is %q", got)
	}
}

func TestWebhookExample(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	cmd := exec.Command(python(t), example(t, "python", 1))
	cmd.Env = append(os.Environ(), "HOOK_SECRET=right", "PORT="+strconv.Itoa(port))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	h := Hook{Name: "desk", Event: Before, URL: "http://127.0.0.1:" + strconv.Itoa(port), Secret: "right", Timeout: time.Minute}
	b, wrong := open(t, h), h
	wrong.Secret = "wrong"
	for deadline := time.Now().Add(time.Minute); ; {
		call := aCall(`{}`)
		asks, err := b.Before(t.Context(), &call)
		if err != nil && strings.Contains(err.Error(), "can't be reached") && time.Now().Before(deadline) {
			continue // it is still starting
		}
		if err != nil || len(asks) != 1 || asks[0].Title != "Run create_issue?" || asks[0].Severity != toolcrib.SeverityCritical {
			t.Fatalf("%v, %v", asks, err)
		}
		break
	}
	call := aCall(`{}`)
	_, err = open(t, wrong).Before(t.Context(), &call)
	refused(t, err, toolcrib.KindBlocked, "its endpoint answered 401")
}
