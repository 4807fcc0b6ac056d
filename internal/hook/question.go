package hook

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/toolcrib/toolcrib"
)

// check refuses what can't be offered; what is merely too long is cut later.
func (a Approval) check() error {
	switch a.Severity {
	case "", toolcrib.SeverityInfo, toolcrib.SeverityWarning, toolcrib.SeverityCritical:
	default:
		return fmt.Errorf("the severity %q of its approval is none of info, warning and critical", cut(string(a.Severity), maxKey))
	}
	if a.Decisions != nil && !slices.ContainsFunc(a.Decisions, toolcrib.Decision.Allows) {
		return errors.New("its approval offers no way to allow the call")
	}
	for _, d := range a.Decisions {
		if !d.Allows() && d != toolcrib.Deny {
			return fmt.Errorf("the decision %q of its approval is none of allow-once, allow-always and deny", cut(string(d), maxKey))
		}
	}
	if a.Timeout < 0 {
		return errors.New("the time of its approval is below zero")
	}
	return nil
}

// question is what a person is asked. Its id, its times and its view of the
// arguments, which later hooks may still change, are for whoever asks it.
func (r *Runner) question(h *hook, call *toolcrib.Call, a answer) toolcrib.Question {
	p := a.approval
	decisions := []toolcrib.Decision{toolcrib.AllowOnce, toolcrib.Deny}
	if p.Decisions != nil {
		decisions = nil
		for _, d := range append(slices.Clone(p.Decisions), toolcrib.Deny) {
			if !slices.Contains(decisions, d) {
				decisions = append(decisions, d)
			}
		}
	}
	return toolcrib.Question{
		Title:       cut(r.clean(cmp.Or(p.Title, call.Tool.ID)), toolcrib.MaxTitle),
		Description: cut(r.clean(cmp.Or(p.Description, a.reason)), toolcrib.MaxDescription),
		Severity:    cmp.Or(p.Severity, toolcrib.SeverityWarning), Decisions: decisions,
		Tool: call.Tool.ID, Source: call.Tool.Source, CallID: call.ID, Scope: call.Scope,
		Rule: "hooks." + h.Name, BindArgs: !p.AnyArgs,
		Timeout: min(cmp.Or(p.Timeout, toolcrib.DefaultApprovalFor), toolcrib.MaxApprovalFor),
	}
}
