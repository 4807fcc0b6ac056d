package gateway

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/sandbox"
)

// runtimes are the isolated runtimes of code. One is started when code is wanted
// for the first time, and shared by all sessions from then on; without code
// there is none.
type runtimes struct {
	// start starts and probes a runtime. The error says why it can't be had.
	start  func(context.Context, wantedRuntime) (sandbox.Runtime, error)
	logger *slog.Logger
	ctx    context.Context // of the starts; ends with close
	cancel context.CancelFunc

	mu     sync.Mutex
	tried  map[wantedRuntime]triedRuntime
	closed bool
}

// wantedRuntime is what the configuration asks for.
type wantedRuntime struct {
	name        string // "embedded" or "node"
	processOnly bool   // the operating system's fence may be missing
}

// triedRuntime is what came of it.
type triedRuntime struct {
	runtime sandbox.Runtime
	err     error
	at      time.Time
}

// tryAgain is how long a runtime that could not be started is taken as missing.
const tryAgain = time.Minute

// wanted reads the configuration: "auto" is the embedded runtime. An explicit
// one is that one or none.
func wanted(t config.ToolSearch) wantedRuntime {
	w := wantedRuntime{name: t.CodeRuntime, processOnly: t.CodeIsolation == "process"}
	if w.name == "" || w.name == "auto" {
		w.name = "embedded"
	}
	return w
}

// of returns the runtime of a configuration. Each failure to start one is logged.
func (r *runtimes) of(t config.ToolSearch) (sandbox.Runtime, error) {
	w := wanted(t)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errors.New("the gateway is shutting down")
	}
	if had, ok := r.tried[w]; ok && (had.err == nil || time.Since(had.at) < tryAgain) {
		return had.runtime, had.err
	}
	runtime, err := r.start(r.ctx, w)
	if err != nil {
		r.logger.Warn("code mode is not to be had, so mode tools is used in its place", "runtime", w.name, "reason", err)
	}
	if r.tried == nil {
		r.tried = map[wantedRuntime]triedRuntime{}
	}
	r.tried[w] = triedRuntime{runtime, err, time.Now()}
	return runtime, err
}

// close ends all runtimes, and with them what they run.
func (r *runtimes) close() error {
	r.cancel()
	r.mu.Lock()
	r.closed = true
	tried := r.tried
	r.tried = nil
	r.mu.Unlock()
	var all error
	for _, t := range tried {
		if t.err == nil {
			all = errors.Join(all, t.runtime.Close())
		}
	}
	return all
}

// runner runs code in the runtime of a configuration.
type runner struct {
	runtimes *runtimes
	search   config.ToolSearch
}

// Run implements toolsearch.Runner.
func (r runner) Run(ctx context.Context, s sandbox.Script, h sandbox.Host) (sandbox.Outcome, error) {
	runtime, err := r.runtimes.of(r.search)
	if err != nil {
		return sandbox.Outcome{}, err
	}
	outcome, err := runtime.Run(ctx, s, h)
	if err != nil {
		r.runtimes.logger.Error("code could not be run", "runtime", runtime.Name(), "error", err)
	}
	return outcome, err
}
