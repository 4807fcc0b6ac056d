package toolsearch

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/schema"
)

// TestSchemaAndReadingAgree: what a published schema allows, the control takes.
func TestSchemaAndReadingAgree(t *testing.T) {
	b := open(t, small(), ModeTools)
	for _, v := range b.Tools()[:3] {
		published, err := schema.Compile(v.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		allowed := 0
		for seed := range uint64(3000) {
			input := randomInput(rand.New(rand.NewPCG(seed, 3)))
			if len(input) == 1 && (input["args"] != nil || input["arguments"] != nil) {
				continue // a wrapper is read as what it holds
			}
			args, _ := json.Marshal(input)
			if len(published.Validate(args)) > 0 {
				continue
			}
			allowed++
			_, r := b.ask(t, v.Name, string(args))
			if !r.IsError {
				continue
			}
			var failed failureText
			_ = json.Unmarshal([]byte(r.Text), &failed)
			if failed.Error.Kind == toolcrib.KindInput && !strings.Contains(failed.Error.Message, "id is missing") {
				t.Errorf("%s allows %s, and refuses it: %s", v.Name, args, r.Text)
			}
		}
		if allowed < 100 {
			t.Errorf("%s: only %d inputs fit the schema: the test shows little", v.Name, allowed)
		}
	}
}

// randomInput is an object with the properties of controls and values of all types.
func randomInput(r *rand.Rand) map[string]any {
	out := map[string]any{}
	for range r.IntN(4) {
		key := []string{"query", "limit", "queries", "id", "args", "q", "text", "max_results", "tool", "name", "arguments", "other"}[r.IntN(12)]
		out[key] = randomValue(r, key, 2)
	}
	if r.IntN(2) == 0 {
		out["id"] = []any{"create_issue", "mcp:forge:create_issue", "nosuch", ""}[r.IntN(4)]
	}
	return out
}

func randomValue(r *rand.Rand, key string, depth int) any {
	switch {
	case key == "queries" && r.IntN(2) == 0 && depth > 0:
		items := []any{}
		for range r.IntN(18) {
			items = append(items, map[string]any{"query": randomValue(r, "", 0), "limit": 1 + r.IntN(30)})
		}
		return items
	case key == "limit" && r.IntN(2) == 0:
		return 1 + r.IntN(100)
	}
	switch r.IntN(8) {
	case 0:
		return nil
	case 1:
		return r.IntN(5) - 1
	case 2:
		return 1.5
	case 3:
		return r.IntN(2) == 0
	case 4:
		if depth > 0 {
			return map[string]any{"query": randomValue(r, "query", depth-1), "id": "x", "title": "y"}
		}
		return map[string]any{}
	case 5:
		return []any{"a"}
	}
	return fmt.Sprint("issue ", r.IntN(3), strings.Repeat("\"", r.IntN(2)))
}
