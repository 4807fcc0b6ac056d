package client

import (
	"context"
	"net/url"
	"time"
)

// Pin is a tool of a server that is pinned, and that a person should look at.
type Pin struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Why is "new", "added", "text", "schema", "flagged" or "rejected".
	Why string `json:"why"`
	// Served says what can be used meanwhile: "withheld" for nothing, "before" for the
	// tool with the texts of before, "now" for the tool as it is.
	Served string `json:"served"`
	// Hash names the form that an answer is about.
	Hash string `json:"hash"`
	// Flags say what is suspicious in it.
	Flags []PinFlag `json:"flags,omitempty"`
	// Changes are those since the form that is accepted; empty when none is.
	Changes []PinChange `json:"changes,omitempty"`
	// Title, Description, Parameters and Annotations are of the form, where there is
	// nothing to compare it with. Characters that can't be seen are written out in all
	// texts here, as <U+200B>.
	Title       string    `json:"title,omitempty"`
	Description string    `json:"description,omitempty"`
	Parameters  string    `json:"parameters,omitempty"`
	Annotations string    `json:"annotations,omitempty"`
	Seen        time.Time `json:"seen,omitzero"`
}

// PinFlag is one thing that is suspicious: "hidden", "instructions", "shadow" or
// "look-alike".
type PinFlag struct {
	Kind   string `json:"kind"`
	At     string `json:"at"`
	Reason string `json:"reason"`
}

// PinChange is one difference: of a "text", the "schema" or the "hints".
type PinChange struct {
	Kind   string `json:"kind"`
	At     string `json:"at"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// PinList is the body of GET /api/pins, by server and tool.
type PinList struct {
	Pins []Pin `json:"pins"`
}

// Decisions on pins.
const (
	PinApprove = "approve"
	PinReject  = "reject"
	PinForget  = "forget"
)

// PinAnswer is the body of POST /api/pins.
type PinAnswer struct {
	Server string `json:"server"`
	// Decision is PinApprove, PinReject or PinForget. What is forgotten is seen for
	// the first time when it is seen again.
	Decision string `json:"decision"`
	// Tools are those that it is about. Empty is for forgetting alone: all of the server.
	Tools []PinChoice `json:"tools,omitempty"`
}

// PinChoice is one tool of an answer. Hash is that of the Pin which was looked at;
// an answer about another one counts for nothing.
type PinChoice struct {
	Tool string `json:"tool"`
	Hash string `json:"hash,omitempty"`
}

// PinReply is the answer of POST /api/pins.
type PinReply struct {
	// Changed counts the pins that the answer has changed.
	Changed int `json:"changed"`
}

// Review counts the pins of a server that a person should look at.
type Review struct {
	Withheld int `json:"withheld,omitempty"`
	Changed  int `json:"changed,omitempty"`
	Flagged  int `json:"flagged,omitempty"`
	Added    int `json:"added,omitempty"`
}

// Count counts one more.
func (r *Review) Count(p Pin) {
	switch {
	case p.Served == "withheld":
		r.Withheld++
	case p.Why == "text":
		r.Changed++
	case p.Why == "flagged":
		r.Flagged++
	default:
		r.Added++
	}
}

// Pins lists the tools that a person should look at, of one server or, for "", of
// all. rejected lists those that were rejected, too.
func (c *Client) Pins(ctx context.Context, server string, rejected bool) ([]Pin, error) {
	query := url.Values{}
	if server != "" {
		query.Set("server", server)
	}
	if rejected {
		query.Set("rejected", "true")
	}
	list, err := get[PinList](ctx, c, "/api/pins", query)
	return list.Pins, err
}

// AnswerPins says what becomes of tools. It takes the admin token.
func (c *Client) AnswerPins(ctx context.Context, a PinAnswer) (PinReply, error) {
	return post[PinReply](ctx, c, "/api/pins", a)
}
