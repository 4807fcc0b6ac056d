package results

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/builtin/gofunc"
)

const (
	usualLength = 16384
	mostLength  = 65536
)

const description = "Read on in a result that was too long and was cut. " +
	"Give the id that came with the cut result, and next of the answer before as offset."

// The schemas are written out: they say more than Go types can.
const inputSchema = `{
  "type": "object",
  "properties": {
    "id": {"type": "string", "minLength": 1, "maxLength": 64, "description": "Id of the kept result."},
    "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "Byte of the kept text to start at, counted from 0."},
    "length": {"type": "integer", "minimum": 1, "maximum": 65536, "default": 16384, "description": "How many bytes at most; fewer come when they wouldn't fit into a reply."}
  },
  "required": ["id"],
  "additionalProperties": false
}`

const outputSchema = `{
  "type": "object",
  "properties": {
    "id": {"type": "string", "description": "Id of the kept result."},
    "offset": {"type": "integer", "description": "Byte of the kept text at which this piece starts."},
    "length": {"type": "integer", "description": "How many bytes of UTF-8 this piece has."},
    "total": {"type": "integer", "description": "How many bytes are kept in all."},
    "next": {"type": "integer", "description": "Offset to go on from; absent at the end."},
    "dropped": {"type": "integer", "description": "Bytes after the end that were too many to keep; absent when there are none."},
    "text": {"type": "string", "description": "The piece."}
  },
  "required": ["id", "offset", "length", "total", "text"],
  "additionalProperties": false
}`

type readInput struct {
	ID     string `json:"id"`
	Offset int    `json:"offset"`
	Length *int   `json:"length"`
}

// piece is the structured answer. Offsets and lengths count bytes of UTF-8, as
// the hints at cut results do; a piece begins and ends between characters, so
// Offset may be up to three less than was asked for, and Length may fall short.
type piece struct {
	ID      string `json:"id"`
	Offset  int    `json:"offset"`
	Length  int    `json:"length"`
	Total   int    `json:"total"`
	Next    *int   `json:"next,omitempty"`
	Dropped int    `json:"dropped,omitempty"`
	Text    string `json:"text"`
}

func (r *Results) tool() gofunc.Tool {
	return gofunc.FuncCall("read", description, r.read,
		gofunc.OwnedBy(toolcrib.SourceCore, "results"),
		gofunc.Titled("Read a kept result"),
		gofunc.ReadOnly(), gofunc.Destructive(false), gofunc.Idempotent(), gofunc.OpenWorld(false),
		gofunc.InputSchema(json.RawMessage(inputSchema)), gofunc.OutputSchema(json.RawMessage(outputSchema)))
}

func (r *Results) read(ctx context.Context, call toolcrib.Call, in readInput) (toolcrib.Result, error) {
	length := usualLength
	if in.Length != nil {
		length = *in.Length
	}
	if in.Offset < 0 || length < 1 || length > mostLength {
		return toolcrib.Result{}, toolcrib.NewError(toolcrib.KindInput,
			fmt.Sprintf("can't read %d bytes from offset %d", length, in.Offset),
			fmt.Sprintf("offset is 0 or more, length 1 to %d", mostLength))
	}
	kept, ok := r.find(ctx, call.Scope, in.ID)
	if !ok {
		return toolcrib.Result{IsError: true, Content: []toolcrib.Content{toolcrib.Text(
			"no such result is kept: ids end with their session and after a while; call the tool that made the result again")}}, nil
	}
	return r.answer(in, kept, length)
}

func (r *Results) answer(in readInput, kept text, length int) (toolcrib.Result, error) {
	p := piece{ID: in.ID, Total: len(kept.s), Dropped: kept.dropped}
	p.Offset, p.Text = kept.slice(in.Offset, length, int(r.reply.Load())/2)
	p.Length = len(p.Text)
	if end := p.Offset + p.Length; p.Offset < p.Total && end < p.Total {
		p.Next = &end
	}
	result, err := gofunc.ResultOf(p)
	result.Content = []toolcrib.Content{toolcrib.Text(p.Text)}
	return result, err
}
