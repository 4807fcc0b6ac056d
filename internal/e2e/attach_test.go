package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// editor connects a client of the official kit to `toolcrib mcp`.
func (h *home) editor(version string, o *mcp.ClientOptions, args ...string) *mcp.ClientSession {
	h.t.Helper()
	cmd := exec.Command(binary, append([]string{"mcp", "--config", h.config}, args...)...)
	cmd.Env = h.environ()
	return sdkClient(h.t, &mcp.CommandTransport{Command: cmd, TerminateDuration: time.Minute}, version, o)
}

// sessions is how many clients the running gateway serves.
func (h *home) sessions() int {
	h.t.Helper()
	return answer[struct{ Sessions int }](h, "status").Sessions
}

// attachedTo waits until the running gateway serves so many clients.
func (h *home) attachedTo(n int) {
	h.t.Helper()
	eventually(h.t, fmt.Sprintf("%d clients are attached", n), func() bool { return h.sessions() == n })
}

// kill ends the gateway without a farewell.
func (r *running) kill() {
	r.t.Helper()
	if err := r.cmd.Process.Kill(); err != nil {
		r.t.Fatal(err)
	}
	<-r.ended
}

// leave asks the gateway to end, and waits until it has; others of its home may stay.
func (r *running) leave() {
	r.t.Helper()
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		r.t.Fatal(err)
	}
	exits(r.t, r.cmd, r.ended, r.log)
}

// startedBy counts the servers that a process has started.
func startedBy(t testing.TB, dir, program string, parent int) int {
	t.Helper()
	return len(slices.DeleteFunc(children(t, dir, program), func(p process) bool { return p.parent != parent }))
}

// TestEditorsShareServers: ten programs that start `toolcrib mcp` share the
// servers of the one gateway that runs.
func TestEditorsShareServers(t *testing.T) {
	t.Parallel()
	npmDir := npmFolder(t)
	h := newHome(t, servers(object{
		"everything": npm(npmDir, "mcp-server-everything", "stdio"),
		"balcony":    fake(t, "good"),
	}))
	g := h.serve()
	g.ready("everything", "balcony")
	before := h.servers()
	var wg sync.WaitGroup
	clients := make([]*mcp.ClientSession, 10)
	for i := range clients {
		version := eras[[]string{"legacy", "modern"}[i%2]]
		clients[i] = h.editor(version, nil)
		wg.Go(func() {
			if err := tenCalls(t.Context(), clients[i], i); err != nil {
				t.Errorf("client %d (%s): %v", i, version, err)
			}
		})
	}
	wg.Wait()
	if n := len(children(t, h.dir, "toolcrib.exe mcp")); n != len(clients) {
		t.Errorf("%d processes of toolcrib mcp run, want %d", n, len(clients))
	}
	after := h.servers()
	for name, program := range map[string]string{"everything": "mcp-server-everything", "balcony": "fake-good"} {
		if n := children(t, h.dir, program); len(n) != 1 {
			t.Errorf("server %s has %d processes, want 1: %v", name, len(n), n)
		}
		if before[name].PID != after[name].PID || after[name].Restarts != 0 {
			t.Errorf("server %s was started again: %+v, then %+v", name, before[name], after[name])
		}
	}
	h.attachedTo(len(clients))
	mentions(t, g.log.String(), "client=kit")
	for i, c := range clients {
		if err := c.Close(); err != nil {
			t.Errorf("client %d: %v", i, err)
		}
	}
	h.attachedTo(0)
}

// hearAll collects answers until each of the ids has one, and fails for a second one.
func (p *stdioPeer) hearAll(ids ...int) map[int]message {
	p.t.Helper()
	got := map[int]message{}
	p.hear("the answers", func(m message) bool {
		var id int
		if m.Method == "" && json.Unmarshal(m.ID, &id) == nil {
			if _, twice := got[id]; twice {
				p.t.Errorf("request %d was answered twice", id)
			}
			got[id] = m
		}
		return !slices.ContainsFunc(ids, func(id int) bool { _, ok := got[id]; return !ok })
	})
	return got
}

