// Package sourcetest is the contract that every source of tools keeps, as tests.
//
// It owns what the rest of the gateway relies on whatever a source is made of:
// well-formed ids, sorted and stable listings, refusals of the right kind, and
// safety under concurrent use. It knows no source.
package sourcetest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
)

// Source is what the gateway uses of a source.
type Source interface {
	Listings(ctx context.Context, scope toolcrib.Scope) []toolcrib.Listing
	Execute(ctx context.Context, call toolcrib.Call) (toolcrib.Result, error)
}

// scope is that of the tests' calls.
var scope = toolcrib.Scope{Door: toolcrib.DoorMCP, Agent: toolcrib.DefaultAgent, Session: "sourcetest", Run: "1"}

// Run tests the sources that newSource makes. Each must be ready, the same, and
// offer at least one tool; calls without arguments are made of some of its tools.
func Run(t *testing.T, newSource func(t *testing.T) Source) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(t *testing.T, newSource func(t *testing.T) Source)
	}{
		{"ListingsAreWellFormed", wellFormed},
		{"ListingsAreStable", stable},
		{"ListingsAreNotTheCallersToChange", guarded},
		{"UnknownToolsAreNotFound", unknown},
		{"CancelledCallsEnd", cancelled},
		{"ConcurrentUseIsSafe", concurrent},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, newSource) })
	}
}

func listings(t *testing.T, s Source) []toolcrib.Listing {
	t.Helper()
	all := s.Listings(t.Context(), scope)
	for _, l := range all {
		if len(l.Tools) > 0 {
			return all
		}
	}
	t.Fatal("the source lists no tool")
	return nil
}

func wellFormed(t *testing.T, newSource func(t *testing.T) Source) {
	all := listings(t, newSource(t))
	if !slices.IsSortedFunc(all, compareListings) {
		t.Error("listings are not sorted by source and owner")
	}
	for i, l := range all {
		if i > 0 && compareListings(all[i-1], l) == 0 {
			t.Errorf("two listings of %s %s", l.Source, l.Owner)
		}
		checkListing(t, l)
	}
}

func compareListings(a, b toolcrib.Listing) int {
	return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Owner, b.Owner))
}

func checkListing(t *testing.T, l toolcrib.Listing) {
	t.Helper()
	if l.State != toolcrib.StateReady || l.Reason != "" || !l.Known {
		t.Errorf("%s is %q, known %v, for the reason %q", l.Owner, l.State, l.Known, l.Reason)
	}
	if l.Fingerprint == "" {
		t.Errorf("%s has no fingerprint", l.Owner)
	}
	if !toolcrib.ValidOwner(l.Owner) && l.Source != toolcrib.SourceClient {
		t.Errorf("%q can't be an owner", l.Owner)
	}
	for i := range l.Tools {
		checkTool(t, l, &l.Tools[i])
		if i > 0 && l.Tools[i-1].Name >= l.Tools[i].Name {
			t.Errorf("%s: %q stands before %q", l.Owner, l.Tools[i-1].Name, l.Tools[i].Name)
		}
	}
}

func checkTool(t *testing.T, l toolcrib.Listing, tool *toolcrib.Tool) {
	t.Helper()
	if tool.ID != toolcrib.MakeID(l.Source, l.Owner, tool.Name) || tool.Source != l.Source || tool.Owner != l.Owner {
		t.Errorf("%s %s lists %q, source %q, owner %q, name %q", l.Source, l.Owner, tool.ID, tool.Source, tool.Owner, tool.Name)
	}
	if _, _, name, err := toolcrib.ParseID(tool.ID); err != nil || name != tool.Name {
		t.Errorf("id %q: name %q, %v", tool.ID, name, err)
	}
	for what, raw := range map[string]json.RawMessage{"input schema": tool.Parameters, "output schema": tool.OutputSchema, "_meta": tool.Meta} {
		var object map[string]json.RawMessage
		if raw != nil && (json.Unmarshal(raw, &object) != nil || object == nil) {
			t.Errorf("%s: the %s is no JSON object: %s", tool.ID, what, raw)
		}
	}
}

var sameJSON = gocmp.Comparer(func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })

func stable(t *testing.T, newSource func(t *testing.T) Source) {
	s := newSource(t)
	first := listings(t, s)
	if diff := gocmp.Diff(first, listings(t, s), sameJSON); diff != "" {
		t.Errorf("a second listing differs (-first +second):\n%s", diff)
	}
	if diff := gocmp.Diff(first, listings(t, newSource(t)), sameJSON); diff != "" {
		t.Errorf("the listing of another such source differs (-one +other):\n%s", diff)
	}
}

func guarded(t *testing.T, newSource func(t *testing.T) Source) {
	s := newSource(t)
	first := listings(t, s)
	want := slices.Clone(first)
	clear(first)
	if diff := gocmp.Diff(want, listings(t, s), sameJSON); diff != "" {
		t.Errorf("what a caller did to its slice of listings shows (-want +got):\n%s", diff)
	}
}

func unknown(t *testing.T, newSource func(t *testing.T) Source) {
	s := newSource(t)
	for _, l := range listings(t, s) {
		name := "no_such_tool_anywhere"
		_, err := s.Execute(t.Context(), toolcrib.Call{
			ID: "1", Scope: scope, Args: json.RawMessage(`{}`),
			Tool: toolcrib.Tool{ID: toolcrib.MakeID(l.Source, l.Owner, name), Source: l.Source, Owner: l.Owner, Name: name},
		})
		if toolcrib.KindOf(err) != toolcrib.KindNotFound {
			t.Errorf("an unknown tool of %s: %v, want an error of kind %q", l.Owner, err, toolcrib.KindNotFound)
		}
	}
}

// some returns one tool of each listing.
func some(all []toolcrib.Listing) []toolcrib.Tool {
	var tools []toolcrib.Tool
	for _, l := range all {
		if len(l.Tools) > 0 {
			tools = append(tools, l.Tools[0])
		}
	}
	return tools
}

func cancelled(t *testing.T, newSource func(t *testing.T) Source) {
	s := newSource(t)
	tools := some(listings(t, s))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tool := range tools {
		_, err := s.Execute(ctx, toolcrib.Call{ID: "1", Tool: tool, Scope: scope, Args: json.RawMessage(`{}`)})
		if toolcrib.KindOf(err) != toolcrib.KindCanceled {
			t.Errorf("%s, already cancelled: %v, want an error of kind %q", tool.ID, err, toolcrib.KindCanceled)
		}
	}
}

func concurrent(t *testing.T, newSource func(t *testing.T) Source) {
	s := newSource(t)
	all := listings(t, s)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if now := s.Listings(t.Context(), scope); len(now) != len(all) {
				t.Errorf("%d listings, %d before", len(now), len(all))
			}
			for _, tool := range some(all) {
				_, err := s.Execute(t.Context(), toolcrib.Call{ID: "1", Tool: tool, Scope: scope, Args: json.RawMessage(`{}`)})
				if kind := toolcrib.KindOf(err); kind == toolcrib.KindInternal || kind == toolcrib.KindNotFound {
					t.Errorf("%s: %v", tool.ID, err)
				}
			}
		})
	}
	group.Wait()
}
