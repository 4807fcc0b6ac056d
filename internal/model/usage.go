package model

import (
	"encoding/json"
	"math/big"

	"github.com/toolcrib/toolcrib/internal/rawjson"
)

// Usage is what the provider says that it took, in tokens.
type Usage struct {
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
	// Cached of Input were read from a cache.
	Cached int64 `json:"cached,omitempty"`
	// Raw is all that the provider says, in the protocol's form; nil for nothing.
	Raw json.RawMessage `json:"raw,omitempty"`
}

// Total is input and output together.
func (u Usage) Total() int64 { return u.Input + u.Output }

// Add returns the sum: every number of Raw is added to its like, however deep
// it stands, and what isn't a number is taken from the later one.
func (u Usage) Add(more Usage) Usage {
	return Usage{
		Input: u.Input + more.Input, Output: u.Output + more.Output, Cached: u.Cached + more.Cached,
		Raw: addRaw(u.Raw, more.Raw),
	}
}

func addRaw(a, b json.RawMessage) json.RawMessage {
	switch {
	case rawjson.IsNull(a):
		return b
	case rawjson.IsNull(b):
		return a
	}
	if sum, ok := addNumbers(string(a), string(b)); ok {
		return json.RawMessage(sum)
	}
	o, err := rawjson.Open(a)
	if err != nil {
		return b
	}
	more, err := rawjson.Members(b)
	if err != nil {
		return b
	}
	seen := map[string]bool{}
	for _, m := range more {
		if !seen[m.Key] {
			seen[m.Key] = true
			o.Set(m.Key, addRaw(o.Get(m.Key), json.RawMessage(b[m.From:m.To])))
		}
	}
	return o.Bytes()
}

// addNumbers adds two numbers in the decimal system.
func addNumbers(a, b string) (string, bool) {
	const most = 64 // digits; no count of tokens and no price has as many
	if len(a) > most || len(b) > most || !isNumber(a) || !isNumber(b) {
		return "", false
	}
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	if !okX || !okY {
		return "", false
	}
	sum := x.Add(x, y)
	if sum.IsInt() {
		return sum.Num().String(), true
	}
	f, _ := sum.Float64()
	text, err := json.Marshal(f)
	return string(text), err == nil
}

func isNumber(s string) bool {
	var n json.Number
	if s == "" || s[0] == '"' || json.Unmarshal([]byte(s), &n) != nil {
		return false
	}
	f, err := n.Float64()
	return err == nil && f > -1e18 && f < 1e18
}
