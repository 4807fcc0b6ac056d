package httpapi

import (
	"context"

	"github.com/toolcrib/toolcrib/client"
)

// PolicyControl answers questions about policy. It changes nothing.
type PolicyControl interface {
	// ExplainPolicy says whether a caller may use a tool, and which rule decides.
	ExplainPolicy(ctx context.Context, r client.PolicyExplainRequest) (client.PolicyExplanation, error)
	// ShowPolicy says what a caller may use at all.
	ShowPolicy(ctx context.Context, caller client.PolicyCaller) (client.PolicyShowReply, error)
}

func (a *api) policyRoutes() []route {
	return []route{
		{"POST", "/api/policy/explain", body(a.control.ExplainPolicy)},
		{"POST", "/api/policy/show", body(a.control.ShowPolicy)},
	}
}
