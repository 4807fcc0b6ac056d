package cli

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress shows on a terminal's stderr what a command waits for, once that
// takes more than a second. Elsewhere it shows nothing.
type progress struct {
	w     io.Writer
	style style

	mu    sync.Mutex
	text  string
	shown bool
	since time.Time
	quit  chan struct{}
	done  chan struct{}
}

// progress returns one that runs until it is stopped.
func (a *app) progress() *progress {
	p := &progress{w: a.p.Stderr, style: a.errStyle, since: time.Now(), quit: make(chan struct{}), done: make(chan struct{})}
	if !a.p.StderrTerminal {
		close(p.done)
		return p
	}
	go p.run()
	return p
}

// say changes what is waited for.
func (p *progress) say(text string) {
	p.mu.Lock()
	p.text = folded(text)
	p.mu.Unlock()
}

// stop ends it and takes its line off the screen.
func (p *progress) stop() {
	close(p.quit)
	<-p.done
	if p.shown {
		io.WriteString(p.w, "\r\x1b[K")
	}
}

func (p *progress) run() {
	defer close(p.done)
	wait := time.NewTimer(time.Second)
	defer wait.Stop()
	for {
		select {
		case <-p.quit:
			return
		case <-wait.C:
			p.draw()
			wait.Reset(200 * time.Millisecond)
		}
	}
}

func (p *progress) draw() {
	p.mu.Lock()
	text := p.text
	p.mu.Unlock()
	runes := []rune(text)
	if len(runes) > 70 {
		text = string(runes[:69]) + "…"
	}
	p.shown = true
	fmt.Fprintf(p.w, "\r\x1b[K%s", p.style.dim(fmt.Sprintf("%s (%.0f s)", text, time.Since(p.since).Seconds())))
}
