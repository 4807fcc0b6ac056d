package cli

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Times of progress.
const (
	progressDelay = time.Second
	progressPace  = 200 * time.Millisecond
	loudPace      = 10 * time.Second
)

// progress shows on a terminal's stderr what a command waits for, once that
// takes more than a second. Elsewhere it shows nothing, or a line each ten seconds
// if it is loud.
type progress struct {
	w     io.Writer
	style style

	mu    sync.Mutex
	text  string
	shown bool
	since time.Time
	lines bool
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

// loudProgress returns one that speaks on a pipe too.
func (a *app) loudProgress() *progress {
	if a.p.StderrTerminal {
		return a.progress()
	}
	p := &progress{w: a.p.Stderr, since: time.Now(), lines: true, quit: make(chan struct{}), done: make(chan struct{})}
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
	wait, pace := time.NewTimer(progressDelay), progressPace
	if p.lines {
		wait, pace = time.NewTimer(loudPace), loudPace
	}
	defer wait.Stop()
	for {
		select {
		case <-p.quit:
			return
		case <-wait.C:
			p.draw()
			wait.Reset(pace)
		}
	}
}

func (p *progress) draw() {
	p.mu.Lock()
	text := p.text
	p.mu.Unlock()
	if p.lines {
		fmt.Fprintf(p.w, "%s (%.0f s)\n", text, time.Since(p.since).Seconds())
		return
	}
	runes := []rune(text)
	if len(runes) > 70 {
		text = string(runes[:69]) + "…"
	}
	p.shown = true
	fmt.Fprintf(p.w, "\r\x1b[K%s", p.style.dim(fmt.Sprintf("%s (%.0f s)", text, time.Since(p.since).Seconds())))
}
