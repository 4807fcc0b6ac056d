package toolsearch

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/toolcrib/toolcrib"
)

// TestConcurrentUse: one surface serves many sessions at once (for -race), and
// each gets its own answer.
func TestConcurrentUse(t *testing.T) {
	b := open(t, small(), ModeTools, func(o *Options) { o.Recorder = nil })
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			for _, q := range [][2]string{
				{SearchControl, `{"query":"issue"}`}, {SearchControl, `{"query":"zzzz"}`}, {DescribeControl, `{"id":"water_plants"}`}, {CallControl, `{"id":"water_plants"}`},
			} {
				scope := toolcrib.Scope{Session: fmt.Sprint(i)}
				r := b.Call(t.Context(), CallRequest{Name: q[0], Args: json.RawMessage(q[1]), CallID: "c", Scope: scope})
				if r.IsError || !json.Valid([]byte(r.Text)) {
					t.Errorf("session %d, %v: %s", i, q, r.Text)
				}
			}
		})
	}
	wg.Wait()
	for _, r := range b.caller.got {
		if r.ID != "c:1" {
			t.Errorf("a nested call has the id %q", r.ID)
		}
	}
	if len(b.caller.got) != 50 {
		t.Errorf("%d calls arrived, want 50", len(b.caller.got))
	}
}
