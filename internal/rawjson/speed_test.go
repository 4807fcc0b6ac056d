package rawjson

import (
	"encoding/json"
	"strings"
	"testing"
)

// What it costs to find the members of a large object, beside what the standard
// library takes to check it alone.
func BenchmarkMembers(b *testing.B) {
	one := `{"type":"function","function":{"name":"tool","description":"Does something \"useful\" here","parameters":{"type":"object","properties":{"a":{"type":"string","enum":["x","y"]},"b":{"type":"integer","minimum":-1.5}},"required":["a"]}}}`
	text := []byte(`{"tools":[` + strings.Repeat(one+",", 6000) + one + `]}`)
	b.Run("members", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := Members(text); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("valid", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if !json.Valid(text) {
				b.Fatal("not valid")
			}
		}
	})
}
