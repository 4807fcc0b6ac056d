package attach

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/toolcrib/toolcrib"
)

// errNobody is what Connect says while no gateway runs.
var errNobody = toolcrib.NewError(toolcrib.KindUnavailable, "nobody listens", "wake somebody")

// world is a client, a relay, and the gateways that a test starts and ends.
type world struct {
	t     *testing.T
	in    *io.PipeWriter
	out   chan string // what the client hears
	done  chan error
	began chan Reason // each attempt to connect
	next  chan io.ReadWriteCloser
	stop  context.CancelFunc
}

// start runs a relay with a client. Each Connect takes what the test offers.
func start(t *testing.T, change func(*Relay)) *world {
	in, toRelay := io.Pipe()
	fromRelay, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	w := &world{
		t: t, in: toRelay, out: make(chan string, 10000), done: make(chan error, 1),
		began: make(chan Reason, 10000), next: make(chan io.ReadWriteCloser), stop: cancel,
	}
	r := Relay{In: in, Out: out, Connect: w.connect}
	if change != nil {
		change(&r)
	}
	go func() {
		w.done <- r.Run(ctx)
		out.Close()
	}()
	go func() {
		lines := bufio.NewReader(fromRelay)
		for {
			line, err := lines.ReadString('\n')
			if line != "" {
				w.out <- line
			}
			if err != nil {
				close(w.out)
				return
			}
		}
	}()
	return w
}

func (w *world) connect(ctx context.Context, why Reason) (io.ReadWriteCloser, error) {
	w.began <- why
	select {
	case conn := <-w.next:
		if conn == nil {
			return nil, errNobody
		}
		return conn, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// peer is a gateway, seen from its own side.
type peer struct {
	t     *testing.T
	conn  net.Conn
	lines chan string // what it hears
}

// gateway lets the next attempt to connect succeed.
func (w *world) gateway() *peer {
	w.t.Helper()
	near, far := net.Pipe()
	w.next <- near
	return newPeer(w.t, far)
}

func newPeer(t *testing.T, conn net.Conn) *peer {
	p := &peer{t: t, conn: conn, lines: make(chan string, 10000)}
	go func() {
		defer close(p.lines)
		lines := bufio.NewReader(conn)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			p.lines <- line
		}
	}()
	return p
}

// nobody lets the next attempt to connect fail.
func (w *world) nobody() { w.next <- nil }

func (w *world) say(lines ...string) {
	w.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(w.in, line+"\n"); err != nil {
			w.t.Error(err)
		}
	}
}

func (p *peer) say(lines ...string) {
	p.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(p.conn, line+"\n"); err != nil {
			p.t.Fatal(err)
		}
	}
}

// hears checks what arrives next, and that it does so as it was written.
func hears(t *testing.T, from chan string, want ...string) {
	t.Helper()
	for _, w := range want {
		synctest.Wait()
		select {
		case got := <-from:
			if got != w+"\n" {
				t.Fatalf("heard %s want  %s", got, w)
			}
		default:
			t.Fatalf("heard nothing, want %s", w)
		}
	}
}

func (w *world) hears(want ...string) { w.t.Helper(); hears(w.t, w.out, want...) }
func (p *peer) hears(want ...string)  { p.t.Helper(); hears(p.t, p.lines, want...) }

// quiet checks that nothing has been said to whoever listens there.
func quiet(t *testing.T, from chan string) {
	t.Helper()
	synctest.Wait()
	select {
	case got, open := <-from:
		if open {
			t.Errorf("heard %s want nothing", got)
		}
	default:
	}
}

// next takes the next message that the client hears.
func (w *world) nextMessage() map[string]any {
	w.t.Helper()
	synctest.Wait()
	select {
	case line := <-w.out:
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			w.t.Fatalf("%v in %s", err, line)
		}
		return m
	default:
		w.t.Fatal("the client heard nothing")
		return nil
	}
}

// failed takes the next message, which must be a failed tools/call with an id, and
// returns the error that is in it.
func (w *world) failed(id any) failure {
	w.t.Helper()
	m := w.nextMessage()
	result, _ := m["result"].(map[string]any)
	blocks, _ := result["content"].([]any)
	if m["id"] != id || result["isError"] != true || len(blocks) != 1 {
		w.t.Fatalf("heard %v, want a failed call %v", m, id)
	}
	var body struct{ Error failure }
	text, _ := blocks[0].(map[string]any)["text"].(string)
	if err := json.Unmarshal([]byte(text), &body); err != nil {
		w.t.Fatalf("%v in %q", err, text)
	}
	return body.Error
}

// end hangs up, and checks how the relay ends.
func (w *world) end() {
	w.t.Helper()
	w.in.Close()
	if err := <-w.done; err != nil {
		w.t.Errorf("Run = %v", err)
	}
	quiet(w.t, w.out)
}

// hello is the handshake of the stateful era.
const (
	hello      = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"c"}}}`
	helloBack  = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}`
	ready      = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	changedNow = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
)

// greeted is start with a gateway and a handshake.
func greeted(t *testing.T, change func(*Relay)) (*world, *peer) {
	t.Helper()
	w := start(t, change)
	g := w.gateway()
	w.say(hello)
	g.hears(hello)
	g.say(helloBack)
	w.hears(helloBack)
	w.say(ready)
	g.hears(ready)
	return w, g
}

// regreeted takes the relay to another gateway with the same handshake.
func (w *world) regreeted() *peer {
	w.t.Helper()
	g := w.gateway()
	g.hears(hello)
	g.say(helloBack)
	g.hears(ready)
	return g
}

func request(id, method string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{"name":"x"}}`
}

func answered(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[]}}`
}

// bubble runs a test on a clock of its own; what goes on at its end fails it.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

func has(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q is not in %s", word, text)
		}
	}
}