const (
	ponder = `{"name":"tool_call","arguments":{"id":"mcp:thinker:ponder"}}`
	water  = `{"name":"tool_call","arguments":{"id":"mcp:good:water_plants","args":{"litres":1}}}`
	lookUp = `{"name":"tool_search","arguments":{"query":"water plants"}}`
)

// TestGatewayKilledInCalls: kill -9 of the gateway while clients call. Each call
// is answered once, and each client goes on by itself.
func TestGatewayKilledInCalls(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"good": fake(t, "good"), "thinker": fake(t, "hangs")}))
	g := h.serveUnwatched()
	g.ready("good", "thinker")
	peers := make([]*stdioPeer, 3)
	open := make([][]int, len(peers))
	for i := range peers {
		peers[i] = h.hello()
		open[i] = []int{peers[i].send("tools/call", ponder), peers[i].send("tools/call", ponder)}
	}
	h.attachedTo(len(peers))
	h.pondering(t)
	for i, p := range peers { // some of these are answered before the end, some are not
		for range 5 {
			open[i] = append(open[i], p.send("tools/call", water), p.send("tools/call", lookUp), p.send("tools/list", ""))
		}
	}
	g.kill()
	for i, p := range peers {
		failed := 0
		for id, m := range p.hearAll(open[i]...) {
			var r toolResult
			if m.Error != nil {
				t.Errorf("client %d: request %d was answered with error %d: %s", i, id, m.Error.Code, m.Error.Message)
				continue
			}
			decode(t, string(m.Result), &r)
			if r.IsError {
				failed++
				mentions(t, r.text(), `"unavailable"`, "look before repeating it")
			}
		}
		if failed < 2 {
			t.Errorf("client %d: %d calls have failed, want the two that hang at least", i, failed)
		}
	}
	for _, p := range peers {
		p.until("the call works again", water, func(r toolResult) bool { return !r.IsError })
		if n := startedBy(t, h.dir, "fake-good", p.cmd.Process.Pid); n != 1 {
			t.Errorf("it has %d processes of the server, want one of its own", n)
		}
		mentions(t, p.log.String(), "goes on with servers of its own")
		p.hangUp()
	}
	nobodyLeft(t, h.dir)
}

// TestGatewayRestarted: the clients are attached to the next gateway, are told
// that the tools may be others, and start no servers.
func TestGatewayRestarted(t *testing.T) {
	t.Parallel()
	for era, version := range eras {
		for how, end := range map[string]func(*running){"killed": (*running).kill, "ended": (*running).leave} {
			t.Run(era+", "+how, func(t *testing.T) { restarted(t, version, end) })
		}
	}
}

