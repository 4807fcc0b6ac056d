package session

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Kind names what happened.
type Kind string

// The kinds.
const (
	// KindStart and KindEnd are the ends of a session. A start says what the
	// model was shown, in Shown.
	KindStart Kind = "session.start"
	KindEnd   Kind = "session.end"
	// KindList says that the model is shown something else from now on.
	KindList     Kind = "list"
	KindSearch   Kind = "search"
	KindDescribe Kind = "describe"
	// KindStarted is the audit record: a call is about to run. What became of it
	// is told by the KindCall of the same CallID; when there is none, the process
	// ended first, and the effect may have happened.
	KindStarted Kind = "call.started"
	KindCall    Kind = "call"
	// KindCode is one run of a body of code.
	KindCode     Kind = "code"
	KindApproval Kind = "approval"
	KindHook     Kind = "hook"
	// KindRequest is one request to a language model, answered or not. Shown says
	// what it showed the model, Usage what the model counted.
	KindRequest Kind = "request"
)

// Outcome says how it ended.
type Outcome string

// The outcomes. Refused means that nothing ran; failed, that it ran or was
// answered and went wrong.
const (
	OK      Outcome = "ok"
	Failed  Outcome = "failed"
	Refused Outcome = "refused"
)

// Event is one line of the record. A field that says nothing is empty, and absent
// from the JSON in which events are kept.
type Event struct {
	// Seq orders the events of a store; the store gives it, from 1.
	Seq int64 `json:"seq,omitempty"`
	// Time is when it had happened: of something that took a while, its end.
	Time time.Time `json:"time"`
	Kind Kind      `json:"kind"`

	Session string `json:"session"`
	Run     string `json:"run,omitempty"`
	Agent   string `json:"agent,omitempty"`
	// Caller names the token, Client the program as it calls itself.
	Caller string        `json:"caller,omitempty"`
	Client string        `json:"client,omitempty"`
	Door   toolcrib.Door `json:"door,omitempty"`

	// CallID is the id of the call. Parent is the call of the control that made it.
	CallID string          `json:"callId,omitempty"`
	Parent string          `json:"parent,omitempty"`
	Tool   string          `json:"tool,omitempty"`
	Source toolcrib.Source `json:"source,omitempty"`
	Query  string          `json:"query,omitempty"`
	Hits   []string        `json:"hits,omitempty"`
	// Args are the arguments without secrets: a JSON value of at most MaxArgs bytes.
	Args json.RawMessage `json:"args,omitempty"`

	// Ms is how long it took, in milliseconds.
	Ms      int64         `json:"ms,omitempty"`
	Outcome Outcome       `json:"outcome,omitempty"`
	Failure toolcrib.Kind `json:"failure,omitempty"`
	// Reason says why it was refused or failed.
	Reason string `json:"reason,omitempty"`
	// Rule is what decided: a pattern of the policy, a hook, a rule of approvals.
	Rule string `json:"rule,omitempty"`
	// Decision is the answer to a question, and By who gave it.
	Decision toolcrib.Decision `json:"decision,omitempty"`
	By       string            `json:"by,omitempty"`

	// Shown is what the model is shown, of KindStart, KindList and KindRequest.
	Shown *Shown `json:"shown,omitempty"`
	// Model, RequestBytes and Usage are those of a KindRequest: PROVIDER/MODEL, the
	// bytes of the body that was sent, and what the model counted.
	Model        string `json:"model,omitempty"`
	RequestBytes int    `json:"requestBytes,omitempty"`
	Usage        *Usage `json:"usage,omitempty"`
}

// Usage is what a model counted of one request, in its own tokens.
type Usage struct {
	Input  int `json:"input"`
	Output int `json:"output"`
}

// Shown measures what a model is shown before it asks for anything.
type Shown struct {
	Mode string `json:"mode"`
	// Schemas counts the tools in the list, controls included.
	Schemas int `json:"schemas"`
	// Bytes is the size of that list's JSON and of the instructions beside it;
	// DirectBytes that of a list of all tools.
	Bytes       int `json:"bytes"`
	DirectBytes int `json:"directBytes"`
	// Catalog counts the tools that can be found, by source.
	Catalog map[toolcrib.Source]int `json:"catalog,omitempty"`
}

// From makes an event of what invoke and toolsearch record.
func From(e toolcrib.Event) Event {
	out := Of(Kind(e.Kind), e.Scope)
	out.Time, out.CallID, out.Parent = e.Time.Add(e.Duration), e.CallID, parent(e.CallID)
	out.Tool, out.Source, out.Query, out.Hits = e.Tool, e.Source, e.Query, e.Hits
	out.Ms, out.Failure, out.Reason, out.Rule = e.Duration.Milliseconds(), e.Failure, e.Reason, e.Rule
	switch {
	case e.Failure == "" && !e.ToolFailed:
		out.Outcome = OK
	case e.Failure != "" && e.Kind == toolcrib.EventCall && !e.Ran:
		out.Outcome = Refused
	default:
		out.Outcome = Failed
	}
	if e.ToolFailed && out.Reason == "" {
		out.Reason = "the tool reported a failure of its own"
	}
	return out
}

// Of starts an event of a caller.
func Of(kind Kind, s toolcrib.Scope) Event {
	return Event{Kind: kind, Session: s.Session, Run: s.Run, Agent: s.Agent, Caller: s.Caller, Client: s.Client, Door: s.Door}
}

// Started is the audit record of a call that is about to run.
func Started(c toolcrib.Call) Event {
	e := Of(KindStarted, c.Scope)
	e.CallID, e.Parent, e.Tool, e.Source, e.Args = c.ID, parent(c.ID), c.Tool.ID, c.Tool.Source, c.Args
	return e
}

// parent is the id of the control's call that made a call, "" for one that none
// made: a nested id is PARENT:N.
func parent(id string) string {
	at := strings.LastIndexByte(id, ':')
	if at < 1 || at == len(id)-1 || strings.Trim(id[at+1:], "0123456789") != "" {
		return ""
	}
	return id[:at]
}
