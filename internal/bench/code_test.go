package bench

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/sandbox/embedded"
)

func TestMain(m *testing.M) {
	embedded.Child(os.Args)
	os.Exit(m.Run())
}

// TestEachBodyDoesWhatItShould: in the runtime that is always there.
func TestEachBodyDoesWhatItShould(t *testing.T) {
	tools, err := newWorkbench()
	if err != nil {
		t.Fatal(err)
	}
	column, err := ways[0].measure(t.Context(), CodeOptions{Runs: 1, Progress: func(string) {}}, tools)
	if err != nil || len(column) != len(bodies) {
		t.Fatalf("%v, %v", column, err)
	}
	for i, ms := range column {
		if ms <= 0 {
			t.Errorf("%s took %v ms", bodies[i].name, ms)
		}
	}
}

// TestWhatIsMissingIsSaid: a runtime that can't be had is a column with its reason.
func TestWhatIsMissingIsSaid(t *testing.T) {
	w := way{name: "none", open: func() (runner, error) { return nil, errors.New("not here") }}
	if column, err := w.measure(t.Context(), CodeOptions{Runs: 1, Progress: func(string) {}}, nil); err == nil || column != nil {
		t.Errorf("%v, %v", column, err)
	}
}

func TestCodeRefuses(t *testing.T) {
	for _, runs := range []int{-1, MaxRuns + 1} {
		if _, err := Code(t.Context(), CodeOptions{Runs: runs}); toolcrib.KindOf(err) != toolcrib.KindInput {
			t.Errorf("%d runs: %v", runs, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Code(ctx, CodeOptions{Runs: 1}); toolcrib.KindOf(err) != toolcrib.KindCanceled || !strings.Contains(err.Error(), "cancelled") {
		t.Errorf("a cancelled run: %v", err)
	}
}

func TestMedian(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		times []time.Duration
		want  float64
	}{
		{[]time.Duration{3 * ms, ms, 2 * ms}, 2}, {[]time.Duration{4 * ms, ms, 2 * ms, 3 * ms}, 2.5}, {[]time.Duration{ms}, 1},
	} {
		if got := median(tt.times); got != tt.want {
			t.Errorf("the median of %v is %v, want %v", tt.times, got, tt.want)
		}
	}
}
