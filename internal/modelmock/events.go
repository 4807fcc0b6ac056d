package modelmock

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// events writes server-sent events, each at once.
type events struct {
	w        http.ResponseWriter
	sequence int
}

// data writes an event without a name.
func (e *events) data(v any) { e.raw("", v) }

// named writes an event with a name, which its body carries as its type.
func (e *events) named(name string, body object) {
	body["type"] = name
	e.raw(name, body)
}

// numbered is named for the protocol that counts its events.
func (e *events) numbered(name string, body object) {
	body["sequence_number"] = e.sequence
	e.sequence++
	e.named(name, body)
}

func (e *events) raw(name string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		data = fmt.Appendf(nil, `{"error":{"message":%q}}`, err.Error())
	}
	if name != "" {
		fmt.Fprintf(e.w, "event: %s\n", name)
	}
	fmt.Fprintf(e.w, "data: %s\n\n", data)
	e.flush()
}

// end writes the word that ends a stream of chat completions.
func (e *events) end() {
	fmt.Fprint(e.w, "data: [DONE]\n\n")
	e.flush()
}

func (e *events) flush() {
	if f, ok := e.w.(http.Flusher); ok {
		f.Flush()
	}
}

// pieces cuts a text in two, so that clients have to join what is streamed.
func pieces(text string) []string {
	half := len([]rune(text)) / 2
	runes := []rune(text)
	if half == 0 {
		return []string{text}
	}
	return []string{string(runes[:half]), string(runes[half:])}
}
