package process

import (
	"testing"
	"testing/synctest"
	"time"
)

func expired(c *clock) bool {
	select {
	case <-c.expired:
		return true
	default:
		return false
	}
}

func TestTheClockStopsWhileSomebodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startClock(10 * time.Second)
		time.Sleep(4 * time.Second)
		first, second := c.pause(), c.pause()
		time.Sleep(time.Hour)
		first()
		first() // twice is once
		time.Sleep(time.Hour)
		second()
		time.Sleep(5 * time.Second)
		if expired(c) {
			t.Fatal("the clock expired after 9 seconds of its own")
		}
		time.Sleep(1001 * time.Millisecond)
		if !expired(c) {
			t.Fatal("the clock did not expire after 10 seconds of its own")
		}
		c.pause()() // harmless now
		time.Sleep(time.Hour)
	})
}

func TestAStoppedClockNeverExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startClock(time.Second)
		resume := c.pause()
		c.stop()
		resume()
		time.Sleep(time.Hour)
		if expired(c) {
			t.Error("it expired")
		}
	})
}
