// Package engine owns QuickJS: one script in this process, with the prelude in
// front of it, given a host to call. It knows no pipe, no parent and no clock:
// who runs it bounds its time by ending the process.
package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"modernc.org/quickjs"

	"github.com/toolcrib/toolcrib/internal/sandbox/prelude"
)

// Host is what the script's calls and logs go to. An error of either ends the
// run at once, and no code of the script sees it.
type Host struct {
	// Call starts call n, and must not wait for its answer. args is the JSON text of an array.
	Call func(n int, function, args string) error
	// Log takes a line.
	Log func(level, text string) error
}

// Script is what to run.
type Script struct {
	// Code is the body; Bare is the same without a semicolon at its end, to be
	// read as one expression.
	Code, Bare string
	// Config is the JSON that the prelude begins with.
	Config json.RawMessage
	// Memory bounds the engine, in bytes; 0 for no bound.
	Memory int64
}

// Answer is the host's answer to call N: the JSON text of its value, or of
// {kind, message, data} when it isn't OK.
type Answer struct {
	N    int
	OK   bool
	Text string
}

// End is what came of a run: Value and Notes, or Failure, all JSON.
type End struct {
	Value, Notes string
	Failure      string
}

// Engine runs one script.
type Engine struct {
	vm         *quickjs.VM
	begin, run quickjs.Value
	settle     quickjs.Value
	idle       quickjs.Value
	host       Host
	end        *End
	stopped    error
	rejections *rejections
}

// New starts an engine and evaluates the prelude. Dates are in UTC from then
// on, in the whole process.
func New() (*Engine, error) {
	time.Local = time.UTC // the engine asks for the local zone; a script must not find it
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, fmt.Errorf("start QuickJS: %w", err)
	}
	vm.SetCanBlock(false)
	vm.SetGCThreshold(gcThreshold)
	e := &Engine{vm: vm}
	if err := e.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("load the prelude: %w", err), vm.Close())
	}
	if _, err := vm.EvalValue(warmUp, quickjs.EvalGlobal); err != nil {
		return nil, errors.Join(fmt.Errorf("warm up: %w", err), vm.Close())
	}
	if _, err := vm.ExecutePendingJobs(); err != nil {
		return nil, errors.Join(fmt.Errorf("warm up: %w", err), vm.Close())
	}
	return e, nil
}

// warmUp uses what scripts use, so that the memory of the engine and of this
// program is there when one comes. It leaves nothing behind.
const warmUp = `void (async function () {
  const list = await Promise.all([1, 2, 3].map(async x => ({ x, text: "item " + x })));
  const { text, ...rest } = JSON.parse(JSON.stringify(list.filter(item => item.x > 1)))[0];
  try { null.x } catch (e) { return [...text.replace(/\d+/g, n => n * 2), rest, e.message, new Map([[1, new Set()]])] }
})()`

// gcThreshold is how much is allocated between two searches for cycles.
const gcThreshold = 8 << 20

// LastLine is the last line that a script can have. The prelude begins behind
// it: all code of the engine has one file name, and so frames can be told apart.
const LastLine = 1 << 17

// hostObject gathers the functions of register, and a way to see the
// rejections that nobody handled; the prelude then takes all these globals away.
const hostObject = `({
  call: $call, log: $log, done: $done, fail: $fail, bytes: $bytes,
  pending: ((list, { hasOwn }) => () => {
    for (let i = 0; i < list.length; i++) if (hasOwn(list, i)) return { reason: list[i], __proto__: null };
  })($rejections, Object),
})`

func (e *Engine) load() error {
	if err := e.register(); err != nil {
		return err
	}
	var err error
	if e.rejections, err = watchRejections(e.vm); err != nil {
		return err
	}
	source := strings.Repeat("\n", LastLine+prelude.HeadLines) + prelude.Source
	api, err := e.vm.EvalValue("("+source+")("+hostObject+")", quickjs.EvalGlobal)
	if err != nil {
		return err
	}
	defer api.Free()
	for name, to := range map[string]*quickjs.Value{"begin": &e.begin, "run": &e.run, "settle": &e.settle, "idle": &e.idle} {
		atom, err := e.vm.NewAtom(name)
		if err != nil {
			return err
		}
		if *to, err = api.GetPropertyValue(atom); err != nil {
			return err
		}
	}
	return nil
}

