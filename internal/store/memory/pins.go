package memory

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib/internal/store"
)

type pins struct {
	guarded
	mark int64
	all  map[[2]string]store.Pin // by server and tool
}

// AddPins implements store.Pins.
func (p *pins) AddPins(_ context.Context, list []store.Pin) error {
	p.each(list, func(had store.Pin, known bool, pin store.Pin) (store.Pin, bool) { return pin, !known })
	return nil
}

// NotePins implements store.Pins.
func (p *pins) NotePins(_ context.Context, list []store.Pin) error {
	p.each(list, func(had store.Pin, known bool, pin store.Pin) (store.Pin, bool) {
		had.Waiting, had.Flags, had.Seen = pin.Waiting, pin.Flags, pin.Seen
		return had, known
	})
	return nil
}

// PutPins implements store.Pins.
func (p *pins) PutPins(_ context.Context, list []store.Pin) error {
	p.each(list, func(_ store.Pin, _ bool, pin store.Pin) (store.Pin, bool) { return pin, true })
	return nil
}

// each keeps what choose makes of each pin and the one that there is.
func (p *pins) each(list []store.Pin, choose func(had store.Pin, known bool, pin store.Pin) (store.Pin, bool)) {
	defer p.lock()()
	p.mark++
	for _, pin := range list {
		key := [2]string{pin.Server, pin.Tool}
		had, known := p.all[key]
		if now, keep := choose(had, known, pin); keep {
			p.all[key] = own(now)
		}
	}
}

// own is a pin that shares no memory with another one.
func own(pin store.Pin) store.Pin {
	pin.Form, pin.Waiting, pin.Flags = bytes.Clone(pin.Form), bytes.Clone(pin.Waiting), bytes.Clone(pin.Flags)
	return pin
}

// Pins implements store.Pins.
func (p *pins) Pins(_ context.Context, server string) ([]store.Pin, error) {
	defer p.lock()()
	var found []store.Pin
	for _, pin := range p.all {
		if server == "" || pin.Server == server {
			found = append(found, own(pin))
		}
	}
	slices.SortFunc(found, func(a, b store.Pin) int {
		return cmp.Or(strings.Compare(a.Server, b.Server), strings.Compare(a.Tool, b.Tool))
	})
	return found, nil
}

// PinsMark implements store.Pins.
func (p *pins) PinsMark(context.Context) (int64, error) {
	defer p.lock()()
	return p.mark, nil
}

// DeletePin implements store.Pins.
func (p *pins) DeletePin(_ context.Context, server, tool string) (bool, error) {
	defer p.lock()()
	p.mark++
	had := len(p.all)
	for key := range p.all {
		if key[0] == server && (tool == "" || key[1] == tool) {
			delete(p.all, key)
		}
	}
	return len(p.all) < had, nil
}
