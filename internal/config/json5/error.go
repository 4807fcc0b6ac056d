package json5

import (
	"fmt"
	"strings"
)

// Error is one fault in the text.
type Error struct {
	Pos Pos
	// Found says what stands at Pos. It names punctuation and kinds of values,
	// and never quotes text that could be a secret.
	Found string
	// Expected says what should stand there; empty when Found says it all.
	Expected string
}

// Message is the fault without its position.
func (e *Error) Message() string {
	if e.Expected == "" {
		return e.Found
	}
	return "found " + e.Found + ", expected " + e.Expected
}

// Error is the fault with its line and column.
func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Pos.Line, e.Pos.Column, e.Message())
}

// Errors are all faults that were found, in the order of the text.
type Errors []*Error

// Error joins the faults, one a line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives each fault to errors.As.
func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i, one := range e {
		out[i] = one
	}
	return out
}