func restarted(t *testing.T, version string, end func(*running)) {
	h := newHome(t, servers(object{"good": fake(t, "good")}))
	g := h.serveUnwatched()
	g.ready("good")
	changed := make(chan struct{}, 100)
	c := h.editor(version, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	if n := strings.Count(searchText(t, c), "good 1"); n != 1 {
		t.Fatalf("the first list says: %s", searchText(t, c))
	}
	end(g)
	h.write(servers(object{"good": fake(t, "good"), "garden": fake(t, "grows")}))
	next := h.serve()
	select {
	case <-changed:
	case <-time.After(patience):
		t.Fatal("no notifications/tools/list_changed arrived")
	}
	h.attachedTo(1)
	next.ready("good", "garden")
	eventually(t, "the client is shown the other tools", func() bool { return strings.Contains(searchText(t, c), "garden 1") })
	for len(changed) > 0 { // what was said while the servers came up
		<-changed
	}
	if _, err := callText(t.Context(), c, "tool_call", object{"id": "mcp:garden:grow_0", "args": object{}}); err != nil {
		t.Error(err)
	}
	select { // the server has another tool now
	case <-changed:
	case <-time.After(patience):
		t.Fatal("no second notifications/tools/list_changed arrived")
	}
	for _, program := range []string{"fake-good", "fake-grows"} {
		if n := children(t, h.dir, program); len(n) != 1 || n[0].parent != next.pid {
			t.Errorf("processes of %s: %v, want one, of the gateway", program, n)
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestGatewayEndsWell: a gateway that is asked to end answers the calls that go
// on; then the client goes on by itself, and comes back to the next gateway as
// long as it has called nothing.
func TestGatewayEndsWell(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"good": fake(t, "good"), "sloth": fake(t, "slow")}))
	g := h.serveUnwatched()
	g.ready("good", "sloth")
	p, idle := h.hello(), h.hello()
	p.knows("water plants", "mcp:sloth:water_plants")
	h.attachedTo(2)
	id := p.send("tools/call", `{"name":"tool_call","arguments":{"id":"mcp:sloth:water_plants","args":{"litres":5}}}`)
	p.ask("ping", "") // so the call has been read
	if err := g.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var r toolResult
	decode(t, string(p.hearAll(id)[id].Result), &r)
	if r.IsError {
		t.Errorf("the call that went on was answered %s", r.text())
	}
	exits(t, g.cmd, g.ended, g.log)
	if r := p.call(water); r.IsError {
		t.Errorf("after the end a call was answered %s", r.text())
	}
	if idle.ask("tools/list", "").Error != nil {
		t.Error("after the end a list failed")
	}
	eventually(t, "each client has servers of its own", func() bool {
		return startedBy(t, h.dir, "fake-good", p.cmd.Process.Pid) == 1 && startedBy(t, h.dir, "fake-good", idle.cmd.Process.Pid) == 1
	})
	next := h.serve()
	h.attachedTo(1)
	if n := startedBy(t, h.dir, "fake-good", p.cmd.Process.Pid); n != 1 {
		t.Errorf("the client that has called has %d servers of its own, want 1: it stays", n)
	}
	eventually(t, "the other client's own servers end", func() bool {
		return startedBy(t, h.dir, "fake-good", idle.cmd.Process.Pid) == 0
	})
	if r := idle.call(water); r.IsError {
		t.Errorf("attached again: %s", r.text())
	}
	p.hangUp()
	idle.hangUp()
	next.end()
}

// TestAttachAlways uses a running gateway or none.
func TestAttachAlways(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"good": fake(t, "good")}))
	h.fails(6, []string{"--attach=always", "toolcrib serve"}, "mcp", "--attach", "always")
	h.fails(2, []string{"--demo"}, "mcp", "--attach", "always", "--demo")
	h.fails(2, []string{"auto, always or never"}, "mcp", "--attach", "perhaps")
	g := h.serveUnwatched()
	g.ready("good")
	h.fails(4, []string{"nobody"}, "mcp", "--attach", "always", "--agent", "nobody")
	p := h.hello("--attach", "always")
	if r := p.call(water); r.IsError {
		t.Errorf("attached: %s", r.text())
	}
	g.kill()
	if r := p.call(water); !r.IsError {
		t.Errorf("without a gateway: %s", r.text())
	} else {
		mentions(t, r.text(), `"unavailable"`, "toolcrib serve")
	}
	if len(children(t, h.dir, "fake-")) != 0 {
		t.Errorf("it has started servers: %v", processes(t, h.dir))
	}
	next := h.serve()
	next.ready("good")
	p.until("the call works again", water, func(r toolResult) bool { return !r.IsError })
	p.hangUp()
}

// TestAttachNever and --demo start servers of their own beside a gateway.
func TestAttachNever(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"good": fake(t, "good")}))
	g := h.serve()
	g.ready("good")
	for _, flag := range []string{"--attach=never", "--demo"} {
		p := h.hello(flag)
		p.knows("water plants", "mcp:good:water_plants")
		if n := startedBy(t, h.dir, "fake-good", p.cmd.Process.Pid); n != 1 || h.sessions() != 0 {
			t.Errorf("%s: %d servers of its own, %d clients at the gateway; want 1 and 0", flag, n, h.sessions())
		}
		p.hangUp()
	}
}

