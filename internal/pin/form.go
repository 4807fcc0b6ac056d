package pin

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolcrib/toolcrib"
)

// Form is what a tool says of itself: all that a model or a client may believe.
// "_meta" is no part of it, since models aren't shown it.
type Form struct {
	Name         string
	Title        string
	Description  string
	Parameters   json.RawMessage
	OutputSchema json.RawMessage
	Annotations  toolcrib.Annotations
}

// FormOf returns the form of a tool.
func FormOf(t *toolcrib.Tool) Form {
	return Form{t.Name, t.Label, t.Description, t.Parameters, t.OutputSchema, t.Annotations}
}

// Put gives a tool this form in place of its own; its name and id stay.
func (f Form) Put(t *toolcrib.Tool) {
	t.Label, t.Description, t.Parameters, t.OutputSchema, t.Annotations = f.Title, f.Description, f.Parameters, f.OutputSchema, f.Annotations
}

// Hash is equal for two forms that say the same: the order of keys and white
// space between values don't count. It is a SHA-256 in hex.
func (f Form) Hash() string {
	var b strings.Builder
	hints, _ := json.Marshal(f.Annotations) // plain values always can be
	for _, s := range []string{f.Name, f.Title, f.Description, canonical(f.Parameters), canonical(f.OutputSchema), string(hints)} {
		fmt.Fprintf(&b, "%d %s\n", len(s), s)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])
}

// canonical is a JSON value in one way to write it; what is none stays as it is.
func canonical(raw json.RawMessage) string {
	n, ok := parse(raw)
	if !ok {
		return "!" + string(raw)
	}
	return n.String()
}

// kept is a form as it is written down. Schemas are texts in it, so that they come
// back to the byte.
type kept struct {
	Name         string               `json:"name"`
	Title        string               `json:"title,omitempty"`
	Description  string               `json:"description,omitempty"`
	Parameters   string               `json:"parameters,omitempty"`
	OutputSchema string               `json:"outputSchema,omitempty"`
	Annotations  toolcrib.Annotations `json:"annotations,omitzero"`
}

// Bytes writes a form down; Read reads it.
func (f Form) Bytes() []byte {
	data, _ := json.Marshal(kept{f.Name, f.Title, f.Description, string(f.Parameters), string(f.OutputSchema), f.Annotations}) // texts always can be
	return data
}

// Read reads what Bytes wrote.
func Read(data []byte) (Form, error) {
	var k kept
	err := json.Unmarshal(data, &k)
	f := Form{Name: k.Name, Title: k.Title, Description: k.Description, Annotations: k.Annotations}
	if k.Parameters != "" {
		f.Parameters = json.RawMessage(k.Parameters)
	}
	if k.OutputSchema != "" {
		f.OutputSchema = json.RawMessage(k.OutputSchema)
	}
	return f, err
}

// texts yields every text of the form with its place.
func (f Form) texts(yield func(at, text string)) {
	yield("name", f.Name)
	yield("title", f.Title)
	yield("description", f.Description)
	yield("annotations.title", f.Annotations.Title)
	for at, raw := range map[string]json.RawMessage{"parameters": f.Parameters, "outputSchema": f.OutputSchema} {
		if n, ok := parse(raw); ok {
			n.texts(at, yield)
		} else {
			yield(at, string(raw))
		}
	}
}
