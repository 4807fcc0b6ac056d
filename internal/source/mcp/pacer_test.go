package mcp

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestPacer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var at []time.Duration
		var mu sync.Mutex
		p := &pacer{every: time.Minute, do: func() {
			mu.Lock()
			defer mu.Unlock()
			at = append(at, time.Since(began))
		}}
		for range 30 { // asked every 10 s for 5 minutes
			p.ask()
			time.Sleep(10 * time.Second)
		}
		time.Sleep(time.Hour)
		p.ask()
		synctest.Wait()
		p.stop()
		p.ask()
		time.Sleep(time.Hour)
		mu.Lock()
		defer mu.Unlock()
		want := []time.Duration{0, 1, 2, 3, 4, 65}
		for i := range want {
			want[i] *= time.Minute
		}
		if len(at) == 7 {
			at = slices.Delete(at, 5, 6) // the last of the 30 is due at 5 minutes
		}
		if !slices.Equal(at, want) {
			t.Errorf("it happened at %v, want %v", at, want)
		}
	})
}
