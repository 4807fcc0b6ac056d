package gateway

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/policy"
)

// ShowPolicy implements httpapi.PolicyControl.
func (c control) ShowPolicy(ctx context.Context, caller client.PolicyCaller) (client.PolicyShowReply, error) {
	q, err := c.asking(caller)
	if err != nil {
		return client.PolicyShowReply{}, err
	}
	chain, sum := q.agent.chain(q.scope), newTally()
	decide := func(t *toolcrib.Tool) bool {
		v := chain.decide(t, q.scope)
		sum.add(t, v)
		return v.Allowed
	}
	// A plan, so that twins and malformed tools are left out as they are for a
	// caller. What isn't planned because its server is down stays out of it.
	plan := catalog.Plan(c.listings(ctx, q.scope), decide)
	reply := sum.reply(plan, q)
	for _, o := range plan.Outages() {
		reply.Unavailable = append(reply.Unavailable, client.Unavailable{Server: o.Server, State: o.State, Reason: o.Reason})
	}
	return reply, nil
}

// tally collects verdicts.
type tally struct {
	verdicts map[*toolcrib.Tool]policy.Verdict
}

func newTally() tally { return tally{map[*toolcrib.Tool]policy.Verdict{}} }

// add notes a verdict. A tool without a name stands for a server that has never
// answered.
func (x tally) add(t *toolcrib.Tool, v policy.Verdict) {
	if t.Name != "" {
		x.verdicts[t] = v
	}
}

func (x tally) reply(plan *catalog.Catalog, q asking) client.PolicyShowReply {
	r := client.PolicyShowReply{Caller: q.caller(), Owners: []client.PolicyOwner{}, Allowed: []string{}, Denied: []client.PolicyDenied{}}
	owners, denied := map[client.PolicyOwner]*client.PolicyOwner{}, map[string]*client.PolicyDenied{}
	ownerOf := func(t *toolcrib.Tool) *client.PolicyOwner {
		key := client.PolicyOwner{Source: t.Source, Owner: t.Owner}
		if owners[key] == nil {
			o := key
			owners[key] = &o
		}
		return owners[key]
	}
	for t := range plan.All() {
		ownerOf(t).Allowed++
		r.Allowed = append(r.Allowed, t.ID)
	}
	for t, v := range x.verdicts {
		if v.Allowed {
			continue
		}
		ownerOf(t).Denied++
		if denied[v.Rule] == nil {
			denied[v.Rule] = &client.PolicyDenied{Rule: q.rule(v)}
		}
		denied[v.Rule].Tools = append(denied[v.Rule].Tools, t.ID)
	}
	for _, o := range owners {
		r.Owners = append(r.Owners, *o)
	}
	for _, d := range denied {
		slices.Sort(d.Tools)
		r.Denied = append(r.Denied, *d)
	}
	slices.Sort(r.Allowed)
	slices.SortFunc(r.Owners, func(a, b client.PolicyOwner) int {
		return cmp.Or(strings.Compare(string(a.Source), string(b.Source)), strings.Compare(a.Owner, b.Owner))
	})
	slices.SortFunc(r.Denied, func(a, b client.PolicyDenied) int {
		return cmp.Or(cmp.Compare(len(b.Tools), len(a.Tools)), strings.Compare(a.Rule.Text, b.Rule.Text))
	})
	return r
}
