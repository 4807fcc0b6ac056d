package attach

import (
	"bytes"
	"encoding/json"
	"iter"
	"strconv"
	"unicode/utf8"
)

// Methods that mean something to the relay.
const (
	methodInitialize   = "initialize"
	methodPing         = "ping"
	methodCall         = "tools/call"
	methodListen       = "subscriptions/listen"
	methodSetLevel     = "logging/setLevel"
	noteInitialized    = "notifications/initialized"
	noteCancelled      = "notifications/cancelled"
	noteProgress       = "notifications/progress"
	noteListChanged    = "notifications/tools/list_changed"
	noteAcknowledged   = "notifications/subscriptions/acknowledged"
	metaSubscriptionID = "io.modelcontextprotocol/subscriptionId"
)

// message is what the relay knows of one JSON-RPC message. Its slices point into
// the line.
type message struct {
	raw    []byte // the whole message
	id     []byte // as it is written; nil when there is none or it is null
	key    string // of the id: equal for ids that are equal, "" when there is none
	method string
	params []byte
	result []byte
	failed bool // has an error
}

func (m *message) request() bool      { return m.method != "" && m.key != "" }
func (m *message) notification() bool { return m.method != "" && m.key == "" }
func (m *message) response() bool {
	return m.method == "" && m.key != "" && (m.result != nil || m.failed)
}

// peek reads the messages of a line: one, or those of a batch. It returns none
// for what is no JSON, and for JSON that holds no message.
func peek(line []byte) (all []message, batch bool) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' && line[0] != '[' || !json.Valid(line) {
		return nil, false
	}
	if line[0] == '{' {
		return []message{look(line)}, false
	}
	for item := range members(line) {
		if item.value[0] == '{' {
			all = append(all, look(item.value))
		}
	}
	return all, true
}

// look reads one message, a valid JSON object. Of keys that come twice the last counts.
func look(raw []byte) message {
	m := message{raw: raw}
	for member := range members(raw) {
		switch member.key {
		case "id":
			m.id, m.key = member.value, idKey(member.value)
		case "method":
			m.method = text(member.value)
		case "params":
			m.params = member.value
		case "result":
			m.result = member.value
		case "error":
			m.failed = string(member.value) != "null"
		}
	}
	if m.key == "" {
		m.id = nil
	}
	return m
}

// idKey makes ids comparable: 1 and 1.0 are one id, 1 and "1" are two. It is ""
// for null and for what can be no id.
func idKey(id []byte) string {
	if id[0] == '"' {
		return "s" + text(id)
	}
	if n, err := strconv.ParseFloat(string(id), 64); err == nil {
		return "n" + strconv.FormatFloat(n, 'g', -1, 64)
	}
	return ""
}

// text is the value of a JSON string, "" of anything else.
func text(value []byte) string {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	if inner := value[1 : len(value)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	var s string
	if json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}

// member is one member of an object, or one item of an array, which has no key.
type member struct {
	key   string
	value []byte
}

// members goes through a valid JSON object or array. The values it yields are
// never empty.
func members(b []byte) iter.Seq[member] {
	return func(yield func(member) bool) {
		object := b[0] == '{'
		for i := 1; i < len(b); {
			if i = space(b, i); i >= len(b) || b[i] == '}' || b[i] == ']' {
				return
			}
			if b[i] == ',' {
				i++
				continue
			}
			var m member
			if object {
				end := value(b, i)
				m.key = text(b[i:end])
				i = space(b, end) + 1 // the colon
				i = space(b, i)
			}
			end := value(b, i)
			if end <= i {
				return
			}
			m.value = b[i:end]
			i = end
			if !yield(m) {
				return
			}
		}
	}
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// value returns where the JSON value that begins at i ends.
func value(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = quoted(b, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			i++
			continue
		default:
			for i < len(b) && bytes.IndexByte(stops, b[i]) < 0 {
				i++
			}
		}
		if depth <= 0 {
			return min(i, len(b))
		}
	}
	return len(b)
}

// stops end a number or a literal.
var stops = []byte(",:{}[]\" \t\r\n")

// quoted returns where the string that begins at i ends.
func quoted(b []byte, i int) int {
	for first := i + 1; ; {
		n := bytes.IndexByte(b[min(i+1, len(b)):], '"')
		if n < 0 {
			return len(b)
		}
		i += 1 + n
		escapes := 0
		for i-1-escapes >= first && b[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}
