package toolsearch

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/toolcrib/toolcrib"
)

// part is one block of a result, or its structured value, as far as it is shown.
type part struct {
	block  toolcrib.Content
	text   string // what can be cut: the text of a block or of an embedded resource, or the JSON of the value
	shown  int    // bytes of text that are shown
	native bool   // follows the envelope as a block of its own
	value  bool   // the structured value
	cost   int    // bytes that it takes
}

// parts is a result on its way into a model's context.
type parts struct {
	list    []part // blocks in order
	details *part  // nil when there is none
	direct  bool   // every block is shown as it is, no envelope
	dropped int    // blocks left out from the end
}

// newParts takes a result apart. Bytes that are not UTF-8 become U+FFFD.
func newParts(r toolcrib.Result, direct bool) *parts {
	p := &parts{direct: direct}
	for _, b := range r.Content {
		if b.Raw != nil {
			b.Raw = valid(b.Raw)
		}
		x := part{block: b, native: b.Type != "text"}
		if x.native {
			x.text = resourceText(b)
		} else {
			x.text = b.Text
		}
		x.shown = len(x.text)
		x.cost = p.costOf(x)
		p.list = append(p.list, x)
	}
	if len(r.Details) > 0 && !isNull(r.Details) {
		text := valid(r.Details)
		p.details = &part{text: string(text), shown: len(text), value: true, cost: len(text)}
	}
	return p
}

// valid replaces what is not UTF-8, which is JSON all the same to some encoders.
func valid(raw json.RawMessage) json.RawMessage {
	if utf8.Valid(raw) {
		return raw
	}
	return bytes.ToValidUTF8(raw, []byte("\uFFFD"))
}

// resourceText returns the text of an embedded resource, "" for everything else.
func resourceText(b toolcrib.Content) string {
	if b.Type != "resource" {
		return ""
	}
	var shape struct {
		Resource struct {
			Text string `json:"text"`
		} `json:"resource"`
	}
	_ = json.Unmarshal(b.Raw, &shape)
	return shape.Resource.Text
}

// textFrame is what stands around a text in its block, and the comma.
const textFrame = len(`{"type":"text","text":""},`)

// costOf counts what a block puts into the context as text. The data of images
// and the like are no text.
func (p *parts) costOf(x part) int {
	switch {
	case !x.native && (x.block.Raw == nil || x.shown < len(x.text)):
		return textFrame + len(x.block.Raw) - min(len(x.block.Raw), len(x.text)) + encodedLen(x.text[:x.shown])
	case !x.native:
		return len(x.block.Raw) + 1
	}
	note := 0
	if !p.direct {
		note = sizeOf(wire(blockNote(x.block.Type, 1000))) + 1
	}
	if x.text == "" && x.block.Type != "resource_link" {
		return note
	}
	return note + len(x.rendered().Raw)
}

// rendered is the block with its text as far as it is shown.
func (x *part) rendered() toolcrib.Content {
	switch {
	case x.shown == len(x.text):
		return x.block
	case x.native:
		return toolcrib.Content{Type: x.block.Type, Raw: replaceText(x.block.Raw, "resource", x.text[:x.shown])}
	case x.block.Raw != nil:
		return toolcrib.Content{Type: "text", Text: x.text[:x.shown], Raw: replaceText(x.block.Raw, "", x.text[:x.shown])}
	}
	return toolcrib.Text(x.text[:x.shown])
}

// wire gives a text block that was made here its JSON, without escapes for HTML.
func wire(c toolcrib.Content) toolcrib.Content {
	if c.Raw == nil {
		c.Raw, _ = encode(struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}{c.Type, c.Text})
	}
	return c
}

// replaceText sets "text" in an object, or in the object that it holds under key.
func replaceText(raw json.RawMessage, key, text string) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return json.RawMessage(`null`)
	}
	if key != "" {
		object[key] = replaceText(object[key], "", text)
	} else {
		object["text"], _ = encode(text)
	}
	out, _ := encode(object)
	return out
}

// blocks returns every block as it is shown, and the start of a value that was cut.
func (p *parts) blocks() []toolcrib.Content {
	out := make([]toolcrib.Content, 0, len(p.list)+2)
	for i := range p.list {
		out = append(out, p.list[i].rendered())
	}
	if d := p.details; d != nil && d.shown > 0 && d.shown < len(d.text) {
		out = append(out, toolcrib.Text(d.text[:d.shown]))
	}
	return out
}

