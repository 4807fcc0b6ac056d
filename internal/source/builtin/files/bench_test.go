package files

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
)

// forest is a workspace of a thousand files of about 8 KB.
func forest(b *testing.B) desk {
	d := at(b)
	files := map[string]string{}
	for i := range 1000 {
		files[fmt.Sprintf("d%d/e%d/file%d.go", i%10, i%7, i)] = strings.Repeat("func example(a int) error { return nil }\n", 200)
	}
	return d.put(files)
}

func benchmark(b *testing.B, d desk, tool, in string) {
	var call toolcrib.Call
	for _, t := range d.source.Listings(context.Background(), toolcrib.Scope{})[0].Tools {
		if t.Name == tool {
			call = toolcrib.Call{ID: "1", Tool: t, Args: json.RawMessage(in)}
		}
	}
	for b.Loop() {
		if _, err := d.Execute(context.Background(), call); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGrep(b *testing.B) {
	benchmark(b, forest(b), "grep", `{"pattern":"no(thing|body) here"}`)
}

func BenchmarkFind(b *testing.B) { benchmark(b, forest(b), "find", `{"pattern":"**/none*.go"}`) }

func BenchmarkRead(b *testing.B) { benchmark(b, forest(b), "read", `{"path":"d0/e0/file0.go"}`) }
