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
	"github.com/toolcrib/toolcrib/internal/sandbox/node"
)

func TestMain(m *testing.M) {
	embedded.Child(os.Args)
	node.Child(os.Args)
	os.Exit(m.Run())
}

// TestEachBodyDoesWhatItShould: in the runtime that is always there.
func TestEachBodyDoesWhatItShould(t *testing.T) {
	tools, err := newWorkbench()
	if err != nil {
		t.Fatal(err)
	}
	x := ways[0].start(t.Context(), CodeOptions{}, tools)
	if x.err != nil {
		t.Fatal(x.err)
	}
	defer x.close()
	for _, b := range bodies {
		row, err := measure(t.Context(), b, []*opened{x}, 1)
		if err != nil || len(row.MS) != 1 || row.MS[0] <= 0 {
			t.Errorf("%+v, %v", row, err)
		}
	}
	wrong := bodies[0]
	wrong.want = "2"
	if row, err := measure(t.Context(), wrong, []*opened{x}, 1); err == nil {
		t.Errorf("a body that returns something else is measured: %+v", row)
	}
}

// TestWhatIsMissingIsSaid: a runtime that can't be had is a column with its reason.
func TestWhatIsMissingIsSaid(t *testing.T) {
	w := way{name: "none", open: func(string) (runner, error) { return nil, errors.New("not here") }}
	x := w.start(t.Context(), CodeOptions{}, nil)
	defer x.close()
	row, err := measure(t.Context(), bodies[0], []*opened{x}, 1)
	if x.why() != "not here" || err != nil || row.MS[0] != 0 {
		t.Errorf("%q, %+v, %v", x.why(), row, err)
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
