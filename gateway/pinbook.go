package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/toolcrib/toolcrib/internal/pin"
	"github.com/toolcrib/toolcrib/internal/store"
)

// pinned is what is held in memory of one pin. Its forms stay in the store.
type pinned struct {
	hash     string
	state    pin.State
	rejected string
	waiting  string // the hash of the form that waits
	flags    string // as JSON
	// unsaved is the accepted form while the store doesn't have it.
	unsaved *pin.Form
}

// pinBook is what is known of all servers' tools.
type pinBook struct {
	tools   map[string]map[string]*pinned // by server and name
	version uint64                        // grows with each change
	loaded  bool                          // it is what the store has
	mark    int64                         // of the store, when it was read
	failure string                        // why it couldn't be, as it was logged
}

// known is the pin as judging wants it.
func (e *pinned) known(name string, forms func(name string) (pin.Form, error)) pin.Known {
	if e == nil {
		return pin.Known{}
	}
	return pin.Known{Hash: e.hash, State: e.state, Rejected: e.rejected, Form: func() (pin.Form, error) {
		if e.unsaved != nil {
			return *e.unsaved, nil
		}
		return forms(name)
	}}
}

// load reads the pins when they aren't there yet.
func (p *pinner) load(ctx context.Context) {
	if !p.book.loaded {
		p.read(ctx)
	}
}

// read takes the store's pins in place of those that are known. Where the store
// can't be read, what is known stays: nothing, at first.
func (p *pinner) read(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pinTime)
	defer cancel()
	s, err := p.store(ctx)
	if err != nil {
		p.unread(err)
		return
	}
	mark, err := s.PinsMark(ctx)
	if err != nil {
		p.unread(err)
		return
	}
	list, err := s.Pins(ctx, "")
	if err != nil {
		p.unread(err)
		return
	}
	tools := map[string]map[string]*pinned{}
	for _, one := range list {
		if tools[one.Server] == nil {
			tools[one.Server] = map[string]*pinned{}
		}
		tools[one.Server][one.Tool] = &pinned{hash: one.Hash, state: pin.State(one.State), rejected: one.Rejected, waiting: waitingHash(one), flags: string(one.Flags)}
	}
	for _, x := range p.unsaved { // the store doesn't have them yet
		for name, e := range x.after {
			if tools[x.server] == nil {
				tools[x.server] = map[string]*pinned{}
			}
			if tools[x.server][name] == nil {
				tools[x.server][name] = e
			}
		}
	}
	if !reflect.DeepEqual(tools, p.book.tools) {
		p.book.version++
		clear(p.observed)
	}
	if p.book.failure != "" && len(p.unsaved) == 0 {
		p.logger.Info("pins can be kept again")
		p.book.failure = ""
	}
	p.book.tools, p.book.loaded, p.book.mark = tools, true, mark
}

// waitingHash is the hash of the form that waits, "" for none.
func waitingHash(one store.Pin) string {
	if one.Waiting == nil {
		return ""
	}
	f, err := pin.Read(one.Waiting)
	if err != nil {
		return "?"
	}
	return f.Hash()
}

// unread notes that the store can't be read.
func (p *pinner) unread(err error) {
	p.book.loaded = false
	p.failed(err)
}

// failed logs why the store can't be used, each reason once.
func (p *pinner) failed(err error) {
	if p.book.failure == err.Error() {
		return
	}
	p.book.failure = err.Error()
	p.logger.Error("pins of servers' tools can't be read or kept: where mcp.pinning is first-use, what is new to this process is taken as seen for the first time; "+
		"where it is review, it is withheld. It is tried again", "error", err)
}

// forms returns what reads accepted forms of a server; the store is asked once.
func (p *pinner) forms(ctx context.Context, server string) func(string) (pin.Form, error) {
	var all map[string][]byte
	return func(name string) (pin.Form, error) {
		if all == nil {
			all = map[string][]byte{}
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pinTime)
			defer cancel()
			if s, err := p.store(ctx); err == nil {
				list, _ := s.Pins(ctx, server) // what isn't there can't be read
				for _, one := range list {
					all[one.Tool] = one.Form
				}
			}
		}
		if all[name] == nil {
			return pin.Form{}, errUnread
		}
		return pin.Read(all[name])
	}
}

// lesson is what one list teaches.
type lesson struct {
	server            string
	rule              pinRule
	count             int
	now               time.Time
	added, put, noted []store.Pin
	after             map[string]*pinned
}

func newLesson(server string, r pinRule, count int) *lesson {
	return &lesson{server: server, rule: r, count: count, now: time.Now(), after: map[string]*pinned{}}
}

