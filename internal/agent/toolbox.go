package agent

import (
	"context"
	"encoding/json"

	"github.com/toolcrib/toolcrib/internal/model"
)

// Toolbox is what one run may use. It is called from several goroutines at
// once, and every error is an Answer.
type Toolbox interface {
	// Tools are the functions that the model is offered now, in their order: the
	// caller's own, with Raw, and ours. It is asked before each step. Within a
	// run, tools may be added at the end; what is offered already stays the same.
	Tools() []model.Tool
	// Call answers a call of the model, whatever name it has.
	Call(ctx context.Context, c model.Call) Answer
	// Resume goes on with a call whose Answer wanted something of the caller.
	Resume(ctx context.Context, r Resumption) Answer
}

// Abandoner is a Toolbox that wants to know when the caller doesn't answer any
// more what a call wanted of it.
type Abandoner interface {
	Abandon(ctx context.Context, c model.Call, state json.RawMessage)
}

// Answer is what a call came to: a text for the model, or wants.
type Answer struct {
	Text    string
	IsError bool
	// Lookup says that the call only found out about tools. It doesn't count as
	// the call to which a caller may oblige the model.
	Lookup bool
	// Wants must be run by the caller first; then the call goes on by Resume with
	// State. State holds all that is needed for it, also in another process.
	Wants []Want
	State json.RawMessage
	// Own says that the call is itself one of the caller's tools: the one want is
	// the call, and what the caller says is its result, without Resume.
	Own bool
}

// Want is one run of one tool by the caller.
type Want struct {
	// Key tells the wants of one call apart.
	Key string `json:"key,omitempty"`
	// Name and Args are those of the caller's tool.
	Name string `json:"name"`
	Args string `json:"args"`
}

// Own is the answer to a call of one of the caller's tools: it is the caller's,
// with these arguments.
func Own(name, args string) Answer {
	return Answer{Own: true, Wants: []Want{{Name: name, Args: args}}}
}

// Resumption is a call that goes on.
type Resumption struct {
	Call    model.Call
	State   json.RawMessage
	Results []Delivered // one for each want, in their order
}

// Delivered is what the caller says to one want.
type Delivered struct {
	Key string
	// Text is all text of the result, Raw the whole of it in the protocol's form.
	Text string
	Raw  model.Verbatim
	// Missing is true when the caller answered others and not this one.
	Missing bool
}
