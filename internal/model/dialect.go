package model

import "encoding/json"

// Dialect is a protocol in which callers and providers speak.
type Dialect interface {
	// Parse reads a caller's request. The body must not be changed afterwards. An
	// error is a *toolcrib.Error for the caller.
	Parse(body []byte) (Prompt, error)
	// Error is an answer that reports an error, in the protocol's form: its
	// status, its headers and its body.
	Error(err error) Failure
}

// Failure is an answer that reports an error.
type Failure struct {
	Status int
	Header map[string][]string
	Body   []byte
}

// Info is what is looked at in a request.
type Info struct {
	Model  string
	Stream bool
	// Tools are the caller's functions, in their order.
	Tools []Tool
	// Others are the caller's tools of all other kinds. They're offered as they
	// are, and calls of them are the caller's.
	Others []Tool
	// UserText is the text of the newest message of the user.
	UserText string
	// Choice is the function that the model has to call, "" where it is free.
	Choice string
	// Allowed are the only functions that the model may call; nil for all.
	Allowed []string
	// Serial says that the model is to call one tool at a time.
	Serial bool
	// Bare says why the request can't have tools of ours, such as an older form
	// of it; "" when it can. It goes to the provider as it is, once.
	Bare string
	// CallIDs are the ids of all calls and results in the history, in their order.
	CallIDs []string
	// OpenCallIDs are those of the calls and results after which the model has
	// said nothing more.
	OpenCallIDs []string
	// Answered are the results in the history, in their order.
	Answered []Answered
}

// Prompt is one request of a caller.
type Prompt interface {
	Info() Info
	// Path is where the provider has this sort of request.
	Path() string
	// Body is the request that goes to the provider: the caller's, in which only
	// what must be is another.
	Body(r Rewrite) (Body, error)
	// Reader reads one answer of the provider.
	Reader() Reader
	// Writer writes the one answer that the caller gets.
	Writer() Writer
}

// Body is a request as it goes to the provider.
type Body struct {
	Raw []byte
	// ToolBytes is the size of the list of tools in it.
	ToolBytes int
}

// Rewrite is what is to be another in a request.
type Rewrite struct {
	// Model is the name by which the provider knows the model; "" leaves the caller's.
	Model string
	// Tools is all that the model is offered.
	Tools []Tool
	// Bare leaves the caller's tools as they are, in the place of Tools.
	Bare bool
	// System is added to what the operator tells the model; "" for nothing.
	System string
	// Past says what truly happened where the caller's history holds the ids.
	Past []Past
	// Steps follow the caller's history.
	Steps []Step
	// Free lifts the duty to call a tool.
	Free bool
	// Usage asks a stream for its usage.
	Usage bool
}

// Past is what truly happened between two messages of the caller: it had sent a
// request, and was asked to run the calls of these ids.
type Past struct {
	// IDs are in the form of Fold.
	IDs   []string
	Steps []Step
}

// Delta is what one event of an answer adds.
type Delta struct {
	// Text is what the model says.
	Text string
	// Calls are pieces of calls.
	Calls []CallPiece
	// Reason is why the model ends, in the protocol's word; "" before.
	Reason string
	// Usage is nil where the event says nothing of it.
	Usage *Usage
	// Raw is the event as it came; nil for one that was made here.
	Raw json.RawMessage
}

// CallPiece is a piece of one call.
type CallPiece struct {
	Index    int
	ID, Name string
	Args     string
}

// Said is all that a model said in one answer.
type Said struct {
	// Raw is what a later request repeats.
	Raw    Verbatim
	Text   string
	Calls  []Call
	Reason string
	// Cut is true when the answer was ended before the model had finished: its
	// calls may be incomplete, and must not be run.
	Cut   bool
	Usage Usage
}

// Reader reads one answer of the provider, event by event or whole.
type Reader interface {
	Event(e Event) (Delta, error)
	Whole(body []byte) (Delta, error)
	// End returns all that was said; an error when the answer is not complete.
	End() (Said, error)
}

// Final is the end of an answer to a caller.
type Final struct {
	// Calls are those that the caller is to run.
	Calls []Call
	// Notice is a text to add; "" for none.
	Notice string
	// Stopped says that it was not the model who ended.
	Stopped bool
	// Usage is that of all steps.
	Usage Usage
}

// Writer writes one answer to a caller, from one or more answers of the
// provider. For a streamed one each method returns what to send now; for a
// whole one all but End and Fail return nothing.
type Writer interface {
	// Step says that another answer of the provider begins.
	Step()
	Delta(d Delta) []byte
	// StepEnd says how the answer ended; more is true when another one follows.
	StepEnd(s Said, more bool) []byte
	End(f Final) []byte
	// Fail ends a stream that has begun.
	Fail(err error) []byte
}
