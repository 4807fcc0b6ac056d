package wire

import "encoding/json"

// Version is that of the protocol; parent and child are the same program, and
// another version means that the program was replaced while it ran.
const Version = 1

// Ready is the child's first message: it is confined and waits for a script.
type Ready struct {
	Version int `json:"version"`
	// Error says why the child could not be confined; it then ends.
	Error string `json:"error,omitempty"`
	// Probe is what a native probe found, in tests.
	Probe json.RawMessage `json:"probe,omitempty"`
}

// Run is the script: the first and only one of a child.
type Run struct {
	Code      string   `json:"code"`
	Functions []string `json:"functions"`
	// Seed is four 32-bit words, made of the script's seed.
	Seed [4]uint32 `json:"seed"`
	// Now is the script's time in milliseconds since 1970.
	Now    int64 `json:"now"`
	Logs   int   `json:"logs"`
	Result int   `json:"result"`
	Calls  int   `json:"calls"`
	// Arguments bounds the arguments of one call, Sent those of all.
	Arguments int   `json:"arguments"`
	Sent      int   `json:"sent"`
	Memory    int64 `json:"memory"`
}

// Call asks the host; N counts from 1 without a gap.
type Call struct {
	N        int    `json:"n"`
	Function string `json:"function"`
	// Args is the JSON text of an array.
	Args json.RawMessage `json:"args"`
}

// Answer is the host's, in any order.
type Answer struct {
	N     int             `json:"n"`
	Value json.RawMessage `json:"value,omitempty"`
	Error *AnswerError    `json:"error,omitempty"`
}

// AnswerError is what the script can catch.
type AnswerError struct {
	Kind    string          `json:"kind"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Log is one line that the script logged.
type Log struct {
	Level string `json:"level"`
	Text  string `json:"text"`
}

// Done ends a run that went well.
type Done struct {
	Value json.RawMessage `json:"value"`
	Notes []string        `json:"notes,omitempty"`
}

// Failure ends a run that did not.
type Failure struct {
	Kind    string          `json:"kind"`
	Limit   string          `json:"limit,omitempty"`
	Message string          `json:"message"`
	Line    int             `json:"line,omitempty"`
	Column  int             `json:"column,omitempty"`
	Stack   string          `json:"stack,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
	Notes   []string        `json:"notes,omitempty"`
}
