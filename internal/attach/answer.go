package attach

import (
	"encoding/json"
	"errors"

	"github.com/toolcrib/toolcrib"
)

// codeClosed is the code of JSON-RPC errors for requests that could not be
// answered; the kits of the protocol use it for a connection that has ended.
const codeClosed = -32000

// errLost is what a client is told of a call that was going on when the gateway ended.
var errLost = toolcrib.NewError(toolcrib.KindUnavailable, "the gateway ended while the call was going on",
	"the call may have had its effect: look before repeating it")

// errAway is what it is told of a request for which no gateway was found.
func errAway(cause error) *toolcrib.Error {
	message := "no gateway answers"
	hint := "try again in a moment"
	var known *toolcrib.Error
	if errors.As(cause, &known) {
		message = known.Message
		if known.Hint != "" {
			hint = known.Hint
		}
	}
	return toolcrib.NewError(toolcrib.KindUnavailable, message, hint)
}

// errBusy is what it is told when it asks more than the relay keeps in mind.
var errBusy = toolcrib.NewError(toolcrib.KindLimit, "too many requests are waiting for their answers", "wait for some of them")

// failure is the wire form of an error, as the gateway itself writes it.
type failure struct {
	Kind    toolcrib.Kind `json:"kind"`
	Message string        `json:"message"`
	Hint    string        `json:"hint,omitempty"`
}

// refusal is the answer to a request that no gateway answers: for tools/call a
// result that the model reads, for others an error. A ping is answered as well
// as it can be: the relay is there. modern is for the stateless era.
func refusal(id []byte, method string, e *toolcrib.Error, modern bool) []byte {
	body := failure{e.Kind, e.Message, e.Hint}
	switch method {
	case methodPing:
		return response(id, "result", struct{}{})
	case methodCall:
		return response(id, "result", toolResult(body, modern))
	}
	return response(id, "error", struct {
		Code    int     `json:"code"`
		Message string  `json:"message"`
		Data    failure `json:"data"`
	}{codeClosed, e.Error(), body})
}

func toolResult(body failure, modern bool) any {
	type block struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	var r struct {
		Content    []block `json:"content"`
		IsError    bool    `json:"isError"`
		ResultType string  `json:"resultType,omitempty"`
	}
	r.Content, r.IsError = []block{{"text", string(encode(map[string]failure{"error": body}))}}, true
	if modern {
		r.ResultType = "complete"
	}
	return r
}

// response is one line: the answer to a request with the id as it was written.
func response(id []byte, member string, value any) []byte {
	line := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	line = append(append(line, `,"`...), member...)
	line = append(append(line, `":`...), encode(value)...)
	return append(line, "}\n"...)
}

// notification is one line that asks for nothing.
func notification(method string, params any) []byte {
	line := append([]byte(`{"jsonrpc":"2.0","method":"`), method...)
	line = append(line, '"')
	if params != nil {
		line = append(append(line, `,"params":`...), encode(params)...)
	}
	return append(line, "}\n"...)
}

// cancelled tells the client that nobody waits for its answer any more.
func cancelled(id []byte) []byte {
	return notification(noteCancelled, struct {
		ID     json.RawMessage `json:"requestId"`
		Reason string          `json:"reason"`
	}{id, "the gateway that asked has ended"})
}

// listChanged tells the client to list the tools again, on the subscription with
// an id, or as clients with a handshake are told when it is nil.
func listChanged(subscription []byte) []byte {
	if subscription == nil {
		return notification(noteListChanged, nil)
	}
	return notification(noteListChanged, map[string]any{"_meta": map[string]json.RawMessage{metaSubscriptionID: subscription}})
}

// encode writes values that always can be written.
func encode(value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		return []byte("null")
	}
	return data
}

// errTaken is what a gateway is told whose request can't be told apart from one
// of a gateway before it.
var errTaken = toolcrib.NewError(toolcrib.KindUnavailable, "the client still has a request with this id from a gateway that has ended", "")
