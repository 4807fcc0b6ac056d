package signature_test

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib/internal/signature"
)

// FuzzSignature holds that any bytes give signatures in bounds and well-formed,
// and that the order of keys makes no difference.
func FuzzSignature(f *testing.F) {
	for _, s := range samples(f) {
		f.Add([]byte(s.schema))
	}
	f.Fuzz(func(t *testing.T, schema []byte) {
		checkForm(t, signature.Of(schema), signature.Input)
		if output, ok := signature.OfOutput(schema); ok {
			checkForm(t, output, signature.Output)
		}
		d := json.NewDecoder(bytes.NewReader(schema))
		d.UseNumber()
		var doc any
		if d.Decode(&doc) != nil {
			return
		}
		up, down := ordered(doc, slices.Sorted[string]), ordered(doc, descending)
		if a, b := signature.Of([]byte(up)), signature.Of([]byte(down)); a != b {
			t.Fatalf("the order of keys matters:\n%s\n%s\nschema: %s", a, b, up)
		}
	})
}

func descending(names iter.Seq[string]) []string {
	list := slices.Sorted(names)
	slices.Reverse(list)
	return list
}

// ordered writes doc with the keys of each object in the order given.
func ordered(doc any, order func(iter.Seq[string]) []string) string {
	var parts []string
	switch doc := doc.(type) {
	case map[string]any:
		for _, name := range order(maps.Keys(doc)) {
			key, _ := json.Marshal(name)
			parts = append(parts, string(key)+":"+ordered(doc[name], order))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		for _, element := range doc {
			parts = append(parts, ordered(element, order))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	text, _ := json.Marshal(doc)
	return string(text)
}
