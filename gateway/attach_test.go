package gateway

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

const greeting = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n"

// patient is a tool that runs until it is let go, or cancelled.
func patient(began chan<- struct{}, goOn <-chan struct{}) Tool {
	return Func("patient", "Wait for a sign.", func(ctx context.Context, _ struct{}) (string, error) {
		began <- struct{}{}
		select {
		case <-goOn:
			return "the sign has come", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
}

const callPatient = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"patient","arguments":{}}}` + "\n"

// ask writes a line and returns the next one.
func ask(t *testing.T, conn io.Writer, lines *bufio.Reader, line string) string {
	t.Helper()
	if _, err := io.WriteString(conn, line); err != nil {
		t.Fatal(err)
	}
	answer, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestAttachInside(t *testing.T) {
	g, err := New(t.Context(), Options{Tools: []Tool{echo("first")}, Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for name, c := range map[string]struct {
		mode, agent string
		want        toolcrib.Kind
	}{"no such agent": {"", "nobody", toolcrib.KindNotFound}, "no such mode": {"upside-down", "", toolcrib.KindInput}} {
		if _, err := g.Attach(c.mode, c.agent); toolcrib.KindOf(err) != c.want {
			t.Errorf("%s: %v, want kind %s", name, err, c.want)
		}
	}
	conn, err := g.Attach("direct", "")
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(conn)
	if got := ask(t, conn, lines, greeting); !strings.Contains(got, `"protocolVersion":"2025-06-18"`) {
		t.Errorf("heard %s", got)
	}
	if got := ask(t, conn, lines, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"first","arguments":{"text":"hear me"}}}`+"\n"); !strings.Contains(got, "hear me") {
		t.Errorf("heard %s", got)
	}
	api := client.New(client.InProcess(g.Control()), "")
	if s, err := api.Status(t.Context()); err != nil || s.Sessions != 1 || s.SettingsHash == "" {
		t.Errorf("status %+v %v, want one session", s, err)
	}
	conn.Close()
	g.attached.running.Wait()
	if s, err := api.Status(t.Context()); err != nil || s.Sessions != 0 {
		t.Errorf("status %+v %v, want no session", s, err)
	}
}

// TestAttachEnds: a gateway that ends lets calls finish for a while, and takes no
// new client.
func TestAttachEnds(t *testing.T) {
	for name, c := range map[string]struct {
		finishes bool
		took     time.Duration
	}{"the call finishes": {true, time.Second}, "the call goes on": {false, 2 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, goOn := make(chan struct{}, 1), make(chan struct{})
				g, err := New(t.Context(), Options{Tools: []Tool{patient(began, goOn)}, Environ: []string{}})
				if err != nil {
					t.Fatal(err)
				}
				defer g.Close()
				conn, err := g.Attach("direct", "")
				if err != nil {
					t.Fatal(err)
				}
				lines := bufio.NewReader(conn)
				ask(t, conn, lines, greeting)
				fmt.Fprint(conn, callPatient)
				<-began
				start := time.Now()
				time.AfterFunc(time.Second, func() {
					if c.finishes {
						close(goOn)
					}
				})
				heard := make(chan string, 1)
				go func() {
					rest, _ := io.ReadAll(lines)
					heard <- string(rest)
				}()
				g.attached.end(drain)
				if took := time.Since(start); took != c.took {
					t.Errorf("it took %v, want %v", took, c.took)
				}
				if got := <-heard; strings.Contains(got, "the sign has come") != c.finishes {
					t.Errorf("heard %s", got)
				}
				if _, err := g.Attach("", ""); toolcrib.KindOf(err) != toolcrib.KindUnavailable {
					t.Errorf("a late client: %v", err)
				}
			})
		})
	}
}

// TestAttachOverTheSocket until Serve ends; other settings are refused.
func TestAttachOverTheSocket(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "c.sock")
	g, err := New(t.Context(), Options{Tools: []Tool{echo("first")}, Environ: []string{"TOOLCRIB_TOOLS__DENY=x"}, Socket: socket})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- g.Serve(ctx, ServeOptions{Listen: "127.0.0.1:0", Ready: func(url string) { ready <- url }})
	}()
	<-ready
	c, err := client.Dial(socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	status, err := c.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Attach(t.Context(), client.AttachRequest{Settings: "others"}); toolcrib.KindOf(err) != toolcrib.KindConfig {
		t.Errorf("with other settings: %v", err)
	}
	conn, err := c.Attach(t.Context(), client.AttachRequest{Mode: "direct", Settings: status.SettingsHash})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	lines := bufio.NewReader(conn)
	if got := ask(t, conn, lines, greeting); !strings.Contains(got, `"result"`) {
		t.Errorf("heard %s", got)
	}
	cancel()
	if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
		t.Errorf("at the end it says %q %v", rest, err)
	}
	if err := <-done; err != nil {
		t.Errorf("Serve = %v", err)
	}
}
