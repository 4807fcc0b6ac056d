package openai

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib/internal/model"
)

// large is a request with so many tools, of 750 bytes each.
func large(tools int) string {
	var b strings.Builder
	b.WriteString(`{"model":"m","stream":true,"messages":[{"role":"user","content":"go"}],"tools":[`)
	for i := range tools {
		if i > 0 {
			b.WriteString(",")
		}
		tool := fmt.Sprintf(`{"type":"function","function":{"name":"tool_%d","description":%q,"parameters":{"type":"object","properties":{`, i, strings.Repeat("Does something useful. ", 8))
		b.WriteString(tool)
		for p := range 4 {
			if p > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, `"property_%d":{"type":"string","description":%q,"enum":["a","b"]}`, p, "What it is \"about\", in a few words")
		}
		b.WriteString(`},"required":["property_0"],"additionalProperties":false}}}`)
	}
	b.WriteString(`],"tool_choice":"auto"}`)
	return b.String()
}

// What a request with 2,000 tools of the caller's costs here: to be read, and
// to be written with three tools in their place, or with one more.
func BenchmarkRequest(b *testing.B) {
	body := []byte(large(2000))
	all := parsed(b, string(body)).Info().Tools
	for name, tools := range map[string][]model.Tool{
		"few":  {{Name: "search"}, {Name: "describe"}, {Name: "call"}},
		"more": append([]model.Tool{{Name: "one"}}, all...),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				p, err := Chat{}.Parse(body)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := p.Body(model.Rewrite{Tools: tools, Usage: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What one chunk of a stream costs here.
func BenchmarkChunk(b *testing.B) {
	p := parsed(b, `{"stream":true,"messages":[]}`)
	chunk := []byte(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m-1","system_fingerprint":"f","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}],"usage":null}`)
	w := p.Writer()
	w.Step()
	for b.Loop() {
		r := p.Reader()
		d, err := r.Event(model.Event{Data: chunk})
		if err != nil {
			b.Fatal(err)
		}
		if len(w.Delta(d)) == 0 {
			b.Fatal("nothing is passed on")
		}
	}
}
