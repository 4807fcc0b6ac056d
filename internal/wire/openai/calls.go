package openai

import (
	"strconv"

	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/rawjson"
)

// calls are the calls of one message, that come in pieces.
type calls struct{ list []*pieced }

// pieced is one call in pieces.
type pieced struct {
	index int // as the provider counts
	all   grown
}

// add joins a piece, and says to which call it belongs, counted from 0. Some
// providers leave out the index, and some give the same one to all calls: a new
// id with a name begins a new call.
func (c *calls) add(piece []byte) model.CallPiece {
	var p model.CallPiece
	index := -1
	members, err := rawjson.Members(piece)
	if err != nil {
		return p
	}
	var body []byte
	for _, m := range members {
		value := piece[m.From:m.To]
		switch m.Key {
		case "index":
			if n, err := strconv.Atoi(string(value)); err == nil {
				index = n
			}
		case "id":
			p.ID, _ = rawjson.String(value)
		case model.Function, "custom":
			body = value
		}
	}
	p.Name, _ = rawjson.String(rawjson.Find(body, "name"))
	p.Args, _ = rawjson.String(rawjson.Find(body, "arguments"))
	var one *pieced
	p.Index, one = c.find(index, p)
	one.join(piece, members)
	return p
}

func (c *calls) find(index int, p model.CallPiece) (int, *pieced) {
	at := len(c.list) - 1
	if index >= 0 {
		for at >= 0 && c.list[at].index != index {
			at--
		}
	} else if p.ID != "" {
		at = -1 // no index, but an id: a call of its own, or one that is known by it
		for i, known := range c.list {
			if known.id() == p.ID {
				at = i
			}
		}
	}
	if at >= 0 && p.ID != "" && p.Name != "" && c.list[at].id() != "" && c.list[at].id() != p.ID {
		at = -1
	}
	if at < 0 {
		c.list = append(c.list, &pieced{index: index})
		at = len(c.list) - 1
	}
	return at, c.list[at]
}

func (p *pieced) id() string {
	if f := p.all.fields["id"]; f != nil {
		return f.text.String()
	}
	return ""
}

// join adds a piece but its index. A name that is said again isn't joined.
func (p *pieced) join(piece []byte, members []rawjson.Member) {
	p.all.kind = '{'
	for _, m := range members {
		value := piece[m.From:m.To]
		if m.Key == "index" {
			continue
		}
		f := p.all.field(m.Key)
		if m.Key == model.Function && f.kind == '{' && f.fields["name"] != nil {
			if again, _ := rawjson.String(rawjson.Find(value, "name")); again == f.fields["name"].text.String() {
				value = without(value, "name")
			}
		}
		f.add(m.Key, value)
	}
}

// without is an object without a member.
func without(text []byte, key string) []byte {
	o, err := rawjson.Open(text)
	if err != nil {
		return text
	}
	o.Delete(key)
	return o.Bytes()
}
