package process

import (
	"os"
	"testing"
	"time"
)

func TestComputedIn(t *testing.T) {
	tests := []struct {
		stat string
		want time.Duration
	}{
		{"7 (cat) R 1 2 3 4 5 6 7 8 9 10 150 50 13 14", 2 * time.Second},
		{"7 (a) b) R) R 1 2 3 4 5 6 7 8 9 10 1 0 13", 10 * time.Millisecond},
		{"7 (cat) R 1 2 3 4 5 6 7 8 9 10 x 50 13 14", 0},
		{"7 (cat) R 1", 0},
		{"", 0},
	}
	for _, test := range tests {
		if got := computedIn([]byte(test.stat)); got != test.want {
			t.Errorf("%q gives %v, want %v", test.stat, got, test.want)
		}
	}
	for started := time.Now(); time.Since(started) < 10*time.Second; {
		if computed(os.Getpid()) > 0 {
			return
		}
	}
	t.Error("this process computed for ten seconds, and for the kernel it did not")
}
