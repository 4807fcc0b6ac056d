package memory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib/internal/session"
	"github.com/toolcrib/toolcrib/internal/store/memory"
	"github.com/toolcrib/toolcrib/internal/store/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(testing.TB) storetest.Store { return memory.New() })
}

// A program that runs for months doesn't fill its memory with events.
func TestOldestGo(t *testing.T) {
	x := memory.New().Sessions()
	batch := make([]session.Event, 1000)
	for i := range 25 {
		for j := range batch {
			batch[j] = session.Event{Time: time.Unix(int64(i), 0), Kind: session.KindCall, Session: fmt.Sprint(i)}
		}
		if err := x.Append(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	all, err := x.Sessions(t.Context(), session.Filter{Limit: session.MaxSessions})
	if err != nil || len(all) != memory.MaxEvents/1000 {
		t.Errorf("%d sessions are left, %v", len(all), err)
	}
}
