package rpcline

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Codes of JSON-RPC errors.
const (
	CodeParse   = -32700
	CodeInvalid = -32600
)

// maxID is the largest whole number that every reader of JSON tells from the next.
const maxID = 1<<53 - 1

// Message is what a line holds. ID points into the line.
type Message struct {
	ID     []byte // as it is written; nil for a notification
	Key    string // of ID: equal for ids that are equal, 1 and "1" are two
	Method string // empty for an answer
}

// Request reports whether the message wants an answer.
func (m Message) Request() bool { return m.ID != nil && m.Method != "" }

// Refusal is why a line is no message.
type Refusal struct {
	ID   []byte // of the request that it would have been; nil when that can't be told
	Code int
	Text string
}

// Line is the answer to the refused line.
func (r *Refusal) Line() []byte {
	id := r.ID
	if id == nil {
		id = []byte("null")
	}
	text, err := json.Marshal(r.Text)
	if err != nil { // a string always can be written
		text = []byte(`""`)
	}
	line := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	line = append(line, `,"error":{"code":`...)
	line = strconv.AppendInt(line, int64(r.Code), 10)
	line = append(append(line, `,"message":`...), text...)
	return append(line, "}}\n"...)
}

// Read reads a line. A request must have an id that is a string, or a whole
// number of at most 2^53-1 to either side; only a notification may say null.
func Read(line []byte) (Message, *Refusal) {
	line = bytes.TrimSpace(line)
	switch {
	case !json.Valid(line):
		return Message{}, &Refusal{Code: CodeParse, Text: "Parse error: the line is not JSON"}
	case line[0] == '[':
		return Message{}, invalid(nil, "batches are not supported: send each message in a line of its own")
	case line[0] != '{':
		return Message{}, invalid(nil, "the line is JSON, but no message")
	}
	var parts map[string]json.RawMessage
	if json.Unmarshal(line, &parts) != nil {
		return Message{}, invalid(nil, "the line is JSON, but no message")
	}
	var m Message
	good := true
	if id, ok := parts["id"]; ok && string(id) != "null" {
		if m.Key, good = key(id); good {
			m.ID = id
		}
	}
	if _, ok := parts["method"]; !ok {
		return answer(m, parts)
	}
	method, ok := text(parts["method"])
	m.Method = method
	switch {
	case !good:
		return m, invalid(nil, "the id must be a string or a whole number of at most 2^53-1")
	case string(parts["id"]) == "null" && !strings.HasPrefix(method, "notifications/"):
		return m, invalid(nil, "the id of a request must not be null")
	case !versioned(parts):
		return m, invalid(m.ID, `the message must say "jsonrpc": "2.0"`)
	case !ok:
		return m, invalid(m.ID, "the method must be a string")
	}
	return m, nil
}

// answer checks a message without a method. Nobody waits for an answer to it, so
// a refusal has no id: the sender may have a request of its own under that one.
func answer(m Message, parts map[string]json.RawMessage) (Message, *Refusal) {
	switch {
	case parts["result"] == nil && parts["error"] == nil:
		return m, invalid(nil, "the message has neither a method nor a result nor an error")
	case m.ID == nil:
		return m, invalid(nil, "the answer has no id that can be that of a request")
	case !versioned(parts):
		return m, invalid(nil, `the message must say "jsonrpc": "2.0"`)
	}
	return m, nil
}

func invalid(id []byte, text string) *Refusal {
	return &Refusal{ID: id, Code: CodeInvalid, Text: "Invalid request: " + text}
}

// InUse refuses a request with the id of one that has no answer yet.
func InUse(m Message) *Refusal {
	return invalid(m.ID, "a request with this id is still going on")
}

// Unreadable refuses a message that its reader can't take.
func Unreadable(m Message) *Refusal {
	if m.Method == "" {
		return invalid(nil, "the answer can't be read")
	}
	return invalid(m.ID, "the message can't be read")
}

func versioned(parts map[string]json.RawMessage) bool {
	version, ok := text(parts["jsonrpc"])
	return ok && version == "2.0"
}

func text(value json.RawMessage) (s string, ok bool) {
	return s, len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &s) == nil
}

// key makes ids comparable. It fails for what can't be an id, and for those that
// would not come back as they are.
func key(id json.RawMessage) (string, bool) {
	if s, ok := text(id); ok {
		return "s" + s, !strings.ContainsRune(s, utf8.RuneError)
	}
	n, err := strconv.ParseFloat(string(id), 64)
	if err != nil || n != float64(int64(n)) || n > maxID || n < -maxID {
		return "", false
	}
	return "n" + strconv.FormatInt(int64(n), 10), true
}

// Key is that of an id in a message that was written by a program of this module;
// "" for what is none.
func Key(id []byte) string {
	k, _ := key(id)
	return k
}
