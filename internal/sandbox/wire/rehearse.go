package wire

import (
	"bytes"
	"encoding/json"
)

// Rehearse writes and reads one message of each kind that a run needs, into
// nothing. A child does it before it says that it is ready, so that the first
// messages of its script find everything in place.
func Rehearse() error {
	null := json.RawMessage("null")
	messages := []struct {
		kind     Kind
		sent, to any
	}{
		{KindRun, Run{Code: "return", Functions: []string{"f"}}, &Run{}},
		{KindCall, Call{N: 1, Function: "f", Args: json.RawMessage("[]")}, &Call{}},
		{KindAnswer, Answer{N: 1, Value: null}, &Answer{}},
		{KindAnswer, Answer{N: 1, Error: &AnswerError{Kind: "tool", Data: null}}, &Answer{}},
		{KindLog, Log{Level: "log"}, &Log{}},
		{KindDone, Done{Value: null}, &Done{}},
	}
	for _, m := range messages {
		var pipe bytes.Buffer
		if err := NewWriter(&pipe).Write(m.kind, m.sent); err != nil {
			return err
		}
		frame, err := NewReader(&pipe, 0).Read()
		if err != nil {
			return err
		}
		if err := frame.Decode(m.to); err != nil {
			return err
		}
	}
	return nil
}
