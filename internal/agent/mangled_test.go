package agent

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/modelmock"
)

// rambling is a model that calls what it likes, and at times has had enough.
func rambling(r *rand.Rand) modelmock.Script {
	return func(modelmock.Prompt) modelmock.Turn {
		turn := modelmock.Turn{Text: "Hm."}
		for range r.IntN(4) {
			name := []string{"mine", "theirs", "body"}[r.IntN(3)]
			turn.Calls = append(turn.Calls, use(name, fmt.Sprintf(`{"n":%d}`, r.IntN(100))))
		}
		return turn
	}
}

// Whatever a caller does to its history, the model sees one in which every call
// has its one result right behind it, and no id that is ours.
func TestNoHistoryIsEverInconsistent(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		tools := bodyBox([]string{"x", "y"}, []string{"z"})
		theirs, raw := clientTool("theirs")
		tools.tools = append(tools.tools, theirs, tool("mine"))
		tools.call["mine"] = say("of mine")
		b := newBench(t, rambling(r), tools)
		members := `"tools":[` + raw + `],`
		if r.IntN(3) == 0 {
			members += `"parallel_tool_calls":false,`
		}
		history := []string{user}
		for range 12 {
			h := b.ask(r.IntN(2) == 0, members, history...)
			consistent(t, seed, b.mock)
			history = append(history, h.message())
			for _, c := range h.Calls {
				history = append(history, result(c.ID, "result of "+c.Name))
			}
			if len(h.Calls) == 0 {
				history[len(history)-1] = `{"role":"assistant","content":"Hm."}`
				history = append(history, user)
			}
			if history = mangled(r, history); len(history) == 0 {
				history = []string{user}
			}
		}
	}
}

// mangled is a history to which something was done.
func mangled(r *rand.Rand, history []string) []string {
	i, j := r.IntN(len(history)), r.IntN(len(history))
	switch r.IntN(8) {
	case 0:
		return slices.Delete(history, i, i+1)
	case 1:
		return slices.Insert(history, i, history[j])
	case 2:
		history[i], history[j] = history[j], history[i]
	case 3:
		return slices.Insert(history, i, user)
	case 4:
		return history[i:]
	}
	return history
}

// consistent checks the history of the last request, if it has ids.
func consistent(t *testing.T, seed uint64, mock *modelmock.Server) {
	t.Helper()
	all := mock.Exchanges()
	if len(all) == 0 {
		return
	}
	var body struct {
		Messages []struct {
			Role  string
			ID    string                `json:"tool_call_id"`
			Calls []struct{ ID string } `json:"tool_calls"`
		}
	}
	sent := all[len(all)-1].Body
	if err := json.Unmarshal(sent, &body); err != nil {
		t.Fatal(err)
	}
	var open []string
	for i, m := range body.Messages {
		if at := slices.Index(open, m.ID); m.Role == "tool" && at >= 0 {
			open = slices.Delete(open, at, at+1)
			continue
		}
		if m.Role == "tool" || len(open) > 0 {
			t.Fatalf("seed %d: message %d, with %q open, in %s", seed, i, open, sent)
		}
		for _, c := range m.Calls {
			open = append(open, c.ID)
		}
	}
	if len(open) > 0 {
		t.Fatalf("seed %d: %q open at the end of %s", seed, open, sent)
	}
	for word := range strings.FieldsFuncSeq(string(sent), func(c rune) bool { return c == '"' }) {
		if model.IsOurs(word) {
			t.Fatalf("seed %d: %s in %s", seed, word, sent)
		}
	}
}
