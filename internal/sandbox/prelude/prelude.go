// Package prelude owns the JavaScript that runs in front of a script in every
// runtime: the globals that it finds and those taken away, the way of its
// values into JSON, its clock and its chance, and the functions by which a
// runtime drives it. It knows no engine and no pipe.
package prelude

import _ "embed" // for Source

// Source is a function expression. A runtime evaluates it in the script's
// realm before the script, and calls it with an object of its own functions:
//
//	call(n, name, args)   asks the host; args is the JSON text of an array
//	log(level, text)      writes a line of the log
//	done(value, notes)    ends the run; both are JSON texts
//	fail(failure)         ends the run; a JSON text, see wire.Failure
//	bytes(text)           the length of a text in UTF-8
//	pending()             {reason} of a rejection that nobody handled, or undefined
//
// The function gives back an object of four:
//
//	begin(config)         config is the JSON text of a wire.Run without code
//	run(body, expression) starts the body, an async function without parameters
//	settle(n, ok, text)   answers a call with JSON: the value, or {kind, message, data}
//	idle()                to call when no job is queued: true while it waits for the host
//
//go:embed prelude.js
var Source string

// File is the name under which the body is to be compiled, where an engine
// has names; frames of other files in a stack aren't the script's.
const File = "body.js"

// HeadLines is how many lines each of the wrappings puts before the code.
const HeadLines = 1

// A Wrapping makes an expression of a script's code.
type Wrapping struct {
	// Source gives an async function when it is evaluated.
	Source string
	// Check must compile too. It has other brackets around the code, so that
	// no code can close those of Source and go on behind them.
	Check string
	// Expression is true when Source takes the code as one expression and
	// returns its value.
	Expression bool
}

// Wrappings lists the ways to read a script's code, the first that compiles
// is right. The last is the body of a function, whose errors are the ones to show.
func Wrappings(code, bare string) []Wrapping {
	body := "async function () {\n" + code + "\n}"
	expression := "async function () { return (\n" + bare + "\n)}"
	return []Wrapping{
		{Source: "(" + expression + ")", Check: "[async function () { return [\n" + bare + "\n]}]", Expression: true},
		{Source: "(" + body + ")", Check: "[" + body + "]"},
	}
}
