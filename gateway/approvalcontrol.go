package gateway

import (
	"context"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/approval"
)

// operator is who answers through the control API.
const operator = "an operator"

// Approvals implements httpapi.Approver.
func (c control) Approvals(context.Context) ([]client.Approval, error) {
	var list []client.Approval
	for _, q := range c.approvals.broker.Pending() {
		list = append(list, client.Approval{Question: q})
	}
	return list, nil
}

// Approval implements httpapi.Approver.
func (c control) Approval(ctx context.Context, id string) (client.Approval, error) {
	r, err := c.approvals.broker.Find(ctx, id)
	return wireApproval(r.Question, r.Settled), err
}

// Resolve implements httpapi.Approver.
func (c control) Resolve(ctx context.Context, id string, d toolcrib.Decision) (client.Approval, error) {
	if err := c.approvals.broker.Resolve(ctx, id, d, operator); err != nil {
		return client.Approval{}, err
	}
	return c.Approval(ctx, id)
}

// Settled implements httpapi.Approver.
func (c control) Settled(ctx context.Context, limit int) ([]client.Approval, error) {
	records, err := c.approvals.broker.History(ctx, limit)
	list := make([]client.Approval, len(records))
	for i, r := range records {
		list[i] = wireApproval(r.Question, r.Settled)
	}
	return list, err
}

// Watch implements httpapi.Approver.
func (c control) Watch(ctx context.Context) <-chan client.ApprovalEvent {
	pending, changes := c.approvals.broker.Watch(ctx)
	events := make(chan client.ApprovalEvent)
	go func() {
		defer close(events)
		send := func(e client.ApprovalEvent) bool {
			select {
			case events <- e:
				return true
			case <-ctx.Done():
				return false
			}
		}
		known := map[string]bool{} // those that wait are told once
		for _, q := range pending {
			known[q.ID] = true
			if !send(client.ApprovalEvent{Kind: string(approval.Asked), Approval: &client.Approval{Question: q}}) {
				return
			}
		}
		if !send(client.ApprovalEvent{Kind: "ready"}) {
			return
		}
		for change := range changes {
			if change.Kind == approval.Asked && known[change.Question.ID] {
				continue
			}
			a := wireApproval(change.Question, change.Settlement)
			if !send(client.ApprovalEvent{Kind: string(change.Kind), Approval: &a}) {
				return
			}
		}
	}()
	return events
}

// Grants implements httpapi.Approver.
func (c control) Grants(ctx context.Context) ([]client.Grant, error) {
	grants, err := c.approvals.broker.Grants(ctx)
	list := make([]client.Grant, len(grants))
	for i, g := range grants {
		list[i] = client.Grant{
			ID: g.ID, Agent: g.Agent, Tool: g.Tool, Rule: g.Rule, ArgsHash: g.ArgsHash, By: g.By, Created: g.Created, LastUsed: g.LastUsed, Uses: g.Uses,
		}
	}
	return list, err
}

// Revoke implements httpapi.Approver.
func (c control) Revoke(ctx context.Context, id string) error {
	if err := c.approvals.broker.Revoke(ctx, id); err != nil {
		return err
	}
	c.logger.Info("a grant was revoked", "grant", id)
	return nil
}

func wireApproval(q toolcrib.Question, s *approval.Settlement) client.Approval {
	a := client.Approval{Question: q}
	if s != nil {
		a.Decision, a.By, a.Reason, a.Settled = s.Decision, s.By, s.Reason, s.At
	}
	return a
}
