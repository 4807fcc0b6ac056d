package toolsearch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
)

// Call answers a model's call of something visible. A failure is a reply too.
func (s *Surface) Call(ctx context.Context, r CallRequest) Reply {
	if !slices.ContainsFunc(s.controls, func(c control) bool { return c.name == r.Name }) {
		return s.callVisible(ctx, r)
	}
	switch r.Name {
	case SearchControl:
		return s.search(ctx, r)
	case DescribeControl:
		return s.describe(ctx, r)
	case CodeControl:
		return s.code(ctx, r)
	}
	return s.call(ctx, r)
}

// Run runs the tool that ref, an id or a unique name, means, and returns its
// whole result, never cut. It is for programs; models use Call.
func (s *Surface) Run(ctx context.Context, r Request) (toolcrib.Tool, toolcrib.Result, error) {
	t, result, err := s.opt.Caller.Call(ctx, r)
	return t, result, s.advise(err, r.Ref)
}

// call is the control.
func (s *Surface) call(ctx context.Context, r CallRequest) Reply {
	event := toolcrib.Event{Kind: toolcrib.EventCall, Scope: r.Scope, CallID: r.CallID}
	ref, in, err := readRef(r.Name, callFields, r.Args)
	if err != nil {
		s.record(event, s.opt.Now(), err)
		return failure(err)
	}
	if t, err := s.misdirected(r.Name, ref); err != nil {
		event.Tool, event.Source = t.ID, t.Source
		s.record(event, s.opt.Now(), err)
		return failure(err)
	}
	s.returnAlias(ref, r.Args, &in)
	s.forgetClientFields(ref, &in)
	t, result, err := s.Run(ctx, Request{
		ID: r.CallID + ":1", Ref: ref, Args: in.values["args"], Beside: in.beside,
		Scope: r.Scope, Progress: r.Progress, Ask: r.Ask, Via: r.Name,
	})
	if err != nil {
		return failure(err)
	}
	return s.envelope(t, result, r.Scope)
}

// returnAlias gives a property that was read in place of args back to the
// arguments beside, when the tool has a parameter of that name itself.
func (s *Surface) returnAlias(ref string, raw json.RawMessage, in *input) {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil || !isAbsent(object["args"]) || in.values["args"] == nil {
		return
	}
	t, err := s.opt.Catalog.Resolve(ref)
	if err != nil {
		return
	}
	for _, alias := range callFields[1].aliases {
		if value, sent := object[alias]; sent && !isAbsent(value) && hasProperty(t, alias) && string(value) == string(in.values["args"]) {
			in.beside[alias] = value
			delete(in.values, "args")
			return
		}
	}
}

func isAbsent(raw json.RawMessage) bool { return len(raw) == 0 || isNull(raw) }

// callVisible runs a tool that is shown directly, under the name that it has there.
func (s *Surface) callVisible(ctx context.Context, r CallRequest) Reply {
	t, err := s.directTool(r.Name)
	if errors.Is(err, catalog.ErrUnknown) { // it is the Caller who knows, and records, why
		_, _, err = s.Run(ctx, Request{ID: r.CallID, Ref: r.Name, Scope: r.Scope})
		return directFailure(err)
	}
	if err != nil {
		s.record(toolcrib.Event{Kind: toolcrib.EventCall, Scope: r.Scope, CallID: r.CallID}, s.opt.Now(), err)
		return directFailure(err)
	}
	ran, result, err := s.Run(ctx, Request{
		ID: r.CallID, Ref: t.ID, Args: withoutClientFields(t, r.Args), Scope: r.Scope, Progress: r.Progress, Ask: r.Ask,
	})
	if err != nil {
		return directFailure(err)
	}
	return s.native(ran, result, r.Scope)
}

// directTool finds what a model means by the name of a visible tool. In modes
// direct and directory an id or a unique name of the catalog will do too, but
// never the name of a control; in the others a tool behind the controls is not
// run by its name.
func (s *Surface) directTool(name string) (*toolcrib.Tool, error) {
	if t, ok := s.names.byName[name]; ok {
		return t, nil
	}
	t, err := s.opt.Catalog.Resolve(name)
	control := isControl(strings.TrimSpace(name))
	switch {
	case control && (err != nil || s.opt.Mode == ModeDirectory):
		return nil, toolcrib.NewError(toolcrib.KindNotFound, name+" is not offered in this mode", s.instead())
	case err != nil:
		return nil, s.advise(err, name)
	case s.controls != nil && s.opt.Mode != ModeDirectory && !slices.Contains(s.opt.Catalog.Direct(), t):
		return nil, toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("%q is not run by its own name here", clipText(name, 100)),
			"use "+s.callWith(t))
	}
	return t, nil
}

// instead says what to do when a control of another mode was called.
func (s *Surface) instead() string {
	switch {
	case s.opt.Mode == ModeCode:
		return "use " + CodeControl + ": inside its code, openclaw.tools has search, describe and call"
	case s.controls != nil:
		return "run tools with " + s.callWords()
	}
	return "call the tools of the tool list by their names"
}

// callWith says how this mode runs a tool that stands behind the controls.
func (s *Surface) callWith(t *toolcrib.Tool) string {
	if s.opt.Mode == ModeCode {
		return fmt.Sprintf("%s with code that runs openclaw.tools.call(%s, args)", CodeControl, encoded(t.ID))
	}
	return fmt.Sprintf("%s with id %s", s.callControl(t), encoded(t.ID))
}

func isControl(name string) bool { return slices.Contains(ControlNames(), name) }