// TestOtherSettings: a client whose environment says otherwise doesn't share a
// gateway that doesn't know of it.
func TestOtherSettings(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"good": fake(t, "good")}))
	g := h.serve()
	g.ready("good")
	h.env = []string{"TOOLCRIB_TOOLS__DENY=water_*"}
	p := h.hello()
	if r := p.call(lookUp); strings.Contains(r.text(), "water_plants") {
		t.Errorf("what the environment denies was found: %s", r.text())
	}
	if n := strings.Count(strings.TrimSpace(p.log.String()), "\n"); n != 0 || !strings.Contains(p.log.String(), "TOOLCRIB_") {
		t.Errorf("it says %q, want one line about the settings", p.log)
	}
	if n := h.sessions(); n != 0 {
		t.Errorf("%d clients are attached", n)
	}
	h.fails(3, []string{"other TOOLCRIB_ settings", "--attach=never"}, "mcp", "--attach=always")
	p.hangUp()
	h.env = nil
	q := h.hello()
	if r := q.call(lookUp); !strings.Contains(r.text(), "water_plants") {
		t.Errorf("attached, the search answered %s", r.text())
	}
	h.attachedTo(1)
	q.hangUp()
}

// TestBrokenFileIsNoObstacle to a gateway that runs.
func TestBrokenFileIsNoObstacle(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"good": fake(t, "good")}))
	g := h.serve()
	g.ready("good")
	h.write(`{ mcp: `)
	p := h.hello()
	if r := p.call(water); r.IsError {
		t.Errorf("attached: %s", r.text())
	}
	p.hangUp()
}

// TestUselessGateway: where something listens at the socket that is of no use, the
// client goes on by itself.
func TestUselessGateway(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]string{
		"ends at once": "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: mcp-stdio\r\n\r\n",
		"is older":     "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
		"says nothing": "",
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t, servers(object{"good": fake(t, "good")}))
			socket := answer[struct{ Socket string }](h, "config", "path").Socket
			if err := os.MkdirAll(filepath.Dir(socket), 0o700); err != nil {
				t.Fatal(err)
			}
			l, err := net.Listen("unix", socket)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					if _, err := bufio.NewReader(conn).ReadString('\n'); err == nil && said != "" {
						_, _ = io.WriteString(conn, said)
						conn.Close()
					}
				}
			}()
			p := h.hello()
			p.knows("water plants", "mcp:good:water_plants")
			if r := p.call(water); r.IsError {
				t.Errorf("the call was answered %s", r.text())
			}
			p.hangUp()
		})
	}
}

// TestSessionServer: attached clients share no server that wants one client.
func TestSessionServer(t *testing.T) {
	t.Parallel()
	own := fake(t, "good")
	own["scope"] = "session"
	h := newHome(t, servers(object{"good": own}))
	g := h.serve()
	p, q := h.hello(), h.hello()
	for _, c := range []*stdioPeer{p, q} {
		c.until("the server answers", water, func(r toolResult) bool { return !r.IsError })
	}
	all := children(t, h.dir, "fake-good")
	if n := startedBy(t, h.dir, "fake-good", g.pid); n != len(all) || n < 2 {
		t.Errorf("%d of the %d processes of the server are the gateway's, want one for each client: %v", n, len(all), all)
	}
	p.hangUp()
	eventually(t, "the server of the client that left ends", func() bool { return len(children(t, h.dir, "fake-good")) == len(all)-1 })
	if err := q.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the server of the client that was killed ends", func() bool { return len(children(t, h.dir, "fake-good")) == len(all)-2 })
	h.attachedTo(0)
}

