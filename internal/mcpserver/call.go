package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// call answers tools/call. Whatever goes wrong is a result with isError.
func (c *conn) call(ctx context.Context, req mcp.Request, surface Surface) (mcp.Result, error) {
	p, ok := req.GetParams().(*mcp.CallToolParamsRaw)
	if !ok || p == nil {
		p = &mcp.CallToolParamsRaw{}
	}
	c.server.streams.begin(req)
	modern := isModern(req)
	if modern && (p.RequestState != "" || p.InputResponses != nil) {
		return c.resume(ctx, req, p), nil
	}
	request := CallRequest{Name: p.Name, Args: p.Arguments, CallID: "call-" + rand.Text()[:16]}
	request.Scope = c.scope(request.CallID)
	if modern && showsForms(req) {
		h, err := c.start(ctx, surface, request, p.GetProgressToken() != nil)
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
		}
		return c.attend(ctx, req, h), nil
	}
	return c.callAtOnce(ctx, req, p, surface, request), nil
}

// callAtOnce answers a call in one round. Questions are put to the client while it
// waits, where it takes them.
func (c *conn) callAtOnce(ctx context.Context, req mcp.Request, p *mcp.CallToolParamsRaw, surface Surface, request CallRequest) mcp.Result {
	var reporter *reporter
	if token := p.GetProgressToken(); token != nil {
		reporter = c.report(ctx, req, token)
		request.Progress = reporter.put
	}
	asker := c.asker(ctx, req)
	if asker != nil {
		request.Ask = asker.ask
	}
	reply := c.run(ctx, surface, request)
	if asker != nil {
		asker.finish()
	}
	if reporter != nil {
		reporter.finish() // before the result, which ends the stream
	}
	_, version := introduce(req)
	return &rawResult{body: c.appendReply(nil, request.Name, reply, version), modern: version >= firstModern}
}

// run calls the surface; a panic in a tool is the tool's failure, not the gateway's end.
func (c *conn) run(ctx context.Context, surface Surface, r CallRequest) (reply Reply) {
	defer func() {
		if p := recover(); p != nil {
			c.server.o.Logger.Error("panic in a call", "tool", r.Name, "panic", p, "stack", string(debug.Stack()))
			reply = failure(toolcrib.KindInternal, "the gateway failed while it ran the tool", "the call may have had its effect: look before repeating it")
		}
	}()
	return surface.Call(ctx, r)
}

// appendReply writes the members of the result for a client of a version. A block that isn't JSON would
// make the whole answer unreadable: it is replaced by words. A structured value
// that isn't an object is for the stateless era alone.
func (c *conn) appendReply(b []byte, tool string, reply Reply, version string) []byte {
	b = append(b, `"content":[`...)
	first := true
	add := func(data []byte) {
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(b, data...)
	}
	if reply.Text != "" {
		add(textBlock(reply.Text))
	}
	for _, block := range reply.Blocks {
		data, err := fit(block, version).MarshalJSON()
		if err != nil || !json.Valid(data) {
			c.server.o.Logger.Warn("a block of a tool's result is not JSON", "tool", tool, "type", block.Type)
			data = textBlock("[a block of type " + block.Type + " was left out: it is not valid JSON]")
		}
		add(data)
	}
	b = append(b, ']')
	if s := bytes.TrimSpace(reply.Structured); len(s) > 0 && (version >= firstModern || s[0] == '{') && json.Valid(s) {
		b = append(append(b, `,"structuredContent":`...), reply.Structured...)
	}
	if reply.IsError {
		b = append(b, `,"isError":true`...)
	}
	return b
}

func textBlock(text string) []byte {
	return append(appendString([]byte(`{"type":"text","text":`), text), '}')
}

// failure is a reply in the form of the contract's errors.
func failure(kind toolcrib.Kind, message, hint string) Reply {
	var body struct {
		Error struct {
			Kind    toolcrib.Kind `json:"kind"`
			Message string        `json:"message"`
			Hint    string        `json:"hint,omitempty"`
		} `json:"error"`
	}
	body.Error.Kind, body.Error.Message, body.Error.Hint = kind, message, hint
	data, err := json.Marshal(body)
	if err != nil { // plain strings never fail
		return Reply{Text: message, IsError: true}
	}
	return Reply{Text: string(data), IsError: true}
}
