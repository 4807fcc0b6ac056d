package gateway

import (
	"context"
	"fmt"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// maxCodeTimeout is the longest time that the operator may give a body of code.
const maxCodeTimeout = 15 * time.Minute

// Code implements httpapi.Control.
func (c control) Code(ctx context.Context, r client.CodeRequest) (client.CodeReply, error) {
	timeout := time.Duration(r.TimeoutMs) * time.Millisecond
	if r.TimeoutMs < 0 || timeout > maxCodeTimeout {
		return client.CodeReply{}, toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("a timeout of %d ms is not allowed", r.TimeoutMs),
			fmt.Sprintf("give up to %d, or 0 for the configured one", maxCodeTimeout.Milliseconds()))
	}
	s, err := c.session(r.Agent)
	if err != nil {
		return client.CodeReply{}, err
	}
	return s.RunCode(ctx, r.Code, CodeOptions{Timeout: timeout})
}

// wireCode is a result as programs and the control API get it.
func wireCode(r toolsearch.CodeResult) client.CodeReply {
	reply := client.CodeReply{
		OK: r.Error == nil, Value: r.Value, Hint: r.Hint, Notes: r.Notes, LogsTruncated: r.LogsCut,
		Logs: make([]client.CodeLog, 0, len(r.Logs)), Steps: make([]client.CodeStep, 0, len(r.Steps)), Telemetry: client.CodeTelemetry(r.Telemetry),
	}
	if e := r.Error; e != nil {
		reply.Error = &client.CodeError{
			Kind: string(e.Kind), Message: e.Message, Hint: e.Hint, Tool: e.Tool,
			Line: e.Line, Column: e.Column, Excerpt: e.Excerpt, Sort: e.Kind.Sort(),
		}
	}
	for _, l := range r.Logs {
		reply.Logs = append(reply.Logs, client.CodeLog(l))
	}
	for _, s := range r.Steps {
		reply.Steps = append(reply.Steps, client.CodeStep{
			N: s.N, Function: s.Function, Target: s.Target, OK: s.OK, Kind: s.Failure, Error: s.Error,
			StartedMs: milliseconds(s.Started), MS: milliseconds(s.Elapsed),
		})
	}
	for _, o := range r.Unavailable {
		reply.Unavailable = append(reply.Unavailable, client.Unavailable{Server: o.Server, Reason: o.Reason})
	}
	return reply
}

// milliseconds counts to the microsecond.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
