package cli

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// On a pipe a loud progress says each ten seconds what is waited for; another says nothing.
func TestProgressOnAPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var loud, quiet bytes.Buffer
		p := newApp(Process{Stdout: &bytes.Buffer{}, Stderr: &loud}).loudProgress()
		q := newApp(Process{Stdout: &bytes.Buffer{}, Stderr: &quiet}).progress()
		p.say("trying a, b")
		q.say("trying a, b")
		time.Sleep(15 * time.Second)
		p.say("trying b")
		time.Sleep(6 * time.Second)
		p.stop()
		q.stop()
		if got, want := loud.String(), "trying a, b (10 s)\ntrying b (20 s)\n"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if quiet.Len() > 0 {
			t.Errorf("%q, want nothing", quiet.String())
		}
	})
}