// full reports whether no more tools of the server are taken in.
func (x *lesson) full() bool { return x.count >= maxPins }

// add learns from one tool.
func (x *lesson) add(had *pinned, s pin.Sighting, v pin.Verdict) {
	flags := flagText(s.Flags)
	one := store.Pin{Server: x.server, Tool: s.Form.Name, Flags: []byte(flags), Seen: x.now}
	if flags == "" {
		one.Flags = nil
	}
	e := &pinned{flags: flags}
	if had != nil {
		*e = *had
		e.flags = flags
	}
	switch {
	case v.Accept != "":
		form := s.Form
		e.hash, e.state, e.waiting, e.unsaved = s.Hash, v.Accept, "", &form
		one.Hash, one.State, one.Form, one.Rejected = e.hash, string(e.state), form.Bytes(), e.rejected
	case v.Waits:
		e.waiting, one.Waiting = s.Hash, s.Form.Bytes()
	case had == nil: // there is no room for it
		return
	case e.waiting != "" && s.Hash == had.hash && !x.rule.perSession: // it is as it was accepted
		e.waiting = ""
	case e.waiting != "":
		return // a rejected form stays to be looked at; another session's waits
	}
	switch {
	case had == nil:
		x.count++
		x.added = append(x.added, one)
	case v.Accept != "":
		x.put = append(x.put, one)
	case had.waiting == e.waiting && had.flags == e.flags:
		return
	default:
		x.noted = append(x.noted, one)
	}
	x.after[s.Form.Name] = e
}

func flagText(flags []pin.Flag) string {
	if len(flags) == 0 {
		return ""
	}
	data, _ := json.Marshal(flags) // texts always can be
	return string(data)
}

// observe takes a lesson into the book and the store, once for each list: the
// lists of a shared server follow each other, those of sessions stand side by side.
func (p *pinner) observe(ctx context.Context, key string, x *lesson) {
	seen := p.observed[x.server]
	if seen[key] {
		return
	}
	if seen == nil || !x.rule.perSession || len(seen) >= maxFiltered {
		seen = map[string]bool{}
		p.observed[x.server] = seen
	}
	seen[key] = true
	if len(x.after) == 0 {
		return
	}
	if p.book.tools[x.server] == nil {
		p.book.tools[x.server] = map[string]*pinned{}
	}
	maps.Copy(p.book.tools[x.server], x.after)
	if len(x.added)+len(x.put) > 0 {
		p.book.version++
	}
	if p.book.loaded && p.save(ctx, x) != nil {
		p.unsaved = append(p.unsaved, x)
	}
	p.tell(x)
}

// save writes a lesson into the store.
func (p *pinner) save(ctx context.Context, x *lesson) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pinTime)
	defer cancel()
	s, err := p.store(ctx)
	if err == nil {
		err = errors.Join(p.write(ctx, x.added, s.AddPins), p.write(ctx, x.put, s.PutPins), p.write(ctx, x.noted, s.NotePins))
	}
	if err != nil {
		p.failed(err)
		return err
	}
	for _, e := range x.after {
		e.unsaved = nil
	}
	return nil
}

// write writes some pins.
func (p *pinner) write(ctx context.Context, list []store.Pin, do func(context.Context, []store.Pin) error) error {
	if len(list) == 0 {
		return nil
	}
	err := do(ctx, list)
	if err == nil {
		p.book.mark++
	}
	return err
}

// retry writes what couldn't be written before.
func (p *pinner) retry(ctx context.Context) {
	for len(p.unsaved) > 0 && p.save(ctx, p.unsaved[0]) == nil {
		p.unsaved = p.unsaved[1:]
	}
}

// tell logs what a list has brought that a person should look at.
func (p *pinner) tell(x *lesson) {
	var waiting, added []string
	for name, e := range x.after {
		switch {
		case e.waiting != "" && e.waiting != e.rejected:
			waiting = append(waiting, name)
		case e.state == pin.StateAdded:
			added = append(added, name)
		}
	}
	slices.Sort(waiting)
	slices.Sort(added)
	if len(waiting)+len(added) > 0 {
		p.logger.Warn("tools wait for a review: toolcrib servers review "+x.server, "server", x.server, "waiting", shortened(waiting), "added", shortened(added))
	}
}

// shortened are names for one line of the log, without what can't be seen.
func shortened(names []string) []string {
	const most = 10
	out := []string{}
	for _, n := range names[:min(len(names), most)] {
		out = append(out, pin.Excerpt(n, 80))
	}
	if len(names) > most {
		out = append(out, "…")
	}
	return out
}
