package invoke

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/toolcrib/toolcrib"
)

// track starts calls and says which of them have their turn.
type track struct {
	t     *testing.T
	lanes *lanes
	mu    sync.Mutex
	now   []string
	ends  map[string]func()
}

func (k *track) start(ctx context.Context, session, name string, alone bool) {
	go func() {
		leave, err := k.lanes.enter(ctx, toolcrib.Scope{Session: session}, alone)
		if err != nil {
			return
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		k.now = append(k.now, name)
		k.ends[name] = leave
	}()
	synctest.Wait()
}

func (k *track) end(name string) {
	k.mu.Lock()
	leave := k.ends[name]
	k.mu.Unlock()
	leave()
	leave() // once more does nothing
	synctest.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.now = slices.DeleteFunc(k.now, func(n string) bool { return n == name })
}

func (k *track) want(names ...string) {
	k.t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	slices.Sort(k.now)
	if !slices.Equal(k.now, names) {
		k.t.Errorf("running: %v, want %v", k.now, names)
	}
}

func TestLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &track{t: t, lanes: newLanes(), ends: map[string]func(){}}
		ctx := t.Context()
		k.start(ctx, "s", "a", false)
		k.start(ctx, "s", "b", false)
		k.want("a", "b")
		gone, cancel := context.WithCancel(ctx)
		k.start(ctx, "s", "ONE", true)
		k.start(gone, "s", "GONE", true)
		k.start(ctx, "s", "c", false)
		k.start(ctx, "other", "x", true) // another session doesn't wait
		k.want("a", "b", "x")
		k.end("a")
		k.want("b", "x")
		k.end("b")
		k.want("ONE", "x")
		cancel()
		synctest.Wait()
		k.end("ONE")
		k.want("c", "x") // the one that left the queue holds up nobody
		k.start(ctx, "s", "d", false)
		k.want("c", "d", "x")
		k.end("c")
		k.end("d")
		k.end("x")
		if n := len(k.lanes.open); n != 0 {
			t.Errorf("%d lanes are open after all calls have ended", n)
		}
	})
}

// TestSequentialTools run alone within their session, through the whole path.
func TestSequentialTools(t *testing.T) {
	h := build(t)
	var mu sync.Mutex
	running, alone, broken := 0, false, false
	h.executor.do = func(_ context.Context, c toolcrib.Call) (toolcrib.Result, error) {
		mine := c.Tool.Name == "alone"
		mu.Lock()
		broken = broken || alone || (mine && running > 0)
		running++
		alone = alone || mine
		mu.Unlock()
		runtime.Gosched()
		mu.Lock()
		running--
		if mine {
			alone = false
		}
		mu.Unlock()
		return toolcrib.Result{}, nil
	}
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			name := "add"
			if i%5 == 0 {
				name = "alone"
			}
			if _, _, err := h.run(t, name, `{"title":"x"}`); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if broken {
		t.Error("a sequential call ran beside another")
	}
}

// TestLanesUnderFire: with callers that come and go nothing is left behind.
func TestLanesUnderFire(t *testing.T) {
	l := newLanes()
	var wg sync.WaitGroup
	for i := range 500 {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			if i%3 == 0 {
				cancel()
			}
			defer cancel()
			leave, err := l.enter(ctx, toolcrib.Scope{Session: "s"}, i%2 == 0)
			if err == nil {
				leave()
			}
		})
	}
	wg.Wait()
	if len(l.open) != 0 {
		t.Errorf("%d lanes are left", len(l.open))
	}
}
