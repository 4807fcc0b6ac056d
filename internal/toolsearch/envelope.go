package toolsearch

import (
	"encoding/json"
	"fmt"

	"github.com/toolcrib/toolcrib"
)

// envelopeText is the JSON of tool_call: what ran, and what it answered.
type envelopeText struct {
	Tool   envelopeTool   `json:"tool"`
	Result envelopeResult `json:"result"`
	// The rest is there only when the result was cut.
	Truncated bool   `json:"truncated,omitempty"`
	ResultID  string `json:"resultId,omitempty"`
	Hint      string `json:"hint,omitempty"`
}

type envelopeTool struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Source toolcrib.Source `json:"source"`
}

type envelopeResult struct {
	Content []toolcrib.Content `json:"content"`
	Details json.RawMessage    `json:"details,omitempty"`
	IsError bool               `json:"isError,omitempty"`
}

// cutRoom is kept free of a result that is cut, for saying so.
const cutRoom = 512

// envelope is the reply of tool_call. Blocks that are no text follow the JSON
// as they are, and a note stands in their place.
func (s *Surface) envelope(t toolcrib.Tool, r toolcrib.Result, scope toolcrib.Scope) Reply {
	p := newParts(r, false)
	e := envelopeText{Tool: envelopeTool{t.ID, t.Name, t.Source}}
	frame := len(encoded(envelopeText{Tool: e.Tool, Result: envelopeResult{Details: json.RawMessage(`""`), IsError: true}}))
	if frame+p.size() > s.opt.MaxResultBytes {
		p.shrink(s.opt.MaxResultBytes - frame - cutRoom)
		k := s.keep(t, r, p, scope)
		e.Truncated, e.ResultID, e.Hint = true, k.id, k.hint
	}
	e.Result = envelopeResult{p.inEnvelope(), p.value(), r.IsError}
	text, err := encode(e)
	if err != nil {
		return failure(unusable(t, err))
	}
	return Reply{Text: string(text), Blocks: p.natives(), IsError: r.IsError}
}

// native is the reply of a tool shown directly: what it answered, unchanged
// unless it is too large.
func (s *Surface) native(t toolcrib.Tool, r toolcrib.Result, scope toolcrib.Scope) Reply {
	p := newParts(forClients(r), true)
	if p.size() <= s.opt.MaxResultBytes {
		return Reply{Blocks: p.blocks(), Structured: p.value(), IsError: r.IsError}
	}
	p.shrink(s.opt.MaxResultBytes - cutRoom)
	k := s.keep(t, r, p, scope)
	return Reply{Blocks: append(p.blocks(), toolcrib.Text("["+k.hint+"]")), Structured: p.value(), IsError: r.IsError}
}

// forClients gives a result the form that MCP has for it: the structured value
// is an object, and one that nothing else shows is shown as text too.
func forClients(r toolcrib.Result) toolcrib.Result {
	if len(r.Content) == 0 && len(r.Details) > 0 && !isNull(r.Details) {
		r.Content = []toolcrib.Content{toolcrib.Text(string(r.Details))}
	}
	if kindName(r.Details) != "an object" {
		r.Details = nil
	}
	return r
}

func unusable(t toolcrib.Tool, err error) error {
	return toolcrib.NewError(toolcrib.KindOutput, "the tool did run, but its result can't be written as JSON",
		"don't repeat the call for its effect; check what it did by other means").WithOp("call " + t.ID).WithCause(err)
}

// blockNote stands in the envelope for a block that follows it.
func blockNote(kind string, n int) toolcrib.Content {
	return toolcrib.Text(fmt.Sprintf("[%s: see block %d of this reply]", clipText(safe(kind), 40), n))
}

// kept says where a result that was cut can be read on.
type kept struct{ id, hint string }

// keep stores the whole of a result that was cut: the text alone when one text
// was cut and nothing else, so that reading goes on where it ended; else the
// JSON of the result.
func (s *Surface) keep(t toolcrib.Tool, r toolcrib.Result, p *parts, scope toolcrib.Scope) kept {
	if t.ID == ResultsRead {
		return kept{hint: "The answer was cut. Ask for fewer bytes at once."}
	}
	x, what := p.onlyCut(), "The result was cut."
	if x != nil {
		what = fmt.Sprintf("The text was cut after %d of %d bytes.", x.shown, len(x.text))
	}
	reader, ok := s.opt.Catalog.Lookup(ResultsRead)
	if !ok || s.opt.Keeper == nil {
		return kept{hint: what + " The rest can't be read here: ask the tool for less."}
	}
	from := 0
	var whole []byte
	if x != nil {
		whole, from = []byte(x.text), x.shown
	} else {
		whole = encodedResult(r)
		what += fmt.Sprintf(" The whole, as JSON, has %d bytes.", len(whole))
	}
	id := s.opt.Keeper.Keep(scope, whole)
	if id == "" {
		return kept{hint: what + " The rest could not be kept: ask the tool for less."}
	}
	return kept{id, what + " Read on with " + s.readOn(reader, id, from)}
}

// readOn writes the call that reads on, as this mode has it.
func (s *Surface) readOn(reader *toolcrib.Tool, id string, from int) string {
	type args struct {
		ID     string `json:"id"`
		Offset int    `json:"offset"`
	}
	if name, shown := s.names.byID[reader.ID]; shown {
		return fmt.Sprintf("%s %s", name, encoded(args{id, from}))
	}
	if s.opt.Mode == ModeCode {
		return fmt.Sprintf("%s and the code: return (await openclaw.tools.call('%s', {id: '%s', offset: %d})).result.details", CodeControl, reader.ID, id, from)
	}
	return fmt.Sprintf("%s %s", s.callControl(reader), encoded(struct {
		ID   string `json:"id"`
		Args args   `json:"args"`
	}{reader.ID, args{id, from}}))
}

// encodedResult is the JSON of a whole result, as far as it has one.
func encodedResult(r toolcrib.Result) []byte {
	if text, err := encode(r); err == nil {
		return text
	}
	return []byte("null")
}
