package mcpserver

import "sync"

// group counts goroutines. Unlike a sync.WaitGroup it may grow while somebody
// waits.
type group struct {
	mu   sync.Mutex
	n    int
	none sync.Cond
}

// start runs f in a goroutine of the group.
func (g *group) start(f func()) {
	g.mu.Lock()
	g.n++
	g.mu.Unlock()
	go func() {
		defer g.done()
		f()
	}()
}

func (g *group) done() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n--
	if g.n == 0 && g.none.L != nil {
		g.none.Broadcast()
	}
}

// wait returns when no goroutine of the group runs.
func (g *group) wait() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.none.L = &g.mu
	for g.n > 0 {
		g.none.Wait()
	}
}
