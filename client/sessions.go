package client

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"time"

	"github.com/toolcrib/toolcrib"
)

// SessionsRequest narrows GET /api/sessions. Empty fields don't.
type SessionsRequest struct {
	Agent string
	// Limit is how many, 1 to 1000; 0 means the gateway's default of 50.
	Limit int
	// Before is SessionList.Before of the page before; 0 for the first page.
	Before int64
}

// SessionList is the body of GET /api/sessions: recorded sessions, the newest first.
type SessionList struct {
	Sessions []RecordedSession `json:"sessions"`
	// Before asks for the next page; absent when this is the last one.
	Before int64 `json:"before,omitempty"`
}

// RecordedSession is one session of which there is a record.
type RecordedSession struct {
	ID    string `json:"id"`
	Agent string `json:"agent,omitempty"`
	// Client is the program as it calls itself, Caller the token that it showed.
	Client  string        `json:"client,omitempty"`
	Caller  string        `json:"caller,omitempty"`
	Door    toolcrib.Door `json:"door,omitempty"`
	Mode    string        `json:"mode,omitempty"`
	Started time.Time     `json:"started"`
	// Last is when something was recorded last.
	Last      time.Time `json:"last"`
	Searches  int       `json:"searches"`
	Describes int       `json:"describes"`
	Calls     int       `json:"calls"`
	// Failed and Refused are how many of the calls.
	Failed  int `json:"failed"`
	Refused int `json:"refused"`
}

// SessionRecord is the body of GET /api/sessions/{id}.
type SessionRecord struct {
	Session RecordedSession `json:"session"`
	// Shown is what the model was shown at the beginning; nil when that isn't known.
	Shown *SessionShown `json:"shown,omitempty"`
	// Found and Described are ids of tools, in the order in which they first came.
	Found     []string `json:"found"`
	Described []string `json:"described"`
	// Final is the last call that ran; nil when none did.
	Final  *SessionEvent  `json:"final,omitempty"`
	Events []SessionEvent `json:"events"`
	// Truncated is true when there are more events than are shown.
	Truncated bool `json:"truncated,omitempty"`
}

// SessionShown measures what a model was shown before it asked for anything.
type SessionShown struct {
	Mode string `json:"mode"`
	// Schemas counts the tools in its list.
	Schemas int `json:"schemas"`
	// Bytes is the size of the list and the instructions, DirectBytes that of a list
	// of all tools.
	Bytes       int `json:"bytes"`
	DirectBytes int `json:"directBytes"`
	// Catalog counts the tools that could be found, by source.
	Catalog map[toolcrib.Source]int `json:"catalog,omitempty"`
}

// SessionEvent is one line of a session's record. Secrets were taken out when it
// was written.
type SessionEvent struct {
	Seq  int64     `json:"seq,omitempty"`
	Time time.Time `json:"time"`
	// Kind is session.start, session.end, list, search, describe, call.started, call,
	// code, approval or hook.
	Kind   string          `json:"kind"`
	Run    string          `json:"run,omitempty"`
	CallID string          `json:"callId,omitempty"`
	Parent string          `json:"parent,omitempty"`
	Tool   string          `json:"tool,omitempty"`
	Source toolcrib.Source `json:"source,omitempty"`
	Query  string          `json:"query,omitempty"`
	Hits   []string        `json:"hits,omitempty"`
	Args   json.RawMessage `json:"args,omitempty"`
	Ms     int64           `json:"ms,omitempty"`
	// Outcome is ok, failed, or refused when nothing ran.
	Outcome string        `json:"outcome,omitempty"`
	Failure toolcrib.Kind `json:"failure,omitempty"`
	Reason  string        `json:"reason,omitempty"`
	Rule    string        `json:"rule,omitempty"`
	// Decision and By are those of an approval.
	Decision toolcrib.Decision `json:"decision,omitempty"`
	By       string            `json:"by,omitempty"`
	Shown    *SessionShown     `json:"shown,omitempty"`
	// Model, RequestBytes and Usage are those of a request to a model.
	Model        string        `json:"model,omitempty"`
	RequestBytes int           `json:"requestBytes,omitempty"`
	Usage        *SessionUsage `json:"usage,omitempty"`
}

// SessionUsage is what a model counted of one request, in its own tokens.
type SessionUsage struct {
	Input  int `json:"input"`
	Output int `json:"output"`
}

// SessionEvents is the body of GET /api/sessions/{id}/events: one page of them.
type SessionEvents struct {
	Events []SessionEvent `json:"events"`
	// After asks for the next page; 0 when this is the last one.
	After int64 `json:"after,omitempty"`
}

// SessionExplanation is the body of GET /api/sessions/{id}/explain: what the record
// alone says of a session.
type SessionExplanation struct {
	Session string `json:"session"`
	// Shown is what the model saw up front; nil when that isn't known.
	Shown *SessionShown `json:"shown,omitempty"`
	// Searches and Describes count what the model did, Bodies its bodies of code,
	// Requests those to a model.
	Searches  int `json:"searches"`
	Describes int `json:"describes"`
	Bodies    int `json:"bodies"`
	Requests  int `json:"requests"`
	// Found and Described are ids of tools, in the order in which they first came.
	Found     []string `json:"found"`
	Described []string `json:"described"`
	// Calls are all calls, in the order in which they ended.
	Calls []SessionCall `json:"calls"`
	// Final is the last call that ran, whose Source says where the result came from;
	// nil when none did.
	Final *SessionCall `json:"final,omitempty"`
}

// SessionCall is one call of a tool.
type SessionCall struct {
	CallID string          `json:"callId"`
	Tool   string          `json:"tool,omitempty"`
	Source toolcrib.Source `json:"source,omitempty"`
	Ms     int64           `json:"ms"`
	// Outcome is ok, failed or refused; empty when no end is known.
	Outcome string        `json:"outcome,omitempty"`
	Failure toolcrib.Kind `json:"failure,omitempty"`
	Reason  string        `json:"reason,omitempty"`
}

// Sessions lists recorded sessions, the newest first.
func (c *Client) Sessions(ctx context.Context, r SessionsRequest) (SessionList, error) {
	query := url.Values{}
	if r.Agent != "" {
		query.Set("agent", r.Agent)
	}
	if r.Limit != 0 {
		query.Set("limit", strconv.Itoa(r.Limit))
	}
	if r.Before != 0 {
		query.Set("before", strconv.FormatInt(r.Before, 10))
	}
	return get[SessionList](ctx, c, "/api/sessions", query)
}

// Session returns the record of one session.
func (c *Client) Session(ctx context.Context, id string) (SessionRecord, error) {
	return get[SessionRecord](ctx, c, "/api/sessions/"+url.PathEscape(id), nil)
}

// SessionEvents returns one page of a session's events: those after the number
// after, 0 for the first page.
func (c *Client) SessionEvents(ctx context.Context, id string, after int64) (SessionEvents, error) {
	query := url.Values{}
	if after != 0 {
		query.Set("after", strconv.FormatInt(after, 10))
	}
	return get[SessionEvents](ctx, c, "/api/sessions/"+url.PathEscape(id)+"/events", query)
}

// ExplainSession answers from the record of one session what its model saw, looked
// for and ran.
func (c *Client) ExplainSession(ctx context.Context, id string) (SessionExplanation, error) {
	return get[SessionExplanation](ctx, c, "/api/sessions/"+url.PathEscape(id)+"/explain", nil)
}
