package exec

import (
	"encoding/json"
	"testing"
)

func patterns(t testing.TB, texts ...string) []Pattern {
	t.Helper()
	var all []Pattern
	for _, text := range texts {
		p, err := ParsePattern(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		all = append(all, p)
	}
	return all
}

// args are arguments as JSON, with more pairs behind the command.
func args(t testing.TB, command string, more ...any) json.RawMessage {
	t.Helper()
	all := map[string]any{"command": command}
	for i := 0; i < len(more); i += 2 {
		all[more[i].(string)] = more[i+1]
	}
	raw, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
