package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// frame is the envelope of a JSON-RPC message. Result and params stay raw.
type frame struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  *string         `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// decodeMessage reads one JSON-RPC message.
func decodeMessage(data []byte) (jsonrpc.Message, error) {
	var f frame
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	if f.Version != "2.0" {
		return nil, errors.New("not a JSON-RPC 2.0 message")
	}
	id, err := decodeID(f.ID)
	if err != nil {
		return nil, err
	}
	if f.Method != nil {
		return &jsonrpc.Request{ID: id, Method: *f.Method, Params: f.Params}, nil
	}
	if !id.IsValid() {
		return nil, errors.New("neither a method nor an id")
	}
	answer := &jsonrpc.Response{ID: id, Result: f.Result}
	if len(f.Error) > 0 && !bytes.Equal(f.Error, []byte("null")) {
		answer.Error = decodeError(f.Error)
	}
	return answer, nil
}

// decodeID reads the id of a message: a number, a string, or none.
func decodeID(raw json.RawMessage) (jsonrpc.ID, error) {
	if len(raw) == 0 {
		return jsonrpc.ID{}, nil
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return jsonrpc.ID{}, err
	}
	return jsonrpc.MakeID(v)
}

// decodeError reads an error object. One in another form keeps its text.
func decodeError(raw json.RawMessage) *jsonrpc.Error {
	var e struct {
		Code    json.Number     `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: clip(string(raw), 2000)}
	}
	code, err := e.Code.Int64()
	if err != nil {
		code = jsonrpc.CodeInternalError
	}
	return &jsonrpc.Error{Code: code, Message: e.Message, Data: e.Data}
}

// decodeFrames reads a line that holds one message or, as protocol 2025-03-26
// allows, an array of them. What isn't a message is reported in the error, and
// the rest is returned.
func decodeFrames(line []byte) ([]jsonrpc.Message, error) {
	if line[0] != '[' {
		m, err := decodeMessage(line)
		if err != nil {
			return nil, err
		}
		return []jsonrpc.Message{m}, nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(line, &parts); err != nil {
		return nil, err
	}
	var out []jsonrpc.Message
	var bad error
	for i, p := range parts {
		m, err := decodeMessage(p)
		if err != nil {
			bad = fmt.Errorf("message %d of a batch: %w", i+1, err)
			continue
		}
		out = append(out, m)
	}
	return out, bad
}

// clip cuts s to at most n bytes at a character boundary.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
