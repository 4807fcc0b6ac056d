package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/sandbox"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// Bounds of CodeOptions.Runs.
const (
	DefaultRuns = 20
	MaxRuns     = 1000
)

// CodeOptions says what to measure of code.
type CodeOptions struct {
	// Runs is how often each body is run in each way, DefaultRuns when 0.
	Runs int
	// Progress is told what is being measured; nil when nobody listens.
	Progress func(string)
}

// CodeReport is what was measured.
type CodeReport struct {
	System string `json:"system"` // "linux/amd64, 2 processors"
	Runs   int    `json:"runs"`
	// Ways are the columns: how a body is run.
	Ways []CodeWay `json:"ways"`
	// Bodies are the rows.
	Bodies []CodeBody `json:"bodies"`
}

// CodeWay is a runtime, warm or cold. Error says why it could not be measured.
type CodeWay struct {
	Name  string `json:"name"`
	Error string `json:"error,omitempty"`
}

// CodeBody is one body of code and the median time of a run in each way, in
// milliseconds; 0 where it could not be measured.
type CodeBody struct {
	Name string    `json:"name"`
	MS   []float64 `json:"ms"`
}

// Code measures bodies of code in each runtime that can be had here. Every run
// takes the whole way of a model's call: the surface, the child, the bridge, and
// the one way to run a tool. A warm run finds a child that waits; a cold one
// starts it. It fails when a body doesn't do what it should.
func Code(ctx context.Context, o CodeOptions) (CodeReport, error) {
	if o.Runs < 0 || o.Runs > MaxRuns {
		return CodeReport{}, toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("%d runs are not from 1 to %d", o.Runs, MaxRuns), "")
	}
	if o.Runs == 0 {
		o.Runs = DefaultRuns
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	tools, err := newWorkbench()
	if err != nil {
		return CodeReport{}, err
	}
	report := CodeReport{System: fmt.Sprintf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0)), Runs: o.Runs}
	for _, b := range bodies {
		report.Bodies = append(report.Bodies, CodeBody{Name: b.name})
	}
	for _, w := range ways {
		o.Progress("starting " + w.name)
		column, err := w.measure(ctx, o, tools)
		if ctx.Err() != nil {
			return report, toolcrib.NewError(toolcrib.KindCanceled, "cancelled", "").WithCause(ctx.Err())
		}
		if broken := (*brokenBody)(nil); errors.As(err, &broken) {
			return report, toolcrib.NewError(toolcrib.KindInternal, broken.Error(), "")
		}
		way := CodeWay{Name: w.name}
		if err != nil {
			way.Error, column = err.Error(), make([]float64, len(bodies))
		}
		report.Ways = append(report.Ways, way)
		for i := range report.Bodies {
			report.Bodies[i].MS = append(report.Bodies[i].MS, column[i])
		}
	}
	return report, nil
}

// runner is a runtime that can be made ready before a run.
type runner interface {
	sandbox.Runtime
	Warm(ctx context.Context) (sandbox.Isolation, error)
}

// way is one way to run a body.
type way struct {
	name string
	warm bool
	open func() (runner, error)
}

// brokenBody is a body that did not do what it should.
type brokenBody struct{ why string }

func (b *brokenBody) Error() string { return b.why }

// measure returns the median of each body, in milliseconds.
func (w way) measure(ctx context.Context, o CodeOptions, tools *workbench) (column []float64, err error) {
	r, err := w.open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if _, err := r.Warm(ctx); err != nil { // the first child also brings the program into memory
		return nil, err
	}
	surface, err := tools.surface(r)
	if err != nil {
		return nil, err
	}
	for _, b := range bodies {
		o.Progress(w.name + ": " + b.name)
		times := make([]time.Duration, 0, o.Runs)
		for n := range b.runs(o.Runs) {
			if err := w.settle(ctx, r); err != nil {
				return nil, err
			}
			start := time.Now()
			result := surface.RunCode(ctx, toolsearch.CodeRequest{
				Code: b.code, CallID: fmt.Sprintf("bench-%d", n), Timeout: time.Minute,
				Scope: toolcrib.Scope{Door: toolcrib.DoorCLI, Agent: toolcrib.DefaultAgent, Session: "bench", Owner: true},
			})
			times = append(times, time.Since(start))
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case result.Error != nil:
				return nil, &brokenBody{fmt.Sprintf("%s: %s: %s: %s", w.name, b.name, result.Error.Kind, result.Error.Message)}
			case string(result.Value) != b.want:
				return nil, &brokenBody{fmt.Sprintf("%s: %s: it returned %.200s, want %s", w.name, b.name, result.Value, b.want)}
			}
		}
		column = append(column, median(times))
	}
	return column, nil
}

// quiet is how long nothing is done before a run, so that what the run before
// left to do in the background doesn't count.
const quiet = 60 * time.Millisecond

// settle makes ready for the next run.
func (w way) settle(ctx context.Context, r runner) error {
	if w.warm {
		if _, err := r.Warm(ctx); err != nil {
			return err
		}
	}
	timer := time.NewTimer(quiet)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// median is that of some times, in milliseconds to the hundredth.
func median(times []time.Duration) float64 {
	slices.Sort(times)
	middle := times[len(times)/2]
	if len(times)%2 == 0 {
		middle = (middle + times[len(times)/2-1]) / 2
	}
	return float64(middle.Round(10*time.Microsecond).Microseconds()) / 1000
}
