package attach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolcrib/toolcrib"
)

// TestBytesPassUntouched: whatever stands in a message, the other side gets the
// same bytes.
func TestBytesPassUntouched(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, g := greeted(t, nil)
		for _, line := range []string{
			`  { "params" : {"x":1.50, "x":2} , "method":"tools\/call", "id" : "\u00e4\n" ,"jsonrpc":"2.0"}  `,
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"s":"` + strings.Repeat("ü\\\"", 100_000) + `"}}`,
			`{"jsonrpc":"2.0","id":4,"method":"odd"}` + "\r",
		} {
			w.say(line)
			g.hears(line)
		}
		for _, line := range []string{
			`{"id":"ä\n","jsonrpc":"2.0" , "result":{"a":1.0,"a":2}}`,
			`[{"jsonrpc":"2.0","id":3,"result":{}}, {"jsonrpc":"2.0","method":"notifications/message"}]`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`,
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2}}`,
			answered("2"), answered("4"),
		} {
			g.say(line)
			w.hears(line)
		}
		w.end()
	})
}

// TestLostCall: a call that goes on when the gateway ends has failed; the client
// is introduced to the next gateway, hears nothing of that, and goes on there.
func TestLostCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, g := greeted(t, nil)
		w.say(request("1", "tools/call"), request(`"one"`, "tools/call"), request("2", "completion/complete"))
		g.hears(request("1", "tools/call"), request(`"one"`, "tools/call"), request("2", "completion/complete"))
		g.say(answered("1"))
		w.hears(answered("1"))
		g.conn.Close()
		e := w.failed("one")
		if e.Kind != toolcrib.KindUnavailable {
			t.Errorf("kind %s", e.Kind)
		}
		has(t, e.Hint, "look before repeating")
		m := w.nextMessage()
		if m["id"] != 2.0 || m["error"] == nil {
			t.Errorf("heard %v, want an error for 2", m)
		}
		g = w.regreeted()
		w.hears(changedNow)
		w.say(request("3", "tools/call"))
		g.hears(request("3", "tools/call"))
		g.say(answered("3"))
		w.hears(answered("3"))
		w.end()
	})
}

// TestQuestionsAreAskedAgain: what has no effect is asked at the next gateway, in
// its order, and the client notices nothing.
func TestQuestionsAreAskedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, g := greeted(t, nil)
		w.say(request("1", "tools/list"), request("2", "ping"))
		g.hears(request("1", "tools/list"), request("2", "ping"))
		for range maxRepeats {
			g.conn.Close()
			g = w.regreeted()
			g.hears(request("1", "tools/list"), request("2", "ping"))
			w.hears(changedNow)
		}
		g.say(answered("1"))
		w.hears(answered("1"))
		// It may be the question that ends them all.
		g.conn.Close()
		if m := w.nextMessage(); m["id"] != 2.0 || m["result"] == nil {
			t.Errorf("heard %v, want the relay's own answer to the ping", m)
		}
		w.end()
	})
}

// TestHandshakeIsLost: the gateway ends before it has answered the handshake.
func TestHandshakeIsLost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := start(t, nil)
		g := w.gateway()
		w.say(hello)
		g.hears(hello)
		g.conn.Close()
		g = w.gateway()
		g.hears(hello)
		g.say(helloBack)
		w.hears(helloBack)
		w.say(ready)
		g.hears(ready)
		g.conn.Close()
		w.regreeted()
		w.hears(changedNow)
		w.end()
	})
}

// TestLogLevelIsRepeated to the next gateway, whose answer is for nobody.
func TestLogLevelIsRepeated(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, g := greeted(t, nil)
		level := request("9", "logging/setLevel")
		w.say(level)
		g.hears(level)
		g.say(answered("9"))
		w.hears(answered("9"))
		g.conn.Close()
		g = w.regreeted()
		g.hears(level)
		w.hears(changedNow)
		g.say(answered("9"))
		quiet(t, w.out)
		w.end()
	})
}

