package bench

import (
	"context"
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
	// Path is where Node is looked for, as in the variable PATH.
	Path string
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
	all := make([]*opened, len(ways))
	for i, w := range ways {
		o.Progress("starting " + w.name)
		all[i] = w.start(ctx, o, tools)
		defer all[i].close()
		report.Ways = append(report.Ways, CodeWay{w.name, all[i].why()})
	}
	for _, b := range bodies {
		o.Progress(b.name)
		row, err := measure(ctx, b, all, b.runs(o.Runs))
		switch {
		case ctx.Err() != nil:
			return report, toolcrib.NewError(toolcrib.KindCanceled, "cancelled", "").WithCause(ctx.Err())
		case err != nil:
			return report, toolcrib.NewError(toolcrib.KindInternal, err.Error(), "").WithCause(err)
		}
		report.Bodies = append(report.Bodies, row)
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
	open func(path string) (runner, error)
}

// opened is a way that was tried.
type opened struct {
	way
	runner  runner
	surface *toolsearch.Surface
	err     error // why it can't be measured
}

// start opens a way. A first child brings the program into memory.
func (w way) start(ctx context.Context, o CodeOptions, tools *workbench) *opened {
	x := &opened{way: w}
	if x.runner, x.err = w.open(o.Path); x.err != nil {
		return x
	}
	if _, x.err = x.runner.Warm(ctx); x.err == nil {
		x.surface, x.err = tools.surface(x.runner)
	}
	return x
}

func (x *opened) why() string {
	if x.err == nil {
		return ""
	}
	return x.err.Error()
}

func (x *opened) close() {
	if x.surface != nil {
		_ = x.runner.Close() // all was measured by then
	}
}

// measure runs a body in each way, one after the other and then again, so that
// what else the machine does meets all of them alike.
func measure(ctx context.Context, b body, all []*opened, runs int) (CodeBody, error) {
	times := make([][]time.Duration, len(all))
	for n := range runs {
		for i, x := range all {
			if x.err != nil {
				continue
			}
			took, err := x.run(ctx, b, n)
			if err != nil {
				return CodeBody{}, fmt.Errorf("%s: %s: %w", x.name, b.name, err)
			}
			times[i] = append(times[i], took)
		}
	}
	row := CodeBody{Name: b.name}
	for _, t := range times {
		row.MS = append(row.MS, median(t))
	}
	return row, nil
}

// run measures one run, the n-th of its body.
func (x *opened) run(ctx context.Context, b body, n int) (time.Duration, error) {
	if err := x.settle(ctx, x.runner); err != nil {
		return 0, err
	}
	start := time.Now()
	result := x.surface.RunCode(ctx, toolsearch.CodeRequest{
		Code: b.code, CallID: fmt.Sprintf("bench-%d", n), Timeout: time.Minute,
		Scope: toolcrib.Scope{Door: toolcrib.DoorCLI, Agent: toolcrib.DefaultAgent, Session: "bench", Owner: true},
	})
	took := time.Since(start)
	if result.Error != nil {
		return 0, fmt.Errorf("%s: %s", result.Error.Kind, result.Error.Message)
	}
	if string(result.Value) != b.want {
		return 0, fmt.Errorf("it returned %.200s, want %s", result.Value, b.want)
	}
	return took, nil
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

// median is that of some times, in milliseconds to the hundredth; 0 for none.
func median(times []time.Duration) float64 {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	middle := times[len(times)/2]
	if len(times)%2 == 0 {
		middle = (middle + times[len(times)/2-1]) / 2
	}
	return float64(middle.Round(10*time.Microsecond).Microseconds()) / 1000
}
