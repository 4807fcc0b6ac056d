package mcp

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// trial is one server that is tried by a Probe.
type trial struct {
	source *Source
	peer   *peer
	watch  *stopwatch

	mu  sync.Mutex
	odd []string // warnings of what it did on the way
}

// newTrial makes a source of one server that keeps nothing.
func newTrial(config *Server, o Options) *trial {
	t := &trial{watch: newStopwatch(config)}
	t.source = newSource(Options{Environ: o.Environ, Redact: o.Redact, Version: o.Version, tuning: o.tuning, passed: t.watch.pass})
	t.peer = newPeer(t.source, config, nil)
	t.peer.odd = func(line string) { t.note("it writes to stdout what is no message: " + line) }
	return t
}

// run connects, a second time where another manner of asking may help. The error
// is a diagnosis.
func (t *trial) run(ctx context.Context) (*conn, *list, error) {
	c, l, err := t.peer.open(ctx, t.peer.tuning.start)
	var why diagnosis
	if err == nil || ctx.Err() != nil || !t.peer.legacy.Load() || errors.As(err, &why) && why.fault == FaultSilent {
		return c, l, err
	}
	t.watch.reset()
	c, l, err = t.peer.open(ctx, t.peer.tuning.start)
	if err == nil {
		t.note("it was started a second time, because it can't bear server/discover, the question that the newest protocol begins with: " + why.happened())
	}
	return c, l, err
}

// note keeps a warning.
func (t *trial) note(warning string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.odd = append(t.odd, warning)
}

// warnings are those of the trial and of the list; nil is the list of a server
// that has none.
func (t *trial) warnings(l *list) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := slices.Clone(t.odd)
	if l != nil {
		out = append(out, t.peer.shown(l.warnings)...)
	}
	return out
}

// stopwatch takes the times of the stages of a start.
type stopwatch struct {
	stages []stage // those to come past

	mu    sync.Mutex
	at    time.Time
	steps []Step
}

// newStopwatch starts one for a server.
func newStopwatch(s *Server) *stopwatch {
	w := &stopwatch{at: time.Now(), stages: []stage{stageStart, stageHandshake, stageList}}
	if s.URL != "" {
		w.stages[0] = stageConnect
	}
	return w
}

// reset starts it anew.
func (w *stopwatch) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at, w.steps = time.Now(), nil
}

// pass notes that a stage is over, or that the one under way failed. One that is
// over already stays as it is.
func (w *stopwatch) pass(at stage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	step := Step{Name: string(at)}
	if at == stageFailed && len(w.steps) < len(w.stages) {
		step = Step{Name: string(w.stages[len(w.steps)]), Failed: true}
	}
	if slices.ContainsFunc(w.steps, func(s Step) bool { return s.Name == step.Name }) {
		return
	}
	now := time.Now()
	step.Took, w.at = now.Sub(w.at), now
	w.steps = append(w.steps, step)
}

// read returns the steps and the time of all of them.
func (w *stopwatch) read() (steps []Step, took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, step := range w.steps {
		took += step.Took
	}
	return slices.Clone(w.steps), took
}
