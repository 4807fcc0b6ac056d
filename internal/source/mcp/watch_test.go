package mcp

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestWatch ends a start that is silent, and gives one that isn't more time, up to a bound.
func TestWatch(t *testing.T) {
	for name, c := range map[string]struct {
		signs time.Duration // between signs of life; 0 for none
		ends  time.Duration
	}{
		"silent":   {0, time.Minute},
		"chatty":   {10 * time.Second, 5 * time.Minute},
		"too rare": {90 * time.Second, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				proc := &process{}
				proc.alive()
				began := time.Now()
				w := newWatch(cancel, time.Minute, 5*time.Minute)
				w.follow(proc)
				go func() {
					for c.signs > 0 && sleep(ctx, c.signs) {
						proc.alive()
					}
				}()
				<-ctx.Done()
				var silent errSilent
				if !errors.As(context.Cause(ctx), &silent) || time.Since(began) != c.ends {
					t.Errorf("ended after %s by %v, want %s", time.Since(began), context.Cause(ctx), c.ends)
				}
				w.stop()
			})
		})
	}
}

// TestWatchStopped leaves a start alone that came to its end.
func TestWatchStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		newWatch(cancel, time.Minute, time.Minute).stop()
		time.Sleep(time.Hour)
		if ctx.Err() != nil {
			t.Error("a start that was over is ended")
		}
		cancel(nil)
	})
}

// TestPatience gives programs that are fetched before they run the whole time.
func TestPatience(t *testing.T) {
	full := tuning{}.withDefaults()
	for command, quiet := range map[string]time.Duration{"npx": full.startMax, "/usr/bin/uvx": full.startMax, "NPX.CMD": full.startMax, "node": full.start} {
		p := &peer{tuning: full}
		p.conf.Store(&Server{Command: command})
		if got, total := p.patience(full.start); got != quiet || total != full.startMax {
			t.Errorf("%s may be silent for %s of %s, want %s", command, got, total, quiet)
		}
	}
	p := &peer{tuning: full}
	p.conf.Store(&Server{URL: "http://x"})
	if quiet, total := p.patience(full.start); quiet != full.start || total != full.start {
		t.Errorf("a remote server may take %s, %s", quiet, total)
	}
}

func TestBackoff(t *testing.T) {
	for range 100 {
		b := newBackoff(time.Second, 5*time.Minute)
		for i, base := range []time.Duration{1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300} {
			base *= time.Second
			if got := b.next(); got < base*3/4 || got > base*5/4 {
				t.Fatalf("wait %d is %s, want about %s", i, got, base)
			}
		}
		b.reset()
		if got := b.next(); got > 1250*time.Millisecond {
			t.Fatalf("after a reset it is %s", got)
		}
	}
}
