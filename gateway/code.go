package gateway

import (
	"context"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// CodeOptions bounds one run of a body of code.
type CodeOptions struct {
	// Timeout is how long it may take; 0 means tools.toolSearch.codeTimeoutMs.
	Timeout time.Duration
}

// RunCode runs the body of an async JavaScript function, which finds, describes
// and calls the session's tools as a model's does in mode code; the session may
// be in any mode. What goes wrong with the code is in the reply. An error means
// that it did not run: KindUnavailable where no isolated runtime can be had,
// KindBlocked where policy refuses the control tool_search_code.
func (s *Session) RunCode(ctx context.Context, code string, o CodeOptions) (client.CodeReply, error) {
	s.surface(ctx)
	s.mu.Lock()
	a, c := s.agent, s.catalog
	s.mu.Unlock()
	if err := s.mayRunCode(a); err != nil {
		return client.CodeReply{}, err
	}
	surface := s.gateway.surfaceOf(a, c, look{mode: toolsearch.ModeCode})
	id := newID()
	scope := s.scope
	scope.Run = id
	return wireCode(surface.RunCode(ctx, toolsearch.CodeRequest{Code: code, CallID: id, Scope: scope, Timeout: o.Timeout})), nil
}

// mayRunCode says why code can't be run for this session; nil when it can.
func (s *Session) mayRunCode(a *agent) error {
	if a.search.Effective() == string(toolsearch.ModeDirect) {
		return toolcrib.NewError(toolcrib.KindBlocked, "code is not run: Tool Search is switched off for agent "+a.id, "set tools.toolSearch")
	}
	control := toolsearch.ControlTool(toolsearch.CodeControl)
	if v := a.decide(&control, s.scope); !v.Allowed {
		return toolcrib.NewError(toolcrib.KindBlocked, "code is not run: policy refuses "+control.Name+" ("+v.Rule+")", "")
	}
	if _, err := s.gateway.runtimes.of(a.search); err != nil {
		return toolcrib.NewError(toolcrib.KindUnavailable, "code can't be run: "+err.Error(), "").WithCause(err)
	}
	return nil
}
