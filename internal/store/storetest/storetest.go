package storetest

import (
	"testing"
	"time"

	"github.com/toolcrib/toolcrib/internal/approval"
	"github.com/toolcrib/toolcrib/internal/session"
	"github.com/toolcrib/toolcrib/internal/store"
	"github.com/toolcrib/toolcrib/internal/token"
)

// Store is all that is kept.
type Store interface {
	Sessions() session.Store
	Approvals() approval.Store
	Tokens() token.Store
	Pins() store.Pins
	Results() store.Results
	Close() error
}

// Run runs every suite, each test with an empty store that open returns.
func Run(t *testing.T, open func(testing.TB) Store) {
	for name, test := range map[string]func(*testing.T, Store){
		"sessions: what was appended comes back":     events,
		"sessions: all or none at once, in order":    order,
		"sessions: a list, page by page":             pages,
		"sessions: counted":                          counted,
		"sessions: totals by agent":                  totals,
		"sessions: pruned by age":                    pruneAge,
		"sessions: pruned by number":                 pruneNumber,
		"sessions: many writers":                     writers,
		"approvals: questions wait and are settled":  questions,
		"approvals: grants":                          grants,
		"approvals: the first answer counts":         firstAnswer,
		"tokens: added and found":                    tokensKept,
		"tokens: revoked, used and deleted":          tokensEnd,
		"tokens: one name, many at once":             tokensRace,
		"pins: put, listed and deleted":              pins,
		"results: their reader's, until they expire": results,
		"results: bounded":                           resultsBounded,
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			test(t, s)
		})
	}
}

// noon is a time to count from, with as many digits as are kept.
var noon = time.Date(2026, 5, 4, 12, 0, 0, 123456000, time.UTC)

// must is the value when there is no error.
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// ok fails for an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
