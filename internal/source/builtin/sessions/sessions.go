// Package sessions serves the tool core:sessions:session_status, with which a
// model learns about its own session.
//
// It owns the tool and what its answer looks like. What there is to know it asks
// of whoever made it, for the very caller that asks: it knows of no other session.
package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/builtin/gofunc"
)

// ToolID is the id of the tool; profiles of the policy name it.
const ToolID = "core:sessions:session_status"

// Status is what a caller may know of its own session. What isn't known is absent.
type Status struct {
	Agent  string        `json:"agent"`
	Door   toolcrib.Door `json:"door,omitempty"`
	Client string        `json:"client,omitempty"`
	Mode   string        `json:"mode,omitempty"`
	// Now is the time, with the zone of the machine; Started is when the session began.
	Now     time.Time  `json:"now"`
	Started *time.Time `json:"started,omitempty"`
	// Done counts what was done before; nil when it isn't recorded.
	Done *Done `json:"done,omitempty"`
	// Tools are those that can be used, by source.
	Tools []Tools `json:"tools"`
	// Down are servers whose tools can't be used now.
	Down []Down `json:"down"`
	// Shown is what the model is shown beforehand.
	Shown *Shown `json:"shown,omitempty"`
}

// Done counts what a session did.
type Done struct {
	Searches  int `json:"searches"`
	Describes int `json:"describes"`
	Calls     int `json:"calls"`
	// Failed and Refused are how many of the calls.
	Failed  int `json:"failed"`
	Refused int `json:"refused"`
}

// Tools counts the tools of one owner.
type Tools struct {
	Source toolcrib.Source `json:"source"`
	Owner  string          `json:"owner,omitempty"`
	Tools  int             `json:"tools"`
}

// Down is a server that is not ready.
type Down struct {
	Server string         `json:"server"`
	State  toolcrib.State `json:"state"`
	Reason string         `json:"reason,omitempty"`
}

// Shown measures the list of tools and the instructions that the model is shown, in
// bytes of JSON; DirectBytes is what a list of all tools would take.
type Shown struct {
	Tools       int `json:"tools"`
	Bytes       int `json:"bytes"`
	DirectBytes int `json:"directBytes"`
}

const description = "Tell about this session itself: the agent, the client, the mode, when it began, what time it is now, how many searches, descriptions and " +
	"calls there were, how many tools can be used, which servers are down, and how much the list of tools weighs."

const inputSchema = `{"type": "object", "properties": {}, "additionalProperties": false}`

// The schema is written out: it says more than Go types can.
const outputSchema = `{
  "type": "object",
  "properties": {
    "agent": {"type": "string"},
    "door": {"type": "string", "description": "Way by which the client came in."},
    "client": {"type": "string", "description": "Client program, as it calls itself."},
    "mode": {"type": "string", "description": "How tools are shown: direct, tools, directory or code."},
    "now": {"type": "string", "description": "The time, RFC 3339."},
    "started": {"type": "string", "description": "When the session began, RFC 3339; absent when nothing is recorded."},
    "done": {
      "type": "object",
      "description": "What was done before this call; absent when nothing is recorded.",
      "properties": {
        "searches": {"type": "integer"}, "describes": {"type": "integer"}, "calls": {"type": "integer"},
        "failed": {"type": "integer", "description": "Calls that went wrong."}, "refused": {"type": "integer", "description": "Calls that did not run."}
      },
      "required": ["searches", "describes", "calls", "failed", "refused"], "additionalProperties": false
    },
    "tools": {
      "type": "array", "description": "How many tools can be used, by their owner.",
      "items": {
        "type": "object",
        "properties": {"source": {"type": "string"}, "owner": {"type": "string"}, "tools": {"type": "integer"}},
        "required": ["source", "tools"], "additionalProperties": false
      }
    },
    "down": {
      "type": "array", "description": "Servers that are not ready.",
      "items": {
        "type": "object",
        "properties": {"server": {"type": "string"}, "state": {"type": "string"}, "reason": {"type": "string"}},
        "required": ["server", "state"], "additionalProperties": false
      }
    },
    "shown": {
      "type": "object",
      "description": "What the model is shown beforehand, in bytes of JSON, against a list of all tools.",
      "properties": {"tools": {"type": "integer"}, "bytes": {"type": "integer"}, "directBytes": {"type": "integer"}},
      "required": ["tools", "bytes", "directBytes"], "additionalProperties": false
    }
  },
  "required": ["agent", "now", "tools", "down"],
  "additionalProperties": false
}`

// Options is what a Source needs. Status is required.
type Options struct {
	// Status tells what the caller may know of its own session. An error that is no
	// *toolcrib.Error is shown as the tool's own failure.
	Status func(context.Context, toolcrib.Scope) (Status, error)
	// Logger gets what callers are not shown; slog.Default() when nil.
	Logger *slog.Logger
}

// Source is the source of session_status. It is safe for concurrent use.
type Source struct{ source *gofunc.Source }

// New returns a Source.
func New(o Options) (*Source, error) {
	if o.Status == nil {
		return nil, errors.New("sessions: Options.Status is missing")
	}
	tool := gofunc.FuncCall("session_status", description, func(ctx context.Context, call toolcrib.Call, _ struct{}) (Status, error) {
		return o.status(ctx, call.Scope)
	},
		gofunc.OwnedBy(toolcrib.SourceCore, "sessions"), gofunc.Titled("Session status"),
		gofunc.ReadOnly(), gofunc.Destructive(false), gofunc.Idempotent(), gofunc.OpenWorld(false),
		gofunc.InputSchema(json.RawMessage(inputSchema)), gofunc.OutputSchema(json.RawMessage(outputSchema)))
	source, err := gofunc.New(gofunc.Options{Tools: []gofunc.Tool{tool}, Logger: o.Logger})
	if err != nil {
		return nil, err
	}
	return &Source{source}, nil
}

// status asks, and keeps what the schema promises: lists, also where there is nothing.
func (o Options) status(ctx context.Context, scope toolcrib.Scope) (Status, error) {
	s, err := o.Status(ctx, scope)
	if s.Tools == nil {
		s.Tools = []Tools{}
	}
	if s.Down == nil {
		s.Down = []Down{}
	}
	return s, err
}

// Listings returns the one listing with the one tool.
func (s *Source) Listings(ctx context.Context, scope toolcrib.Scope) []toolcrib.Listing {
	return s.source.Listings(ctx, scope)
}

// Execute tells about the session of the call.
func (s *Source) Execute(ctx context.Context, call toolcrib.Call) (toolcrib.Result, error) {
	return s.source.Execute(ctx, call)
}