// register makes the host's functions globals, which the prelude takes away.
func (e *Engine) register() error {
	text := func(args []any, i int) string {
		if i < len(args) {
			if s, ok := args[i].(string); ok {
				return s
			}
		}
		return ""
	}
	functions := map[string]quickjs.HostFunc{
		"$call": func(args []any) (any, error) {
			n, ok := args[0].(int)
			if !ok {
				return nil, e.stop(fmt.Errorf("the number of a call is a %T", args[0]))
			}
			return nil, e.stop(e.host.Call(n, text(args, 1), text(args, 2)))
		},
		"$log": func(args []any) (any, error) { return nil, e.stop(e.host.Log(text(args, 0), text(args, 1))) },
		"$done": func(args []any) (any, error) {
			e.finish(End{Value: text(args, 0), Notes: text(args, 1)})
			return nil, nil
		},
		"$bytes": func(args []any) (any, error) { return len(text(args, 0)), nil },
		"$fail":  func(args []any) (any, error) { e.finish(End{Failure: text(args, 0)}); return nil, nil },
	}
	for name, f := range functions {
		if err := e.vm.RegisterHostFunc(name, f); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) finish(end End) {
	if e.end == nil {
		e.end = &end
	}
}

// stop ends the run if err is set: nothing of the script runs any more.
func (e *Engine) stop(err error) error {
	if err != nil && e.stopped == nil {
		e.stopped = err
		e.vm.Interrupt()
	}
	return err
}

// Run runs the script to its end. The error is the host's, or that of an
// engine that can't go on. Run may be called once.
func (e *Engine) Run(s Script, host Host, answers <-chan Answer) (End, error) {
	e.host = host
	if _, err := e.begin.Call(quickjs.UndefinedValue, string(s.Config)); err != nil {
		return End{}, fmt.Errorf("begin: %w", err)
	}
	if s.Memory > 0 {
		e.vm.SetMemoryLimit(uintptr(s.Memory))
	}
	body, expression, failure := e.compile(s)
	if failure != nil {
		return *failure, nil
	}
	if _, err := e.run.Call(quickjs.UndefinedValue, body, expression); err != nil {
		return e.ended(err)
	}
	body.Free()
	return e.loop(answers)
}

// loop alternates between the script's jobs and the host's answers.
func (e *Engine) loop(answers <-chan Answer) (End, error) {
	for {
		if _, err := e.vm.ExecutePendingJobs(); e.over(err) {
			return e.ended(err)
		}
		if answer, ok := next(answers, false); ok {
			if err := e.answer(answer); e.over(err) {
				return e.ended(err)
			}
			continue
		}
		waits, err := e.idle.Call(quickjs.UndefinedValue)
		if err != nil || e.over(nil) {
			return e.ended(err)
		}
		if waits == true {
			answer, ok := next(answers, true)
			if !ok {
				return End{}, errors.New("the host went away")
			}
			if err := e.answer(answer); e.over(err) {
				return e.ended(err)
			}
		}
	}
}

func next(answers <-chan Answer, wait bool) (Answer, bool) {
	if wait {
		a, ok := <-answers
		return a, ok
	}
	select {
	case a, ok := <-answers:
		return a, ok
	default:
		return Answer{}, false
	}
}

func (e *Engine) answer(a Answer) error {
	_, err := e.settle.Call(quickjs.UndefinedValue, a.N, a.OK, a.Text)
	return err
}

// over reports whether the run has come to its end. An error of a single job
// isn't the run's: what it leaves undone shows as a promise that can't settle.
func (e *Engine) over(err error) bool {
	return e.end != nil || e.stopped != nil || outOfMemory(err)
}

// ended says what came of the run.
func (e *Engine) ended(err error) (End, error) {
	switch {
	case e.stopped != nil:
		return End{}, e.stopped
	case e.end != nil:
		return *e.end, nil
	case outOfMemory(err):
		return memoryEnd(), nil
	}
	return End{}, fmt.Errorf("the engine failed: %w", err)
}

// outOfMemory recognizes what the engine throws then; it throws null when
// there is no memory even for an error.
func outOfMemory(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "out of memory") || err.Error() == "null" || err.Error() == "OOM")
}

func memoryEnd() End {
	return End{Failure: `{"kind":"limit","limit":"memory","message":"out of memory"}`}
}

// compile makes a function of the code, in the first way that fits.
func (e *Engine) compile(s Script) (body quickjs.Value, expression bool, failure *End) {
	var last error
	for _, w := range prelude.Wrappings(s.Code, s.Bare) {
		if _, last = e.vm.Compile(w.Check, quickjs.EvalGlobal); last != nil {
			continue
		}
		if body, last = e.vm.EvalValue(w.Source, quickjs.EvalGlobal); last == nil {
			return body, w.Expression, nil
		}
	}
	end := syntaxEnd(last)
	return quickjs.Value{}, false, &end
}

func syntaxEnd(err error) End {
	if outOfMemory(err) {
		return memoryEnd()
	}
	failure := map[string]any{"kind": "syntax", "message": err.Error()}
	if e, ok := errors.AsType[*quickjs.Error](err); ok {
		failure["message"], failure["line"], failure["column"] = e.Message, e.LineNumber, e.ColumnNumber
	}
	text, err := json.Marshal(failure)
	if err != nil {
		return End{Failure: `{"kind":"syntax","message":"the code is not JavaScript"}`}
	}
	return End{Failure: string(text)}
}

// Close frees the engine. A child that ends anyhow needn't.
func (e *Engine) Close() error { return e.vm.Close() }