// TestSubscriptions of the stateless era are made again; the client hears neither
// that the first has ended nor that there is another one.
func TestSubscriptions(t *testing.T) {
	const (
		listen = `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`
		ack    = `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`
		told   = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`
	)
	bubble(t, func(t *testing.T) {
		w := start(t, nil)
		g := w.gateway()
		w.say(listen)
		g.hears(listen)
		g.say(ack)
		w.hears(ack)
		for range maxRepeats {
			g.say(answered(`"l"`)) // as gateways do that shut down
			g.conn.Close()
			g = w.gateway()
			g.hears(listen)
			w.hears(told)
			g.say(ack)
			quiet(t, w.out)
		}
		// A gateway that ends a subscription and lives on means it.
		g.say(answered(`"l"`))
		quiet(t, w.out)
		time.Sleep(holding)
		w.hears(answered(`"l"`))
		g.conn.Close()
		g = w.gateway()
		quiet(t, g.lines)
		w.end()
	})
}

// TestRequestsWait while there is no gateway, and are sent once there is one.
func TestRequestsWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, g := greeted(t, nil)
		g.conn.Close()
		synctest.Wait()
		go w.say(request("1", "tools/call"), request("2", "tools/list"))
		for range 4 {
			w.nobody()
		}
		quiet(t, w.out)
		g = w.regreeted()
		g.hears(request("1", "tools/call"), request("2", "tools/list"))
		w.hears(changedNow)
		g.say(answered("2"), answered("1"))
		w.hears(answered("2"), answered("1"))
		quiet(t, g.lines)
		w.end()
	})
}

// TestPatienceEnds: after a while requests are answered at once, with the reason;
// the search for a gateway goes on.
func TestPatienceEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, g := greeted(t, nil)
		w.say(request("1", "tools/list"))
		g.hears(request("1", "tools/list"))
		g.conn.Close()
		go w.say(request("2", "tools/call"))
		lost := time.Now()
		refuse := make(chan struct{})
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			for {
				select {
				case w.next <- nil:
				case <-refuse:
					return
				}
			}
		}()
		first := <-w.out
		if took := time.Since(lost); took != DefaultPatience {
			t.Errorf("the answers came after %v", took)
		}
		// Which of the two is answered first is of no matter.
		both := first + <-w.out
		has(t, both, `"id":1,"error"`, `"id":2,"result"`, "nobody listens", "wake somebody", "unavailable")
		w.say(request("3", "tools/call"), request("4", "ping"), request("5", "resources/read"))
		if e := w.failed(3.0); e.Kind != toolcrib.KindUnavailable {
			t.Errorf("failed with %+v", e)
		}
		w.hears(`{"jsonrpc":"2.0","id":4,"result":{}}`)
		if m := w.nextMessage(); m["id"] != 5.0 || m["error"] == nil {
			t.Errorf("heard %v", m)
		}
		close(refuse)
		<-stopped
		g = w.regreeted()
		w.hears(changedNow)
		quiet(t, g.lines)
		w.say(request("6", "tools/call"))
		g.hears(request("6", "tools/call"))
		g.say(answered("6"))
		w.hears(answered("6"))
		w.end()
	})
}

// TestAnswersToTheDead: what the client says to a gateway that has ended reaches
// no other one.
func TestAnswersToTheDead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, g := greeted(t, nil)
		ask := request("1", "elicitation/create")
		g.say(ask)
		w.hears(ask)
		w.say(request("7", "tools/call"))
		g.hears(request("7", "tools/call"))
		g.conn.Close()
		w.failed(7.0)
		has(t, fmt.Sprint(w.nextMessage()), "notifications/cancelled", "requestId:1")
		g = w.regreeted()
		w.hears(changedNow)
		// The new gateway counts from 1, too.
		g.say(ask)
		synctest.Wait()
		has(t, <-g.lines, `"id":1,"error"`)
		w.say(
			answered("1"), // to the dead
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`,
		)
		quiet(t, g.lines)
		w.say(answered("1"), request("8", "tools/call"))
		g.hears(request("8", "tools/call"))
		g.say(ask)
		w.hears(ask)
		w.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`, answered("1"))
		g.hears(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`, answered("1"))
		g.say(answered("8"))
		w.hears(answered("8"))
		w.end()
	})
}

// TestCancelledCall is not answered when the gateway ends: nobody waits.
func TestCancelledCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, g := greeted(t, nil)
		stop := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
		w.say(request("1", "tools/call"), stop)
		g.hears(request("1", "tools/call"), stop)
		g.conn.Close()
		w.regreeted()
		w.hears(changedNow)
		w.end()
	})
}

// TestAnotherVersion: a gateway that agrees to another version than the client
// speaks by now is no gateway for it, and the client is told why.
func TestAnotherVersion(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, g := greeted(t, func(r *Relay) { r.Patience = time.Second })
		g.conn.Close()
		g = w.gateway()
		g.hears(hello)
		g.say(strings.Replace(helloBack, "2025-06-18", "2024-11-05", 1))
		synctest.Wait()
		time.Sleep(2 * time.Second)
		w.say(request("1", "tools/call"))
		e := w.failed(1.0)
		has(t, e.Message, "2024-11-05", "2025-06-18")
		has(t, e.Hint, "anew")
		w.regreeted()
		w.hears(changedNow)
		w.end()
	})
}

