package process

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib/internal/sandbox"
	"github.com/toolcrib/toolcrib/internal/sandbox/wire"
)

// take handles one frame; ended says that it was the last.
func (r *run) take(frame wire.Frame) (ended bool, failure *sandbox.Failure) {
	var err error
	switch frame.Kind {
	case wire.KindCall:
		err = r.takeCall(frame)
	case wire.KindLog:
		err = r.takeLog(frame)
	case wire.KindDone:
		if err = r.takeDone(frame); err == nil {
			return true, nil
		}
	case wire.KindFailure:
		if failure, err = r.takeFailure(frame); err == nil {
			return true, failure
		}
	default:
		err = fmt.Errorf("%w: a frame %q in a run", wire.ErrProtocol, frame.Kind)
	}
	if err != nil {
		return true, violation(err)
	}
	return false, nil
}

// violation is the end of a child that doesn't keep to the protocol: its
// engine is broken, or was broken into.
func violation(err error) *sandbox.Failure {
	return &sandbox.Failure{Kind: sandbox.KindInternal, Message: "the sandbox's child was ended: " + err.Error()}
}

func (r *run) takeCall(frame wire.Frame) error {
	var m wire.Call
	if err := frame.Decode(&m); err != nil {
		return err
	}
	switch {
	case m.N != len(r.calls)+1 || m.N > r.limits.Calls:
		return fmt.Errorf("%w: call number %d after %d calls of at most %d", wire.ErrProtocol, m.N, len(r.calls), r.limits.Calls)
	case !r.functions[m.Function]:
		return fmt.Errorf("%w: a call of %.100q, which the script was not given", wire.ErrProtocol, m.Function)
	case len(m.Args) == 0 || m.Args[0] != '[' || len(m.Args) > maxArguments:
		return fmt.Errorf("%w: the arguments of call %d are no list of at most %d bytes", wire.ErrProtocol, m.N, maxArguments)
	}
	if r.sent += len(m.Args); r.sent > maxSent {
		return fmt.Errorf("%w: arguments of more than %d bytes", wire.ErrProtocol, maxSent)
	}
	r.mu.Lock()
	r.calls = append(r.calls, sandbox.Call{Function: m.Function, N: m.N, Args: m.Args})
	r.inFlight++
	r.mu.Unlock()
	r.serving.Go(func() { r.serve(m) })
	return nil
}

func (r *run) takeLog(frame wire.Frame) error {
	var m wire.Log
	if err := frame.Decode(&m); err != nil {
		return err
	}
	r.logBytes += len(m.Text) + 1
	switch {
	case m.Level != "log" && m.Level != "warn" && m.Level != "error":
		return fmt.Errorf("%w: a log of level %.100q", wire.ErrProtocol, m.Level)
	case r.logBytes > r.limits.Logs:
		return fmt.Errorf("%w: logs of more than %d bytes", wire.ErrProtocol, r.limits.Logs)
	}
	r.outcome.Logs = append(r.outcome.Logs, sandbox.Log(m))
	return nil
}

func (r *run) takeDone(frame wire.Frame) error {
	var m wire.Done
	if err := frame.Decode(&m); err != nil {
		return err
	}
	r.mu.Lock()
	inFlight := r.inFlight
	r.mu.Unlock()
	switch {
	case inFlight > 0:
		return fmt.Errorf("%w: done with %d calls in flight", wire.ErrProtocol, inFlight)
	case len(m.Value) == 0:
		return fmt.Errorf("%w: done without a value", wire.ErrProtocol)
	case len(m.Value) > r.limits.Result:
		return fmt.Errorf("%w: a result of %d bytes, at most %d", wire.ErrProtocol, len(m.Value), r.limits.Result)
	}
	r.outcome.Value, r.outcome.Notes = m.Value, m.Notes
	return nil
}

// A child may fail with one of these, or with what the host said before.
var childKinds = []string{sandbox.KindSyntax, sandbox.KindRuntime, sandbox.KindLimit, sandbox.KindInternal}

func (r *run) takeFailure(frame wire.Frame) (*sandbox.Failure, error) {
	var m wire.Failure
	if err := frame.Decode(&m); err != nil {
		return nil, err
	}
	if !slices.Contains(childKinds, m.Kind) && !slices.Contains(r.hostKinds(), m.Kind) {
		return nil, fmt.Errorf("%w: a failure of kind %.100q", wire.ErrProtocol, m.Kind)
	}
	r.outcome.Notes = m.Notes
	r.outcome.LogsCut = m.Limit == sandbox.LimitLogs
	return &sandbox.Failure{Kind: m.Kind, Limit: m.Limit, Message: m.Message, Line: m.Line, Column: m.Column, Stack: m.Stack, Data: m.Data}, nil
}

// died explains an end without a last word.
func (r *run) died() *sandbox.Failure {
	if r.child.err != nil && strings.Contains(r.child.err.Error(), wire.ErrProtocol.Error()) {
		return violation(r.child.err)
	}
	r.child.end()
	said := r.child.stderr.String()
	switch {
	case strings.Contains(said, "out of memory") || strings.Contains(said, "cannot allocate memory"):
		return &sandbox.Failure{Kind: sandbox.KindLimit, Limit: sandbox.LimitMemory}
	}
	message := "the sandbox's child ended unexpectedly (" + r.child.cmd.ProcessState.String() + ")"
	if said != "" {
		line, _, _ := strings.Cut(said, "\n")
		message += ": " + line
	}
	return &sandbox.Failure{Kind: sandbox.KindInternal, Message: message}
}

// answerFrame is a wire.Answer, without parsing the host's value again.
func answerFrame(n int, value json.RawMessage) []byte {
	frame := make([]byte, 0, len(value)+40)
	frame = fmt.Appendf(frame, `{"n":%d,"value":`, n)
	frame = append(frame, value...)
	return append(frame, '}')
}
