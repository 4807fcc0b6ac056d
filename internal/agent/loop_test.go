package agent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/modelmock"
)

// use is a call beside others.
func use(name, args string) modelmock.Call { return modelmock.Call{Tool: name, Args: []byte(args)} }

func TestOurToolsAreRunUntilTheModelAnswers(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		script := modelmock.Steps(
			modelmock.Turn{Text: "Let me see.", Calls: []modelmock.Call{use("look", `{"q":1}`), use("read", `{}`)}},
			modelmock.Turn{Text: "It is blue."},
		)
		b := newBench(t, script, &box{tools: []model.Tool{tool("look"), tool("read")}, call: calls{
			"look": say("the sky"), "read": say("blue"),
		}})
		h := b.ask(stream, "", user)
		if h.Text != "Let me see.\n\nIt is blue." || h.Reason != "stop" || len(h.Calls) != 0 || h.Total != 220 || h.Done != stream {
			t.Errorf("%+v", h)
		}
		want := []modelmock.Result{{ID: "call_1", Text: "the sky"}, {ID: "call_2", Text: "blue"}}
		prompts := b.mock.Prompts()
		if diff := cmp.Diff(want, prompts[1].Results); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"look", "read"}, prompts[0].Names()); diff != "" {
			t.Error(diff)
		}
		if !strings.Contains(b.lastMessages(), `"content":"Let me see."`) {
			t.Error(b.lastMessages())
		}
	})
}