// TestMuteGateway: one that doesn't answer the handshake is given up.
func TestMuteGateway(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, g := greeted(t, nil)
		g.conn.Close()
		w.gateway().hears(hello)
		time.Sleep(greeting)
		w.regreeted()
		w.hears(changedNow)
		w.end()
	})
}

// TestEndOfInput: what was asked is answered, within Drain.
func TestEndOfInput(t *testing.T) {
	for name, c := range map[string]struct {
		answer bool
		took   time.Duration
	}{"answered": {true, time.Second}, "not answered": {false, DefaultDrain}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w, g := greeted(t, nil)
				w.say(request("1", "tools/call"), request("2", "subscriptions/listen"))
				begin := time.Now()
				w.in.Close()
				time.Sleep(time.Second)
				if c.answer {
					g.say(answered("1"))
				}
				if err := <-w.done; err != nil || time.Since(begin) != c.took {
					t.Errorf("Run = %v after %v, want %v", err, time.Since(begin), c.took)
				}
				if c.answer {
					w.hears(answered("1"))
				}
				quiet(t, w.out)
				synctest.Wait()
			})
		})
	}
}

// TestEndOfInputAndGateway: when both have ended there is nobody to wait for.
func TestEndOfInputAndGateway(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, g := greeted(t, nil)
		w.say(request("1", "tools/call"), request("2", "tools/list"))
		g.hears(request("1", "tools/call"), request("2", "tools/list"))
		w.in.Close()
		synctest.Wait()
		g.conn.Close()
		w.failed(1.0)
		has(t, fmt.Sprint(w.nextMessage()), "id:2", "error")
		if err := <-w.done; err != nil {
			t.Errorf("Run = %v", err)
		}
	})
}

// TestEndOfInputWithoutGateway: what waits for one is answered when it has waited
// long enough.
func TestEndOfInputWithoutGateway(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, g := greeted(t, nil)
		w.say(request("1", "tools/list"))
		g.hears(request("1", "tools/list"))
		g.conn.Close()
		quiet(t, w.out)
		begin := time.Now()
		w.in.Close()
		if err := <-w.done; err != nil || time.Since(begin) != DefaultDrain {
			t.Errorf("Run = %v after %v", err, time.Since(begin))
		}
		has(t, fmt.Sprint(w.nextMessage()), "id:1", "error", "unavailable")
	})
}

// TestLongHandshake: a handshake of any length is repeated.
func TestLongHandshake(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := start(t, nil)
		g := w.gateway()
		long := strings.Replace(hello, `"c"`, `"`+strings.Repeat("c", maxKept)+`"`, 1)
		w.say(long)
		g.hears(long)
		g.say(helloBack)
		w.hears(helloBack)
		g.conn.Close()
		g = w.gateway()
		g.hears(long)
		w.end()
	})
}

// TestEnds: by the context, by a client that doesn't read, and by a first attempt
// that fails.
func TestEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, g := greeted(t, nil)
		w.say(request("1", "tools/call"))
		w.stop()
		if err := <-w.done; err != context.Canceled {
			t.Errorf("Run = %v, want %v", err, context.Canceled)
		}
		g.hears(request("1", "tools/call"))
		if line, open := <-g.lines; open {
			t.Errorf("the gateway heard %s, want the end", line)
		}
		w.in.Close()
	})
	bubble(t, func(t *testing.T) {
		reader, out := io.Pipe()
		reader.Close()
		w := start(t, func(r *Relay) { r.Out = out })
		g := w.gateway()
		g.say(changedNow)
		if err := <-w.done; !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("Run = %v, want %v", err, io.ErrClosedPipe)
		}
		w.in.Close()
		g.conn.Close()
	})
	bubble(t, func(t *testing.T) {
		w := start(t, nil)
		w.nobody()
		if err := <-w.done; err != error(errNobody) {
			t.Errorf("Run = %v, want %v", err, errNobody)
		}
	})
}

// temporary is a connection for which a better one may come.
type temporary struct {
	net.Conn
	better chan struct{}
}

func (c temporary) Superseded(ctx context.Context) bool {
	select {
	case <-c.better:
		return true
	case <-ctx.Done():
		return false
	}
}

