package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestPortInUse: the message says what has the port and how to take another.
func TestPortInUse(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	h := newHome(t, servers(object{"good": fake(t, "good")}))
	addr := l.Addr().String()
	words := []string{addr, "in use", "--listen"}
	if runtime.GOOS == "linux" {
		words = append(words, fmt.Sprint("process ", os.Getpid()))
	}
	h.fails(3, words, "serve", "--listen", addr)
	nobodyLeft(t, h.dir)
}

// TestSecondGateway of the same configuration is refused, also at another port,
// and leaves the first one alone.
func TestSecondGateway(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"good": fake(t, "good")}))
	g := h.serve()
	g.ready("good")
	for _, addr := range []string{g.addr, "127.0.0.1:0"} {
		h.fails(3, []string{"runs already"}, "serve", "--listen", addr)
	}
	h.finds("water plants", "mcp:good:water_plants")
	if got := answer[struct{ PID int }](h, "status").PID; got != g.pid {
		t.Errorf("process %d answers, want %d", got, g.pid)
	}
}

// TestOtherAddressesNeedAToken: an address that others can reach is refused
// without a token, and with one nobody gets in without it.
func TestOtherAddressesNeedAToken(t *testing.T) {
	t.Parallel()
	config := servers(object{"good": fake(t, "good")})
	h := newHome(t, config)
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0"} {
		h.fails(3, []string{"gateway.token", "127.0.0.1"}, "serve", "--listen", addr)
	}
	config["gateway"] = object{"token": "correct-horse-battery"}
	h.write(config)
	g := h.serve()
	for name, c := range map[string]struct {
		header string
		want   int
	}{
		"none":         {"", http.StatusUnauthorized},
		"wrong":        {"Bearer correct-horse-batterx", http.StatusUnauthorized},
		"another kind": {"Basic correct-horse-battery", http.StatusUnauthorized},
		"right":        {"Bearer correct-horse-battery", http.StatusOK},
	} {
		code, body := post(t, g.url, initializeBody, func(r *http.Request) {
			if c.header != "" {
				r.Header.Set("Authorization", c.header)
			}
		})
		if code != c.want {
			t.Errorf("token %s: %d %s, want %d", name, code, body, c.want)
		}
	}
	if strings.Contains(g.log.String()+h.ok("config", "get"), "correct-horse") {
		t.Error("the token was printed")
	}
}

// TestOtherPlaces: a web page can't reach the gateway, neither by a name that
// points here nor from another site.
func TestOtherPlaces(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"good": fake(t, "good")}))
	g := h.serve()
	_, port, err := net.SplitHostPort(g.addr)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		host, origin string
		want         int
	}{
		"plain":              {"", "", http.StatusOK},
		"localhost":          {"localhost:" + port, "http://localhost:" + port, http.StatusOK},
		"name of another":    {"evil.example", "", http.StatusForbidden},
		"name with the port": {"evil.example:" + port, "", http.StatusForbidden},
		"page of another":    {"", "https://evil.example", http.StatusForbidden},
		"page without site":  {"", "null", http.StatusForbidden},
		"a longer localhost": {"", "http://localhost.evil.example", http.StatusForbidden},
	} {
		code, body := post(t, g.url, initializeBody, func(r *http.Request) {
			if c.host != "" {
				r.Host = c.host
			}
			if c.origin != "" {
				r.Header.Set("Origin", c.origin)
			}
		})
		if code != c.want {
			t.Errorf("%s: %d %s, want %d", name, code, body, c.want)
		}
	}
	// The control API takes the admin token over TCP.
	if code, body := post(t, strings.Replace(g.url, "/mcp", "/api/search", 1), `{"query":"x"}`, nil); code != http.StatusUnauthorized {
		t.Errorf("/api/search over TCP: %d %s", code, body)
	}
}

