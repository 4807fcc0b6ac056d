package mcpserver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// emptySchema stands for the schema that a tool did not send.
var emptySchema = json.RawMessage(`{"type":"object"}`)

// list answers tools/list with one page of the surface.
func (c *conn) list(_ context.Context, req mcp.Request, surface Surface) (mcp.Result, error) {
	cursor := ""
	if p, ok := req.GetParams().(*mcp.ListToolsParams); ok && p != nil {
		cursor = p.Cursor
	}
	tools := surface.Tools()
	start, err := readCursor(cursor, tools)
	if err != nil {
		return nil, err
	}
	page, next := tools[start:], ""
	if len(page) > c.server.o.PageSize {
		page = page[:c.server.o.PageSize]
		next = makeCursor(start+len(page), page[len(page)-1].Name)
	}
	result := &rawResult{modern: isModern(req)}
	result.body = c.appendTools(make([]byte, 0, sizeOf(page)), page, result.modern)
	if next != "" {
		result.body = append(result.body, `,"nextCursor":`...)
		result.body = appendString(result.body, next)
	}
	if result.modern {
		result.body = append(result.body, `,"ttlMs":0,"cacheScope":"private"`...)
	}
	return result, nil
}

// appendTools writes `"tools":[…]`. A tool that can't be written is left out and
// logged: one odd tool would cost the client all others.
func (c *conn) appendTools(b []byte, tools []Visible, modern bool) []byte {
	b = append(b, `"tools":[`...)
	first := true
	for _, tool := range tools {
		data, err := prepare(tool, modern).MarshalJSON()
		if err != nil {
			c.server.o.Logger.Warn("tool left out of tools/list: it is not valid JSON", "tool", tool.Name, "error", err)
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(b, data...)
	}
	return append(b, ']')
}

// prepare gives a tool what the protocol asks for. Clients of the handshake era
// refuse a whole list for one output schema that isn't an object's.
func prepare(t Visible, modern bool) Visible {
	if len(t.InputSchema) == 0 {
		t.InputSchema = emptySchema
	}
	if len(t.OutputSchema) > 0 && !modern && !ofObject(t.OutputSchema) {
		t.OutputSchema = nil
	}
	return t
}

func ofObject(schema json.RawMessage) bool {
	var head struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(schema, &head) == nil && head.Type == "object"
}

// sizeOf guesses the bytes that tools take in a list.
func sizeOf(tools []Visible) int {
	size := 64
	for i := range tools {
		t := &tools[i]
		size += 160 + len(t.Name) + len(t.Title) + len(t.Description) + len(t.InputSchema) + len(t.OutputSchema) + len(t.Meta)
	}
	return size + size/16
}

// A cursor is the place where the next page starts and the name of the tool
// before it. When the list has changed meanwhile the name counts.
func makeCursor(start int, last string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(start) + ":" + last))
}

func readCursor(cursor string, tools []Visible) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	data, err := base64.RawURLEncoding.DecodeString(cursor)
	place, last, ok := strings.Cut(string(data), ":")
	start, atoi := strconv.Atoi(place)
	if err != nil || !ok || atoi != nil || start < 1 {
		return 0, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid cursor: list again from the start"}
	}
	if start <= len(tools) && tools[start-1].Name == last {
		return start, nil
	}
	for i := range tools {
		if tools[i].Name == last {
			return i + 1, nil
		}
	}
	return min(start-1, len(tools)), nil
}