// TestTemporary: a connection is left for a better one, with all that is open
// there: at once when no tool was called through it, else when none has been going
// on for a while.
func TestTemporary(t *testing.T) {
	for name, calls := range map[string]bool{"no call": false, "a call": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := start(t, nil)
				near, far := net.Pipe()
				better := make(chan struct{})
				w.next <- temporary{near, better}
				g := newPeer(t, far)
				w.say(hello)
				g.hears(hello)
				g.say(helloBack)
				w.hears(helloBack)
				w.say(ready, request("1", "tools/list"))
				g.hears(ready, request("1", "tools/list"))
				if calls {
					w.say(request("2", "tools/call"))
					g.hears(request("2", "tools/call"))
				}
				close(better)
				if calls {
					time.Sleep(5 * DefaultRest)
					g.say(answered("2"))
					w.hears(answered("2"))
					time.Sleep(DefaultRest - time.Millisecond)
					w.say(request("3", "ping")) // is no reason to stay
					g.hears(request("3", "ping"))
					g.say(answered("3"))
					w.hears(answered("3"))
					<-w.began // the first
					synctest.Wait()
					if len(w.began) > 0 {
						t.Error("the connection was left too early")
					}
				}
				g = w.regreeted()
				g.hears(request("1", "tools/list"))
				w.hears(changedNow)
				g.say(answered("1"))
				w.hears(answered("1"))
				w.end()
			})
		})
	}
}

// TestBadLines of the client are answered, and those of the gateway dropped.
func TestBadLines(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, g := greeted(t, nil)
		w.say("hello?", "", "  ")
		has(t, fmt.Sprint(w.nextMessage()), "-32700")
		w.say(`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", maxLine) + `"}`)
		has(t, fmt.Sprint(w.nextMessage()), "-32600", "16 MiB")
		for _, bad := range []string{`{}`, `1`, `[` + request("7", "ping") + `]`, `{"id":7,"method":"ping"}`, `{"jsonrpc":"2.0","id":true,"method":"ping"}`} {
			w.say(bad)
			has(t, fmt.Sprint(w.nextMessage()), "-32600")
		}
		quiet(t, g.lines)
		g.say("debug: hello", "", `{"jsonrpc":"2.0","id":1,"resu`)
		quiet(t, w.out)
		w.end()
	})
}

// TestOneIDTwice: the second request is refused, and the first answered, also when
// its gateway ends; then the id is free again.
func TestOneIDTwice(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, g := greeted(t, nil)
		twice := func() {
			w.say(request("5", "tools/call"), request("5.0", "tools/list"))
			g.hears(request("5", "tools/call"))
			has(t, fmt.Sprint(w.nextMessage()), "-32600", "still going on", "id:5")
			quiet(t, g.lines)
		}
		twice()
		g.say(answered("5"))
		w.hears(answered("5"))
		twice()
		g.conn.Close()
		w.failed(5.0)
		w.regreeted()
		w.hears(changedNow)
		w.end()
	})
}

// TestTooManyRequests are refused, not kept.
func TestTooManyRequests(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, g := greeted(t, nil)
		for i := range maxFlights {
			w.say(request(fmt.Sprint(i), "tools/call"))
		}
		w.say(request("5000", "tools/call"))
		if e := w.failed(5000.0); e.Kind != toolcrib.KindLimit {
			t.Errorf("failed with %+v", e)
		}
		g.say(answered("17"))
		w.hears(answered("17"))
		w.say(request("5001", "tools/call"))
		synctest.Wait()
		if n := len(g.lines); n != maxFlights+1 {
			t.Errorf("the gateway heard %d requests", n)
		}
		w.in.Close()
		<-w.done
	})
}

// TestIncomplete options.
func TestIncomplete(t *testing.T) {
	if err := (Relay{In: strings.NewReader(""), Out: io.Discard}).Run(t.Context()); err == nil {
		t.Error("Run without Connect succeeded")
	}
}

// TestClientDoesNotRead: the end comes all the same.
func TestClientDoesNotRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		reader, out := io.Pipe()
		w := start(t, func(r *Relay) { r.Out = out })
		g := w.gateway()
		g.say(changedNow)
		synctest.Wait()
		begin := time.Now()
		w.stop()
		if err := <-w.done; err != context.Canceled || time.Since(begin) != 2*lastWords {
			t.Errorf("Run = %v after %v", err, time.Since(begin))
		}
		w.in.Close()
		reader.Close()
	})
}
