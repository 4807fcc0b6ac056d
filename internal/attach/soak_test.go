package attach

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestEveryRequestIsAnsweredOnce while gateways are killed at random moments, in
// the middle of lines too, and new ones come at random moments.
func TestEveryRequestIsAnsweredOnce(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { soak(t, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

func soak(t *testing.T, r *rand.Rand) {
	const requests = 400
	in, toRelay := io.Pipe()
	fromRelay, out := io.Pipe()
	seeds := make(chan uint64, 10000)
	for range cap(seeds) {
		seeds <- r.Uint64()
	}
	relay := Relay{In: in, Out: out, Connect: func(ctx context.Context, why Reason) (io.ReadWriteCloser, error) {
		r := rand.New(rand.NewPCG(<-seeds, 2))
		select {
		case <-time.After(time.Duration(r.IntN(3000)) * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if why.Err != nil && r.IntN(3) == 0 {
			return nil, errNobody
		}
		near, far := net.Pipe()
		go mortal(far, r)
		return near, nil
	}}
	done := make(chan error, 1)
	go func() {
		done <- relay.Run(t.Context())
		out.Close()
	}()
	go func() {
		fmt.Fprintln(toRelay, hello)
		fmt.Fprintln(toRelay, ready)
		methods := []string{"tools/call", "tools/call", "tools/list", "ping", "resources/read"}
		for i := 1; i <= requests; i++ {
			time.Sleep(time.Duration(r.IntN(100)) * time.Millisecond)
			fmt.Fprintln(toRelay, request(fmt.Sprint(i), methods[r.IntN(len(methods))]))
		}
		time.Sleep(time.Minute)
		toRelay.Close()
	}()
	answers := map[int]int{}
	failures := 0
	for lines := bufio.NewScanner(fromRelay); lines.Scan(); {
		var all []map[string]json.RawMessage
		line := lines.Bytes()
		if line[0] != '[' {
			line = slices.Concat([]byte("["), line, []byte("]"))
		}
		if err := json.Unmarshal(line, &all); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		for _, m := range all {
			if m["method"] != nil {
				continue
			}
			var id int
			if err := json.Unmarshal(m["id"], &id); err != nil {
				t.Fatal(err)
			}
			answers[id]++
			if m["error"] != nil || m["result"] != nil && string(m["result"]) != "{}" {
				failures++
			}
		}
	}
	if err := <-done; err != nil {
		t.Errorf("Run = %v", err)
	}
	for i := range requests + 1 {
		if answers[i] != 1 {
			t.Errorf("request %d was answered %d times", i, answers[i])
		}
	}
	if failures == 0 || failures > requests/2 {
		t.Errorf("%d of %d requests failed: the test proves little", failures, requests)
	}
}

// mortal is a gateway that answers everything in its time, and dies.
func mortal(conn net.Conn, r *rand.Rand) {
	var life time.Duration
	if r.IntN(5) > 0 {
		life = time.Duration(r.IntN(4000)) * time.Millisecond
	}
	death := time.AfterFunc(life, func() { conn.Close() })
	defer death.Stop()
	writing := make(chan struct{}, 1)
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		line := slices.Clone(lines.Bytes())
		all, _ := peek(line)
		pause, half := time.Duration(r.IntN(300))*time.Millisecond, r.IntN(200) == 0
		go func() {
			for _, m := range all {
				if !m.request() {
					continue
				}
				if m.method != methodInitialize {
					time.Sleep(pause)
				}
				answer := []byte(`{"jsonrpc":"2.0","id":` + string(m.id) + `,"result":{}}` + "\n")
				writing <- struct{}{}
				if half {
					conn.Write(answer[:len(answer)/2])
					conn.Close()
				}
				conn.Write(answer)
				<-writing
			}
		}()
	}
}
