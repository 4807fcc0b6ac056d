package policy_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/policy"
)

// pool is every tool and pattern that the random policies are made of.
var (
	poolTools = []*toolcrib.Tool{
		githubCreate, githubDelete, gitlabCreate, forged, forgedID, doubled, colon,
		calendarAdd, dunder, calendarName, results, sessionsList, coreNamedMCP, clientAsk,
	}
	poolPatterns = []string{
		"*", "create_*", "*issue*", "github__*", "mcp:github:*", "mcp:*", "group:mcp", "group:core",
		"group:plugins", "calendar", "read", "client:*", "a__b__c", "*:c*", "issues:close", "nothing",
	}
)

func randomScope(r *rand.Rand, name string) policy.NamedRules {
	pick := func(n int) []string {
		var list []string
		for range r.IntN(n) {
			list = append(list, poolPatterns[r.IntN(len(poolPatterns))])
		}
		return list
	}
	return rules(name, pick(4), pick(3))
}

func randomScopes(r *rand.Rand) []policy.NamedRules {
	var scopes []policy.NamedRules
	for i := range r.IntN(4) {
		scopes = append(scopes, randomScope(r, fmt.Sprintf("scope%d", i)))
	}
	return scopes
}

// eachRandom calls check with many sets of scopes, the same ones in every run.
func eachRandom(t *testing.T, check func(t *testing.T, r *rand.Rand, scopes []policy.NamedRules)) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 7))
		check(t, r, randomScopes(r))
	}
}

func allowedBy(t *testing.T, scopes []policy.NamedRules, x *toolcrib.Tool) bool {
	return newPolicy(t, scopes...).Decide(x, toolcrib.Scope{}).Allowed
}

func TestAnotherScopeNeverWidens(t *testing.T) {
	eachRandom(t, func(t *testing.T, r *rand.Rand, scopes []policy.NamedRules) {
		more := append(slices.Clone(scopes), randomScope(r, "more"))
		for _, x := range poolTools {
			if allowedBy(t, more, x) && !allowedBy(t, scopes, x) {
				t.Fatalf("%s is allowed only after a scope was added: %+v", x.ID, more)
			}
		}
	})
}

func TestDenyAlwaysWins(t *testing.T) {
	eachRandom(t, func(t *testing.T, r *rand.Rand, scopes []policy.NamedRules) {
		x := poolTools[r.IntN(len(poolTools))]
		denied := append(slices.Clone(scopes), rules("deny", []string{"*"}, []string{x.ID}))
		if allowedBy(t, denied, x) {
			t.Fatalf("%s is denied by its id and allowed all the same: %+v", x.ID, denied)
		}
	})
}

func TestOrderOfScopesIsIrrelevant(t *testing.T) {
	eachRandom(t, func(t *testing.T, r *rand.Rand, scopes []policy.NamedRules) {
		mixed := slices.Clone(scopes)
		r.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		for _, x := range poolTools {
			if allowedBy(t, scopes, x) != allowedBy(t, mixed, x) {
				t.Fatalf("%s depends on the order of %+v", x.ID, scopes)
			}
		}
	})
}

func TestMovingAPatternToDenyNeverWidens(t *testing.T) {
	for _, pattern := range poolPatterns {
		for _, x := range poolTools {
			inAllow := allowedBy(t, []policy.NamedRules{rules("s", []string{pattern}, nil)}, x)
			inDeny := !allowedBy(t, []policy.NamedRules{rules("s", nil, []string{pattern})}, x)
			if inAllow && !inDeny {
				t.Errorf("%q lets %s through in allow and does not stop it in deny", pattern, x.ID)
			}
		}
	}
}

func BenchmarkDecide10000(b *testing.B) {
	var tools []*toolcrib.Tool
	for i := range 10000 {
		tools = append(tools, tool(toolcrib.SourceMCP, fmt.Sprintf("server%d", i%40), fmt.Sprintf("create_issue_%d", i)))
	}
	p := newPolicy(b,
		rules("tools", []string{"group:mcp", "group:core"}, []string{"*delete*", "mcp:secret:*", "shell__*", "exec", "group:plugins", "*_admin"}),
		rules("agents.list[main].tools", []string{"server1__*", "mcp:server2*:*", "create_*"}, []string{"write_*", "*__drop_*"}))
	b.ReportAllocs()
	for b.Loop() {
		for _, x := range tools {
			p.Decide(x, toolcrib.Scope{})
		}
	}
}
