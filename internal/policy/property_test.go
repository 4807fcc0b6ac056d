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
		fsRead, runExec, status, message,
		githubCreate, githubDelete, gitlabCreate, forged, forgedID, doubled, colon,
		calendarAdd, dunder, calendarName, results, sessionsList, coreNamedMCP, clientAsk,
	}
	poolPatterns = []string{
		"*", "create_*", "*issue*", "github__*", "mcp:github:*", "mcp:*", "group:mcp", "group:core",
		"group:plugins", "group:fs", "core:*", "calendar", "read", "client:*", "a__b__c", "*:c*", "issues:close", "nothing",
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
	n := rules(name, nil, pick(3))
	switch r.IntN(3) {
	case 0:
		n.Profile, n.AlsoAllow = policy.Profiles()[r.IntN(4)], pick(4)
	case 1:
		n.Allow, n.Strict = pick(4), r.IntN(4) == 0
	}
	return n
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

// alsoAllow adds to its own profile: it never gets around a deny list, and never
// around another scope.
func TestAlsoAllowAddsToItsProfileAlone(t *testing.T) {
	eachRandom(t, func(t *testing.T, r *rand.Rand, scopes []policy.NamedRules) {
		own := rules("own", nil, nil)
		own.Profile = policy.Profiles()[r.IntN(3)]
		added := own
		added.AlsoAllow = []string{poolPatterns[r.IntN(len(poolPatterns))], poolPatterns[r.IntN(len(poolPatterns))]}
		without := append(slices.Clone(scopes), own)
		with := append(slices.Clone(scopes), added)
		pattern := rules("own", added.AlsoAllow, nil)
		for _, x := range poolTools {
			before, after := allowedBy(t, without, x), allowedBy(t, with, x)
			if want := before || allowedBy(t, scopes, x) && allowedBy(t, []policy.NamedRules{pattern}, x); after != want {
				t.Fatalf("%s: allowed %t, want %t, with %+v", x.ID, after, want, with)
			}
		}
	})
}

// An owner-only tool is refused to everybody else, whatever the rules.
func TestOwnerOnlyAlwaysHolds(t *testing.T) {
	eachRandom(t, func(t *testing.T, r *rand.Rand, scopes []policy.NamedRules) {
		p := newPolicy(t, scopes...)
		for _, x := range poolTools {
			mine := *x
			mine.OwnerOnly = true
			if p.Decide(&mine, toolcrib.Scope{Caller: "ci"}).Allowed {
				t.Fatalf("%s is shown to a stranger: %+v", x.ID, scopes)
			}
			if p.Decide(&mine, toolcrib.Scope{Owner: true}).Allowed != p.Decide(x, toolcrib.Scope{}).Allowed {
				t.Fatalf("%s: the owner gets what the rules don't say: %+v", x.ID, scopes)
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

func manyTools(n int) []*toolcrib.Tool {
	var tools []*toolcrib.Tool
	for i := range n {
		tools = append(tools, tool(toolcrib.SourceMCP, fmt.Sprintf("server%d", i/250), fmt.Sprintf("create_issue_%d", i)))
	}
	return tools
}

func benchmarkDecide(b *testing.B, scopes ...policy.NamedRules) {
	tools, p := manyTools(10000), newPolicy(b, scopes...)
	b.ReportAllocs()
	for b.Loop() {
		for _, x := range tools {
			p.Decide(x, toolcrib.Scope{})
		}
	}
}

func BenchmarkDecide10000(b *testing.B) {
	b.Run("two scopes", func(b *testing.B) {
		benchmarkDecide(b,
			rules("tools", []string{"group:mcp", "group:core"}, []string{"*delete*", "mcp:secret:*", "shell__*", "exec", "group:plugins", "*_admin"}),
			rules("agents.list[main].tools", []string{"server1__*", "mcp:server2*:*", "create_*"}, []string{"write_*", "*__drop_*"}))
	})
	b.Run("every scope", func(b *testing.B) {
		var scopes []policy.NamedRules
		for i := range 13 {
			s := rules(fmt.Sprintf("scope%d", i), nil, []string{
				fmt.Sprintf("mcp:other%d:*", i), fmt.Sprintf("*delete_%d*", i), fmt.Sprintf("drop_%d", i), "group:plugins", fmt.Sprintf("secret%d__*", i),
			})
			s.Profile, s.AlsoAllow = "coding", []string{fmt.Sprintf("plugin%d", i), "write_*"}
			scopes = append(scopes, s)
		}
		benchmarkDecide(b, scopes...)
	})
	b.Run("compiling", func(b *testing.B) {
		for b.Loop() {
			benchmarkCompile(b)
		}
	})
}

// benchmarkCompile is what the first decision for a new kind of caller costs more.
func benchmarkCompile(b *testing.B) {
	var scopes []policy.NamedRules
	for i := range 13 {
		scopes = append(scopes, rules(fmt.Sprintf("scope%d", i), []string{"group:mcp", "group:core", "a__*", "mcp:b:*"}, []string{"*delete*", "exec", "x__*"}))
	}
	newPolicy(b, scopes...)
}
