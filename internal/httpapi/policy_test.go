package httpapi

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

func (f *fakeControl) ExplainPolicy(_ context.Context, r client.PolicyExplainRequest) (client.PolicyExplanation, error) {
	return client.PolicyExplanation{Tool: r.Tool, Caller: r.PolicyCaller, Rule: client.PolicyRule{Index: -1}, Scopes: []client.PolicyOpinion{}}, f.err
}

func (f *fakeControl) ShowPolicy(_ context.Context, caller client.PolicyCaller) (client.PolicyShowReply, error) {
	return client.PolicyShowReply{Caller: caller}, f.err
}

func TestPolicyRoutes(t *testing.T) {
	caller := client.PolicyCaller{Agent: "a", Door: toolcrib.DoorChat, Provider: "p/m", Harness: "codex", Sandboxed: true, Subagent: true, Owner: true}
	for name, c := range clients(t, controlFor(t, &fakeControl{}, nil)) {
		explained, err := c.ExplainPolicy(t.Context(), client.PolicyExplainRequest{Tool: "mcp:a:b", PolicyCaller: caller})
		if diff := cmp.Diff(caller, explained.Caller); err != nil || diff != "" || explained.Tool != "mcp:a:b" || explained.Rule.Index != -1 {
			t.Errorf("%s: explained %+v, %v (-want +got):\n%s", name, explained, err, diff)
		}
		shown, err := c.ShowPolicy(t.Context(), caller)
		if diff := cmp.Diff(caller, shown.Caller); err != nil || diff != "" {
			t.Errorf("%s: shown %v (-want +got):\n%s", name, err, diff)
		}
	}
}
