package session

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/toolcrib/toolcrib"
)

// run writes batches until the queue is closed and empty. Events that nobody waits
// for wait a moment for others: a transaction costs the same for many.
func (l *Log) run() {
	defer close(l.done)
	var batch []entry
	late := time.NewTimer(0)
	late.Stop()
	for {
		select {
		case e, ok := <-l.queue:
			if !ok {
				l.write(batch)
				l.tell(true)
				return
			}
			batch = append(batch, e)
			if e.answer == nil && len(batch) < maxBatch {
				if len(batch) == 1 {
					late.Reset(linger)
				}
				continue
			}
			batch = l.waiting(batch)
		case <-late.C:
		}
		late.Stop()
		l.write(batch)
		batch = batch[:0]
		l.tell(false)
	}
}

// waiting adds what is in the queue already, up to maxBatch.
func (l *Log) waiting(batch []entry) []entry {
	for len(batch) < maxBatch {
		select {
		case e, ok := <-l.queue:
			if !ok {
				return batch
			}
			batch = append(batch, e)
		default:
			return batch
		}
	}
	return batch
}

// write writes a batch and answers those who wait.
func (l *Log) write(batch []entry) {
	rules := l.rules.Load()
	events := make([]Event, 0, len(batch))
	for _, e := range batch {
		if e.of == nil {
			continue
		}
		if made, ok := l.made(e); ok {
			events = append(events, rules.redactor.Event(made, rules.args))
		}
	}
	err := l.append(events)
	l.note(len(events), err)
	for _, e := range batch {
		switch {
		case e.answer != nil && e.of == nil:
			e.answer <- nil // who flushes asked for the turn alone
		case e.answer != nil:
			e.answer <- err
		case err != nil:
			l.dropped.Add(1)
		}
	}
}

// note keeps how the last writing went, and tells of a failure now and then.
func (l *Log) note(events int, err error) {
	switch {
	case events == 0:
	case err == nil:
		l.failure.Store(nil)
	default:
		why := err.Error()
		l.failure.Store(&why)
		if l.due(l.complained) {
			l.complained = l.opt.Now()
			l.opt.Logger.Error("the record of sessions can't be written", "error", err, "cause", errors.Unwrap(err))
		}
	}
}

// made makes an event; one whose making panics is dropped.
func (l *Log) made(e entry) (made Event, ok bool) {
	defer func() {
		if p := recover(); p != nil {
			l.dropped.Add(1)
			l.opt.Logger.Error("an event of a session could not be made", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	return e.of(), true
}

// append writes events.
func (l *Log) append(events []Event) error {
	if len(events) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), appendTime)
	defer cancel()
	store, err := l.opt.Store(ctx)
	if err != nil {
		return err
	}
	if err := store.Append(ctx, events); err != nil {
		if ctx.Err() != nil {
			return toolcrib.NewError(toolcrib.KindTimeout, "the record could not be written within "+appendTime.String(), "see whether another program holds the store").WithCause(err)
		}
		return err
	}
	return nil
}

// tell says how many events were dropped, now and then.
func (l *Log) tell(last bool) {
	dropped := l.dropped.Load()
	if dropped == l.told || !last && !l.due(l.said) {
		return
	}
	l.opt.Logger.Warn("events of sessions could not be kept", "events", dropped-l.told, "all", dropped)
	l.told, l.said = dropped, l.opt.Now()
}

// due reports whether something that was said then may be said again.
func (l *Log) due(then time.Time) bool { return l.opt.Now().Sub(then) >= sayEvery }
