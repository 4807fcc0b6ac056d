package mcp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
)

// randomServers is a configuration of up to five servers, each configured in one
// of many ways.
func randomServers(t *testing.T, r *rand.Rand) (out []Server) {
	t.Helper()
	prefix := "p"
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		if r.IntN(4) == 0 {
			continue
		}
		s := fake(t, name, "two", fmt.Sprint("--flavour=", r.IntN(2)))
		s.Enabled = r.IntN(6) > 0
		s.Trusted, s.CallsSequential = r.IntN(2) == 0, r.IntN(3) == 0
		s.Timeout = time.Duration(20+r.IntN(2)) * time.Second
		s.Allow = [][]string{nil, {}, {"e*"}, {"none"}}[r.IntN(4)]
		s.Prefix = []*string{nil, &prefix}[r.IntN(2)]
		s.Scope = []string{"", "", ScopeShared, ScopeSession, "odd"}[r.IntN(5)]
		if r.IntN(8) == 0 {
			s.Allow = []string{" "} // can't be used
		}
		out = append(out, s)
	}
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// seen is what a session sees of a source when it has settled.
func seen(t *testing.T, s *Source) []toolcrib.Listing {
	t.Helper()
	ctx := limit(t)
	scope := toolcrib.Scope{Session: "x"}
	s.Settle(ctx, scope)
	if ctx.Err() != nil {
		t.Fatalf("it doesn't settle: %+v", s.Status())
	}
	return s.Listings(ctx, scope)
}

// pidsOf are the processes of shared servers.
func pidsOf(s *Source) map[string]int {
	out := map[string]int{}
	for _, st := range s.Status() {
		if st.Scope == ScopeShared && st.PID != 0 {
			out[st.Name] = st.PID
		}
	}
	return out
}

// TestUpdateProperty makes random updates: each ends where a fresh start with the
// same servers ends, what was kept has its process still, and no process is left over.
func TestUpdateProperty(t *testing.T) {
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := open(t, Options{Servers: randomServers(t, r)})
		var last []Server
		for range 4 {
			for range r.IntN(3) { // some follow each other at once
				if _, err := s.Update(randomServers(t, r)); err != nil {
					t.Fatal(err)
				}
			}
			if r.IntN(2) == 0 {
				seen(t, s)
			}
			before := pidsOf(s)
			last = randomServers(t, r)
			change, err := s.Update(last)
			if err != nil {
				t.Fatal(err)
			}
			now := pidsOf(s)
			for _, name := range change.Kept {
				if before[name] != 0 && now[name] != before[name] {
					t.Errorf("seed %d: %s was kept, its process %d is %d now", seed, name, before[name], now[name])
				}
			}
			if all := slices.Sorted(slices.Values(slices.Concat(change.Added, change.Changed, change.Kept))); len(all) != len(last) {
				t.Errorf("seed %d: %d servers, the change tells of %v", seed, len(last), all)
			}
		}
		fresh := open(t, Options{Servers: last})
		if diff := cmp.Diff(seen(t, fresh), seen(t, s)); diff != "" {
			t.Errorf("seed %d: unlike a fresh start: %s", seed, diff)
		}
		_ = fresh.Close()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUpdateConcurrent changes servers while all else goes on.
func TestUpdateConcurrent(t *testing.T) {
	stay := fake(t, "stay", "two")
	s := open(t, Options{Servers: []Server{stay}, CacheDir: t.TempDir(), OnChange: func(string) {}})
	pid := ready(t, s, "stay").pid
	ctx, stop := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	loop := func(do func(scope toolcrib.Scope)) {
		busy.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				do(toolcrib.Scope{Session: fmt.Sprint(i % 3)})
			}
		})
	}
	loop(func(scope toolcrib.Scope) {
		for _, l := range s.Listings(ctx, scope) {
			if l.Owner == "stay" && (l.State != toolcrib.StateReady || len(l.Tools) != 2) {
				t.Errorf("what stays is listed as %s with %d tools: %s", l.State, len(l.Tools), l.Reason)
			}
		}
	})
	loop(func(scope toolcrib.Scope) {
		for _, st := range s.Status() {
			if st.Name == "stay" && st.PID != pid {
				t.Errorf("what stays has process %d, had %d", st.PID, pid)
			}
		}
	})
	loop(func(scope toolcrib.Scope) {
		_, err := s.Execute(ctx, toolcrib.Call{Tool: toolcrib.Tool{Owner: "stay", Name: "pid"}, Scope: scope})
		if err != nil && ctx.Err() == nil {
			t.Errorf("a call of what stays: %v", err)
		}
	})
	loop(func(scope toolcrib.Scope) {
		_, err := s.Execute(ctx, toolcrib.Call{Tool: toolcrib.Tool{Owner: "a", Name: "pid"}, Scope: scope})
		switch toolcrib.KindOf(err) {
		case "", toolcrib.KindNotFound, toolcrib.KindUnavailable, toolcrib.KindCanceled:
		default:
			t.Errorf("a call of what changes: %v", err)
		}
	})
	loop(func(scope toolcrib.Scope) {
		_ = s.Restart(ctx, "b")
		s.EndSession(scope.Session)
		_, _ = s.Log("a", 5)
	})
	for seed := range uint64(40) {
		if _, err := s.Update(append(randomServers(t, rand.New(rand.NewPCG(seed, 2))), stay)); err != nil {
			t.Fatal(err)
		}
		sleep(ctx, time.Duration(seed%5)*10*time.Millisecond)
	}
	stop()
	busy.Wait()
	if got := ready(t, s, "stay"); got.pid != pid || got.starts != 1 {
		t.Errorf("process %d after %d starts, was %d", got.pid, got.starts, pid)
	}
}