// TestCommandsAttach: while a gateway runs the other commands ask it, and start
// no server of their own; without one they do the work themselves.
func TestCommandsAttach(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"good": fake(t, "good")}))
	h.finds("water plants", "mcp:good:water_plants") // by itself
	nobodyLeft(t, h.dir)

	g := h.serveUnwatched()
	g.ready("good")
	before := processes(t, h.dir)
	pid := h.servers()["good"].PID
	info, err := os.Stat(g.socket)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the control socket: %v %v, want mode 0600", info, err)
	}
	for range 3 {
		h.finds("water plants", "mcp:good:water_plants")
		mentions(t, h.ok("tools", "call", "mcp:good:water_plants", "litres=3"), `water_plants {"litres":3}`)
		mentions(t, h.ok("tools", "describe", "water_plants"), "Water the plants on the balcony")
		mentions(t, h.ok("tools", "list"), "mcp:good:water_plants")
	}
	if after := processes(t, h.dir); !slices.Equal(before, after) {
		t.Errorf("processes before: %v\nand after: %v", before, after)
	}
	if got := h.servers()["good"]; got.PID != pid || got.Restarts != 0 {
		t.Errorf("the server was started again: %+v, was process %d", got, pid)
	}
	if got := strings.TrimSpace(h.ok("servers", "restart", "good", "--json")); !strings.Contains(got, `"ready"`) {
		t.Errorf("restart answered %s", got)
	}
	if got := h.servers()["good"]; got.PID == pid || got.State != "ready" {
		t.Errorf("the server was not started again: %+v, was process %d", got, pid)
	}
	g.end()
	if _, err := os.Stat(g.socket); err == nil {
		t.Error("the control socket is still there")
	}
	h.fails(6, []string{"no gateway"}, "status")
	mentions(t, h.ok("tools", "call", "mcp:good:water_plants", "litres=4"), `water_plants {"litres":4}`)
	nobodyLeft(t, h.dir)
}

// TestTerm: SIGTERM ends both forms of the gateway well, also in the middle of
// a call, and no process is left.
func TestTerm(t *testing.T) {
	t.Parallel()
	config := servers(object{"good": fake(t, "good"), "thinker": fake(t, "hangs"), "mute": fake(t, "silent"), "mule": fake(t, "stubborn")})
	t.Run("serve", func(t *testing.T) {
		h := newHome(t, config)
		g := h.serveUnwatched()
		g.ready("good", "thinker", "mule")
		done := make(chan outcome, 1)
		go func() { done <- h.run("tools", "call", "mcp:thinker:ponder") }()
		h.pondering(t)
		g.end()
		if o := <-done; o.code == 0 || o.stderr == "" {
			t.Errorf("the call in flight ended with %+v, want a failure with a reason", o)
		}
	})
	t.Run("mcp", func(t *testing.T) {
		h := newHome(t, config)
		p := h.hello()
		p.knows("think about life", "mcp:thinker:ponder")
		p.send("tools/call", `{"name":"tool_call","arguments":{"id":"mcp:thinker:ponder"}}`)
		h.pondering(t)
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		exits(t, p.cmd, p.ended, p.log)
		nobodyLeft(t, h.dir)
	})
}

// pondering waits until the hanging server was called.
func (h *home) pondering(t *testing.T) {
	t.Helper()
	eventually(t, "the call arrives at the server", func() bool { return h.serverLogHas("pondering") })
}

// TestInputEnds: a client that goes away ends `toolcrib mcp`, and what it was asked
// before is answered.
func TestInputEnds(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"good": fake(t, "good"), "sloth": fake(t, "slow"), "mute": fake(t, "silent")}))
	p := h.hello()
	p.knows("water plants", "mcp:good:water_plants", "mcp:sloth:water_plants")
	id := fmt.Sprint(p.send("tools/call", `{"name":"tool_call","arguments":{"id":"mcp:sloth:water_plants","args":{"litres":5}}}`))
	p.in.Close()
	m := p.hear("the last answer", func(m message) bool { return string(m.ID) == id })
	mentions(t, string(m.Result), "litres")
	exits(t, p.cmd, p.ended, p.log)
	nobodyLeft(t, h.dir)
}
