package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/policy"
	"github.com/toolcrib/toolcrib/internal/schema"
	"github.com/toolcrib/toolcrib/internal/source/sourcetest"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, status func(context.Context, toolcrib.Scope) (Status, error)) *Source {
	t.Helper()
	s, err := New(Options{Status: status})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStatusIsOfTheCaller(t *testing.T) {
	t.Parallel()
	full := Status{
		Agent: "main", Door: toolcrib.DoorMCP, Client: "editor", Mode: "tools", Now: noon, Started: new(noon.Add(-time.Hour)), Done: &Done{Searches: 1, Describes: 2, Calls: 3, Failed: 4, Refused: 5},
		Tools: []Tools{{Source: toolcrib.SourceMCP, Owner: "calendar", Tools: 6}}, Down: []Down{{Server: "mail", State: toolcrib.StateDown, Reason: "gone"}}, Shown: &Shown{Tools: 3, Bytes: 100, DirectBytes: 1000},
	}
	for _, want := range []Status{full, {Agent: "a", Now: noon, Tools: []Tools{}, Down: []Down{}}} {
		var asked toolcrib.Scope
		s := open(t, func(_ context.Context, scope toolcrib.Scope) (Status, error) {
			asked = scope
			if want.Done == nil {
				return Status{Agent: "a", Now: noon}, nil
			}
			return want, nil
		})
		tool := s.Listings(t.Context(), toolcrib.Scope{})[0].Tools[0]
		scope := toolcrib.Scope{Agent: "main", Session: "s1", Caller: "ann"}
		r, err := s.Execute(t.Context(), toolcrib.Call{Tool: tool, Scope: scope})
		if err != nil || r.IsError {
			t.Fatal(r, err)
		}
		var got Status
		if err := json.Unmarshal(r.Details, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" || !cmp.Equal(asked, scope) {
			t.Errorf("asked of %+v (-want +got):\n%s", asked, diff)
		}
		compiled, err := schema.Compile(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		if problems := compiled.Validate(r.Details); len(problems) > 0 {
			t.Errorf("it breaks its promise: %v", problems)
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	if _, err := New(Options{}); err == nil {
		t.Error("no Status was taken")
	}
	s := open(t, func(context.Context, toolcrib.Scope) (Status, error) { return Status{}, errors.New("no record") })
	r, err := s.Execute(t.Context(), toolcrib.Call{Tool: toolcrib.Tool{ID: ToolID}})
	if err != nil || !r.IsError || r.Content[0].Text != "no record" {
		t.Errorf("%v %v", r, err)
	}
}

// The profiles name the tool by its id.
func TestProfilesHaveIt(t *testing.T) {
	t.Parallel()
	s := open(t, func(context.Context, toolcrib.Scope) (Status, error) { return Status{}, nil })
	tool := s.Listings(t.Context(), toolcrib.Scope{})[0].Tools[0]
	if tool.ID != ToolID {
		t.Errorf("its id is %s", tool.ID)
	}
	for _, profile := range policy.Profiles() {
		p, err := policy.New(policy.NamedRules{Name: "tools", Rules: policy.Rules{Profile: profile}})
		if err != nil {
			t.Fatal(err)
		}
		if v := p.Decide(&tool, toolcrib.Scope{}); !v.Allowed {
			t.Errorf("profile %s: %+v", profile, v)
		}
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	sourcetest.Run(t, func(t *testing.T) sourcetest.Source {
		return open(t, func(context.Context, toolcrib.Scope) (Status, error) { return Status{Now: noon}, nil })
	})
}
