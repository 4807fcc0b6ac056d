package toolcrib

import (
	"errors"
	"strings"
)

// Kind sorts errors by what the reader can do about them. Each outside world
// (HTTP, exit codes, a model) has one table from Kind to its own codes.
type Kind string

// The kinds.
const (
	// KindInput: the request itself is wrong; say it differently.
	KindInput Kind = "input"
	// KindNotFound: no such tool, server, agent or key, or none that the caller may know of.
	KindNotFound Kind = "not_found"
	// KindAmbiguous: the name fits several; choose one.
	KindAmbiguous Kind = "ambiguous"
	// KindBlocked: policy, a hook or an approval said no.
	KindBlocked Kind = "blocked"
	// KindUnavailable: the server that owns the tool is down or gone.
	KindUnavailable Kind = "unavailable"
	// KindTimeout: time ran out; the effect may have happened.
	KindTimeout Kind = "timeout"
	// KindCanceled: the caller went away.
	KindCanceled Kind = "canceled"
	// KindTool: the tool's owner refused or failed the call.
	KindTool Kind = "tool"
	// KindOutput: the tool did run, and its answer broke its own promise.
	KindOutput Kind = "output"
	// KindLimit: a bound was reached.
	KindLimit Kind = "limit"
	// KindConfig: the configuration is wrong.
	KindConfig Kind = "config"
	// KindUnauthorized: no token, or a wrong one.
	KindUnauthorized Kind = "unauthorized"
	// KindInternal: a fault of toolcrib's own.
	KindInternal Kind = "internal"
)

// Error is the one error type that reaches people and models. Message and Hint
// are written for them and never hold a secret; the cause is for the log.
type Error struct {
	Kind Kind
	// Op is what was being done, such as "call mcp:github:create_issue"; may be empty.
	Op string
	// Message says what happened and where.
	Message string
	// Hint says what to try; may be empty.
	Hint  string
	cause error
}

// NewError returns an Error without a cause.
func NewError(kind Kind, message, hint string) *Error {
	return &Error{Kind: kind, Message: message, Hint: hint}
}

// WithCause returns a copy that carries err for the log alone.
func (e *Error) WithCause(err error) *Error {
	c := *e
	c.cause = err
	return &c
}

// WithOp returns a copy that says what was being done.
func (e *Error) WithOp(op string) *Error {
	c := *e
	c.Op = op
	return &c
}

// Error is the public text: operation, message and hint, without the cause.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Op != "" {
		b.WriteString(e.Op)
		b.WriteString(": ")
	}
	b.WriteString(e.Message)
	if e.Hint != "" {
		b.WriteString(" (")
		b.WriteString(e.Hint)
		b.WriteString(")")
	}
	return b.String()
}

// Unwrap gives the private cause to errors.Is and errors.As, and to the log.
func (e *Error) Unwrap() error { return e.cause }

// KindOf returns the kind of err, KindInternal for an error that has none, and
// "" for nil.
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return KindInternal
}
