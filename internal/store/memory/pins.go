package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib/internal/store"
)

type pins struct {
	guarded
	all map[[2]string]store.Pin // by server and tool
}

// PutPin implements store.Pins.
func (p *pins) PutPin(_ context.Context, pin store.Pin) error {
	defer p.lock()()
	p.all[[2]string{pin.Server, pin.Tool}] = pin
	return nil
}

// Pins implements store.Pins.
func (p *pins) Pins(_ context.Context, server string) ([]store.Pin, error) {
	defer p.lock()()
	var found []store.Pin
	for _, pin := range p.all {
		if server == "" || pin.Server == server {
			found = append(found, pin)
		}
	}
	slices.SortFunc(found, func(a, b store.Pin) int {
		return cmp.Or(strings.Compare(a.Server, b.Server), strings.Compare(a.Tool, b.Tool))
	})
	return found, nil
}

// DeletePin implements store.Pins.
func (p *pins) DeletePin(_ context.Context, server, tool string) (bool, error) {
	defer p.lock()()
	had := len(p.all)
	for key := range p.all {
		if key[0] == server && (tool == "" || key[1] == tool) {
			delete(p.all, key)
		}
	}
	return len(p.all) < had, nil
}