// TestListChangedReachesAttached: the same as for a gateway of its own.
func TestListChangedReachesAttached(t *testing.T) {
	t.Parallel()
	for era, version := range eras {
		t.Run(era, func(t *testing.T) {
			h := newHome(t, servers(object{"garden": fake(t, "grows")}))
			g := h.serve()
			g.ready("garden")
			changed := make(chan struct{}, 100)
			c := h.editor(version, &mcp.ClientOptions{
				ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
			})
			mentions(t, searchText(t, c), "garden 1")
			if _, err := callText(t.Context(), c, "tool_call", object{"id": "mcp:garden:grow_0", "args": object{}}); err != nil {
				t.Fatal(err)
			}
			select {
			case <-changed:
			case <-time.After(patience):
				t.Fatal("no notifications/tools/list_changed arrived")
			}
			eventually(t, "the list says so", func() bool { return strings.Contains(searchText(t, c), "garden 2") })
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestManyKills: twenty gateways in a row are killed under one client, which
// keeps neither connections nor processes of any of them.
func TestManyKills(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"good": fake(t, "good"), "thinker": fake(t, "hangs")}))
	p := (*stdioPeer)(nil)
	files := func() int {
		all, err := os.ReadDir(filepath.Join("/proc", fmt.Sprint(p.cmd.Process.Pid), "fd"))
		if err != nil {
			t.Skip("it counts the open files in /proc")
		}
		return len(all)
	}
	first := 0
	for round := range 20 {
		g := h.serveUnwatched()
		if p == nil {
			p = h.hello()
		}
		h.attachedTo(1)
		g.ready("good", "thinker")
		if r := p.call(water); r.IsError {
			t.Fatalf("round %d: %s", round, r.text())
		}
		if round == 0 {
			first = files()
		}
		id := p.send("tools/call", ponder)
		p.ask("ping", "")
		g.kill()
		var r toolResult
		decode(t, string(p.hearAll(id)[id].Result), &r)
		if !r.IsError {
			t.Errorf("round %d: the lost call was answered %s", round, r.text())
		}
	}
	g := h.serveUnwatched()
	h.attachedTo(1)
	if n := files(); n > first {
		t.Errorf("after 20 gateways it has %d open files, %d at first", n, first)
	}
	g.kill()
	p.hangUp()
	nobodyLeft(t, h.dir)
}

// TestStartedByItself: a gateway refuses to be the server of a gateway.
func TestStartedByItself(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	h.write(servers(object{"good": fake(t, "good"), "mirror": object{"command": binary, "args": []string{"mcp", "--config", h.config}}}))
	g := h.serve()
	g.ready("good")
	eventually(t, "the gateway inside the gateway has refused", func() bool { return h.servers()["mirror"].State == "down" })
	mentions(t, h.ok("servers", "logs", "mirror"), "mirror", "call itself", "remove the server")
	h.env = []string{"TOOLCRIB_STARTED_AS=mirror"}
	h.fails(3, []string{"mirror", "call itself"}, "mcp")
	h.fails(3, []string{"mirror", "call itself"}, "serve")
}

// TestManyStartAtOnce over the socket of a gateway that was killed: one gets the
// place, and keeps it.
func TestManyStartAtOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"good": fake(t, "good")}))
	for round := range 5 {
		type start struct {
			cmd   *exec.Cmd
			lines *bufio.Reader
		}
		var starts []start
		for range 6 {
			cmd := h.command("serve", "--json", "--listen", "127.0.0.1:0")
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			starts = append(starts, start{cmd, bufio.NewReader(out)})
		}
		var winners []*exec.Cmd
		for _, s := range starts {
			if line, err := s.lines.ReadString('\n'); err == nil && strings.Contains(line, `"pid"`) {
				winners = append(winners, s.cmd)
				continue
			}
			_ = s.cmd.Wait()
			if code := s.cmd.ProcessState.ExitCode(); code != 3 {
				t.Errorf("round %d: one that came late ended with %d, want 3", round, code)
			}
		}
		if len(winners) != 1 {
			t.Fatalf("round %d: %d gateways run, want 1", round, len(winners))
		}
		if got := answer[struct{ PID int }](h, "status").PID; got != winners[0].Process.Pid {
			t.Errorf("round %d: process %d answers, want %d", round, got, winners[0].Process.Pid)
		}
		if err := winners[0].Process.Kill(); err != nil { // the next round finds its socket
			t.Fatal(err)
		}
		_ = winners[0].Wait()
	}
	nobodyLeft(t, h.dir)
}

// BenchmarkAttached is one tool_search of a client of `toolcrib mcp`, whose gateway
// is in the same process, or is the one that runs.
func BenchmarkAttached(b *testing.B) {
	h := newHome(b, servers(object{"good": fake(b, "good")}))
	g := h.serve()
	g.ready("good")
	for _, how := range []string{"never", "always"} {
		b.Run(how, func(b *testing.B) {
			p := h.hello("--attach", how)
			p.knows("water plants", "mcp:good:water_plants")
			for b.Loop() {
				p.call(lookUp)
			}
			b.StopTimer()
			p.hangUp()
		})
	}
}
