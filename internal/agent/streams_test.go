package agent

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/modelmock"
	wire "github.com/toolcrib/toolcrib/internal/wire/openai"
)

// Five hundred callers at once, each with a tool of ours and one of its own.
func TestManyStreamsAtOnce(t *testing.T) {
	const callers = 500
	tools, members := mixedBox()
	b := newBench(t, mixed(), tools)
	var group sync.WaitGroup
	for i := range callers {
		group.Go(func() {
			me := fmt.Sprintf(`{"role":"user","content":"I am %d"}`, i)
			first, err := b.try(t.Context(), true, members, me)
			if err != nil || len(first.Calls) != 1 {
				t.Errorf("%d: %v %+v", i, err, first)
				return
			}
			second, err := b.try(t.Context(), true, members, me, first.message(), result(first.Calls[0].ID, "one"))
			if err != nil || len(second.Calls) != 1 || !second.Done {
				t.Errorf("%d: %v %+v", i, err, second)
			}
		})
	}
	group.Wait()
}

// What the loop costs beside asking the same model directly, streamed, with
// 2,000 tools of the caller's.
func BenchmarkTurn(b *testing.B) {
	script := func(modelmock.Prompt) modelmock.Turn { return modelmock.Text("Good.") }
	var list strings.Builder
	tools := &box{tools: []model.Tool{tool("search"), tool("describe"), tool("call")}}
	for i := range 2000 {
		_, raw := clientTool(fmt.Sprintf("tool_%d", i))
		list.WriteString("," + raw)
	}
	for name, members := range map[string]string{"none": "", "2000": `"tools":[` + list.String()[1:] + `],`} {
		body := []byte(`{"model":"m","stream":true,` + members + `"messages":[` + user + `]}`)
		bn := newBench(b, script, tools)
		b.Run("direct/"+name, func(b *testing.B) {
			for b.Loop() {
				r, err := http.Post(bn.server.URL+"/v1/chat/completions", "application/json", bytes.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, r.Body)
				r.Body.Close()
			}
		})
		b.Run("through/"+name, func(b *testing.B) {
			for b.Loop() {
				p, err := wire.Chat{}.Parse(body)
				if err != nil {
					b.Fatal(err)
				}
				turn, err := bn.agent.Begin(b.Context(), bn.who, p)
				if err != nil {
					b.Fatal(err)
				}
				w := bn.work
				w.Sink = &sink{}
				if _, err := turn.Do(b.Context(), w); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
