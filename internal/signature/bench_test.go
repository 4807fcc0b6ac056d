package signature_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib/internal/signature"
)

// large is an object schema of about n bytes with many described properties.
func large(n int) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"type":"object","required":["p00003"],"properties":{`)
	for i := 0; b.Len() < n; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"p%05d":{"type":"object","description":%q,"properties":{"a":{"type":"string"},"b":{"enum":["x","y"]}}}`,
			i, strings.Repeat("says what it is for ", 8))
	}
	b.WriteString(`}}`)
	return json.RawMessage(b.String())
}

// tangled is a schema in which every property refers to the whole.
func tangled() json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for d := range 16 {
		if d > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"d%d":{"type":"object","properties":{`, d)
		for p := range 16 {
			if p > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `"p%d":{"$ref":"#/$defs/d%d"}`, p, p)
		}
		b.WriteString(`}}`)
	}
	b.WriteString(`}}`)
	return json.RawMessage(b.String())
}

func BenchmarkOf(b *testing.B) {
	for _, c := range []struct {
		name   string
		schema json.RawMessage
	}{
		{"small", json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"},"mode":{"enum":["drip","flood"]}},"required":["id"]}`)},
		{"85kB", large(85_000)},
		{"1MB", large(1_000_000)},
		{"10MB", large(10_000_000)},
		{"tangled", tangled()},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				signature.Of(c.schema)
			}
		})
	}
}
