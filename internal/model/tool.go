package model

import (
	"encoding/json"
	"errors"

	"github.com/toolcrib/toolcrib/internal/rawjson"
)

// Function is the kind of tools that are called with a JSON object.
const Function = "function"

// Tool is one tool as a model is offered it.
type Tool struct {
	// Kind is what the protocol calls this sort of tool; "" means Function.
	Kind string
	// Name is "" for a kind that has none, such as a search of the provider's own.
	Name        string
	Description string
	// Parameters is the schema of the arguments; nil for none.
	Parameters json.RawMessage
	// Raw is the whole definition as the caller wrote it, and is offered as it
	// is; nil for a tool of ours.
	Raw json.RawMessage
}

// IsFunction reports whether the tool is called with a JSON object.
func (t Tool) IsFunction() bool { return t.Kind == "" || t.Kind == Function }

// Call is a model's wish that a tool be run.
type Call struct {
	// ID is the provider's.
	ID string `json:"id"`
	// Kind is as in Tool.
	Kind string `json:"kind,omitempty"`
	Name string `json:"name"`
	// Args is what the model wrote: JSON if all went well.
	Args string `json:"args"`
	// Raw is the whole call in the protocol's form.
	Raw Verbatim `json:"raw,omitempty"`
}

// Result is what a call came to.
type Result struct {
	// CallID is that of the call.
	CallID string `json:"callId"`
	// Text is what the model is told, unless Theirs says otherwise.
	Text    string `json:"text"`
	IsError bool   `json:"isError,omitempty"`
	// Theirs is the id under which the caller was asked to run the call, for a
	// result that is the caller's own: the one in its history is used as it is,
	// and Text when it isn't there any more.
	Theirs string `json:"theirs,omitempty"`
}

// Answered is a result that a caller's history holds.
type Answered struct {
	// ID is the call's, as the caller writes it.
	ID string
	// Text is all its text.
	Text string
	// Raw is the whole result in the protocol's form.
	Raw Verbatim
}

// Step is one saying of the model, and what its calls came to. A step in which
// nothing was said adds results alone.
type Step struct {
	// Said is in the protocol's form, as it was received.
	Said    Verbatim `json:"said,omitempty"`
	Results []Result `json:"results,omitempty"`
}

// Verbatim is JSON in a protocol's form that stays as it is, to the byte, also
// where it is kept as a part of other JSON: there it is a string.
type Verbatim []byte

// MarshalJSON writes the bytes as a string.
func (v Verbatim) MarshalJSON() ([]byte, error) { return rawjson.Quote(string(v)), nil }

// UnmarshalJSON reads the string.
func (v *Verbatim) UnmarshalJSON(text []byte) error {
	s, ok := rawjson.String(text)
	if !ok && !rawjson.IsNull(text) {
		return errors.New("model: verbatim JSON must be kept as a string")
	}
	*v = Verbatim(s)
	return nil
}