// natives returns the blocks that follow an envelope.
func (p *parts) natives() []toolcrib.Content {
	var out []toolcrib.Content
	for i := range p.list {
		if p.list[i].native {
			out = append(out, p.list[i].rendered())
		}
	}
	return out
}

// inEnvelope returns the content of an envelope: a note for each native block,
// which is numbered as the client sees it, the envelope itself being block 1.
func (p *parts) inEnvelope() []toolcrib.Content {
	out := make([]toolcrib.Content, 0, len(p.list))
	n := 1
	for i := range p.list {
		if p.list[i].native {
			n++
			out = append(out, wire(blockNote(p.list[i].block.Type, n)))
			continue
		}
		out = append(out, wire(p.list[i].rendered()))
	}
	return out
}

// value returns the structured value: as it is, as the start of its JSON in a
// string when it was cut, or nothing. Without an envelope it is whole or nothing,
// because MCP wants an object there; its start is then one of the blocks.
func (p *parts) value() json.RawMessage {
	switch {
	case p.details == nil || p.details.shown == 0:
		return nil
	case p.details.shown == len(p.details.text):
		return json.RawMessage(p.details.text)
	case p.direct:
		return nil
	}
	text, _ := encode(p.details.text[:p.details.shown])
	return text
}

// size is what all parts take.
func (p *parts) size() int {
	n := 0
	if p.details != nil {
		n = p.details.cost
	}
	for i := range p.list {
		n += p.list[i].cost
	}
	return n
}

// shrink makes the parts fit into room bytes. The longest text is cut; when that
// is not nearly enough, because there are many, blocks are dropped from the end.
func (p *parts) shrink(room int) {
	for over := p.size() - room; over > 0; over = p.size() - room {
		x := p.longest()
		switch {
		case x != nil && x.cost >= over/4:
			p.cut(x, over)
		case len(p.list) > 0:
			p.drop(over)
		default:
			p.details = nil
			return
		}
	}
}

// longest returns the part whose shown text is the longest; of several the value,
// else the last. It is nil when none shows any.
func (p *parts) longest() *part {
	var best *part
	if p.details != nil && p.details.shown > 0 {
		best = p.details
	}
	for i := range p.list {
		if x := &p.list[i]; x.shown > 0 && (best == nil || x.shown > best.shown || (x.shown == best.shown && !best.value)) {
			best = x
		}
	}
	return best
}

// cut shortens a text so that the part takes at least over bytes less, if it can.
func (p *parts) cut(x *part, over int) {
	if x.value {
		x.shown = len(cutEncoded(x.text[:x.shown], x.cost-over-len(`""`)-p.valueFrame()))
		x.cost = len(`""`) + encodedLen(x.text[:x.shown]) + p.valueFrame()
		if x.shown == 0 {
			x.cost = 0
		}
		return
	}
	text := x.text[:x.shown]
	kept := cutEncoded(text, encodedLen(text)-over)
	if len(kept) == len(text) {
		kept = ""
	}
	x.shown = len(kept)
	x.cost = p.costOf(*x)
}

// valueFrame is what stands around a value that was cut.
func (p *parts) valueFrame() int {
	if p.direct {
		return sizeOf(wire(toolcrib.Text("")))
	}
	return 0
}

// drop leaves out blocks from the end that take at least over bytes, if there are such.
func (p *parts) drop(over int) {
	for over > 0 && len(p.list) > 0 {
		last := len(p.list) - 1
		over -= p.list[last].cost
		p.list = p.list[:last]
		p.dropped++
	}
}

// sizeOf counts the bytes of a value's JSON.
func sizeOf(v any) int {
	text, _ := encode(v)
	return len(text)
}

// onlyCut returns the one text that was cut when nothing else was left out.
func (p *parts) onlyCut() *part {
	if p.dropped > 0 || (p.details != nil && p.details.shown < len(p.details.text)) {
		return nil
	}
	var found *part
	for i := range p.list {
		if x := &p.list[i]; x.shown < len(x.text) {
			if found != nil {
				return nil
			}
			found = x
		}
	}
	return found
}
