package gateway

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/pin"
	"github.com/toolcrib/toolcrib/internal/source/mcp"
	"github.com/toolcrib/toolcrib/internal/store"
)

// Bounds of what is kept of servers' tools.
const (
	// maxPins bounds the tools that are known of one server: one that lists ever new
	// ones gets no more.
	maxPins = 20_000
	// maxFiltered bounds the lists that are held filtered, of all servers.
	maxFiltered = 256
	// lookEvery is how often it is looked whether another process has changed pins.
	lookEvery = 2 * time.Second
	// pinTime bounds one use of the store.
	pinTime = 10 * time.Second
)

// pinRule is how the tools of one server are pinned.
type pinRule struct {
	mode       pin.Mode
	perSession bool
}

// pinRules are those of the servers that are pinned, by name.
func pinRules(c *config.Config, servers []mcp.Server) map[string]pinRule {
	rules := map[string]pinRule{}
	for _, s := range servers {
		mode := c.MCP.Pinning // of a server that the program gave
		if s.Trusted {
			mode = config.PinOff
		}
		if configured, ok := c.MCP.Servers[s.Name]; ok {
			mode = configured.Pinning
		}
		if mode != config.PinOff {
			rules[s.Name] = pinRule{pin.Mode(mode), s.Scope == mcp.ScopeSession}
		}
	}
	return rules
}

// pinner stands between what servers list and every plan: what isn't accepted is taken
// out, so that nothing finds, shows or calls it.
type pinner struct {
	store  func(context.Context) (store.Pins, error)
	logger *slog.Logger
	// changed is called when what is served may be different; not while mu is held.
	changed func()

	mu       sync.Mutex
	book     pinBook
	observed map[string]map[string]bool // lists that were taken into the book, by server
	sights   map[string][]pin.Sighting  // by server and fingerprint
	filtered map[string]*filtered
	unsaved  []*lesson  // what the store couldn't take
	names    *pin.Names // of namesOf
	namesOf  string

	verdicts sync.RWMutex
	withheld map[heldKey]held

	watching sync.Once
	stop     context.CancelFunc
	ended    chan struct{}
}

// filtered is what is left of one list.
type filtered struct {
	version     uint64 // of the book
	tools       []toolcrib.Tool
	fingerprint string
	withheld    []toolcrib.Withheld
	mark        string            // of withheld
	reasons     map[string]string // of withheld, by tool
}

// startPins makes the pins; the store is opened when a list is judged.
func (g *Gateway) startPins() {
	g.pins = &pinner{
		store: g.store.pins, logger: g.logger, changed: g.changed,
		book:     pinBook{tools: map[string]map[string]*pinned{}},
		observed: map[string]map[string]bool{}, sights: map[string][]pin.Sighting{}, filtered: map[string]*filtered{},
		withheld: map[heldKey]held{}, ended: make(chan struct{}),
	}
}

// pins is the store of pins.
func (k *kept) pins(ctx context.Context) (store.Pins, error) {
	s, err := k.get(ctx)
	if err != nil {
		return nil, err
	}
	return s.Pins(), nil
}

// filter takes out of listings what isn't accepted. All of one caller come together,
// since a name is judged by the others. generation is the gateway's of before they
// were asked for.
func (p *pinner) filter(ctx context.Context, rules map[string]pinRule, listings []toolcrib.Listing, session string, generation uint64) []toolcrib.Listing {
	judged := func(l *toolcrib.Listing) (pinRule, bool) {
		r, ok := rules[l.Owner]
		return r, ok && l.Source == toolcrib.SourceMCP && len(l.Tools) > 0
	}
	any := false
	for i := range listings {
		if _, ok := judged(&listings[i]); ok {
			any = true
		}
	}
	if !any {
		return listings
	}
	p.watching.Do(p.watch)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.load(ctx)
	p.learn(listings)
	out := append([]toolcrib.Listing(nil), listings...)
	for i := range out {
		r, ok := judged(&out[i])
		if !ok {
			continue
		}
		f := p.of(ctx, r, &out[i])
		out[i].Tools, out[i].Fingerprint = f.tools, f.fingerprint
		out[i].Withheld, out[i].WithheldMark = f.withheld, f.mark
		p.hold(r.key(out[i].Owner, session), held{generation, f.reasons})
	}
	return out
}

// learn makes the names that are compared with those of these listings.
func (p *pinner) learn(listings []toolcrib.Listing) {
	h := sha256.New()
	for i := range listings {
		l := &listings[i]
		mark := l.Fingerprint
		if mark == "" {
			mark = catalog.Fingerprint(l.Tools)
		}
		h.Write([]byte(string(l.Source) + "\x00" + l.Owner + "\x00" + mark + "\x00"))
	}
	if mark := string(h.Sum(nil)); p.names == nil || mark != p.namesOf {
		p.names, p.namesOf = pin.NewNames(listings), mark
	}
}

// of returns what is left of a list, as it was made before where nothing has changed.
func (p *pinner) of(ctx context.Context, r pinRule, l *toolcrib.Listing) *filtered {
	list := l.Owner + "\x00" + l.Fingerprint
	key := list + "\x00" + p.namesOf + "\x00" + string(r.mode)
	if f := p.filtered[key]; f != nil && f.version == p.book.version && p.observed[l.Owner][key] {
		return f
	}
	f := p.judge(ctx, r, l, p.see(list, l), key)
	if len(p.filtered) >= maxFiltered {
		clear(p.filtered)
	}
	p.filtered[key] = f
	return f
}

// see looks at each tool of a list; what was seen before isn't looked at again.
func (p *pinner) see(list string, l *toolcrib.Listing) []pin.Sighting {
	if seen, ok := p.sights[list]; ok {
		return seen
	}
	if len(p.sights) >= maxFiltered {
		clear(p.sights)
	}
	seen := make([]pin.Sighting, len(l.Tools))
	for i := range l.Tools {
		seen[i] = pin.See(&l.Tools[i])
	}
	p.sights[list] = seen
	return seen
}

// judge says what becomes of each tool of a list, and takes a list that wasn't
// observed before into the book.
func (p *pinner) judge(ctx context.Context, r pinRule, l *toolcrib.Listing, seen []pin.Sighting, key string) *filtered {
	known := p.book.tools[l.Owner]
	forms := p.forms(ctx, l.Owner)
	out := &filtered{tools: make([]toolcrib.Tool, 0, len(l.Tools)), reasons: map[string]string{}}
	learnt := newLesson(l.Owner, r, len(known))
	same := true
	for _, s := range seen {
		s = s.With(p.names, len(known) == 0)
		v := pin.Judge(r.mode, known[s.Form.Name].known(s.Form.Name, forms), s)
		if v.Accept != "" && learnt.full() && known[s.Form.Name] == nil {
			v = pin.Verdict{Why: pin.WhyNew, Reason: "its server has listed too many different tools"}
		}
		learnt.add(known[s.Form.Name], s, v)
		t := *s.Tool
		switch {
		case !v.Served:
			same = false
			out.keep(t, v.Reason)
			continue
		case v.Pinned != nil:
			same = false
			v.Pinned.Put(&t)
		}
		out.tools = append(out.tools, t)
	}
	out.seal()
	p.observe(ctx, key, learnt)
	out.version = p.book.version
	out.fingerprint = l.Fingerprint
	if same {
		out.tools = l.Tools
	} else {
		out.fingerprint = catalog.Fingerprint(out.tools)
	}
	return out
}

// keep takes a tool out.
func (f *filtered) keep(t toolcrib.Tool, reason string) {
	f.withheld = append(f.withheld, toolcrib.Withheld{Tool: t, Reason: reason})
	f.reasons[t.Name] = reason
}

// seal makes the mark of what was taken out.
func (f *filtered) seal() {
	if len(f.withheld) == 0 {
		return
	}
	h := sha256.New()
	for i := range f.withheld {
		h.Write([]byte(f.withheld[i].Tool.ID + "\x00" + f.withheld[i].Reason + "\x00"))
	}
	f.mark = string(h.Sum(nil))
}

// watch looks from time to time whether the store has other pins, or can be used again.
func (p *pinner) watch() {
	ctx, cancel := context.WithCancel(context.Background())
	p.stop = cancel
	go func() {
		defer close(p.ended)
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				p.look(ctx)
			}
		}
	}()
}

// look reads the pins again when somebody else has changed them.
func (p *pinner) look(ctx context.Context) {
	p.mu.Lock()
	before := p.book.version
	p.retry(ctx)
	if s, err := p.store(ctx); err == nil {
		if mark, err := s.PinsMark(ctx); err == nil && (!p.book.loaded || mark != p.book.mark) {
			p.read(ctx)
		}
	}
	changed := p.book.version != before
	p.mu.Unlock()
	if changed {
		p.changed()
	}
}

// close ends the watch.
func (p *pinner) close() {
	p.watching.Do(func() { close(p.ended) })
	if p.stop != nil {
		p.stop()
	}
	<-p.ended
}

// errUnread says that the accepted form of a tool isn't there.
var errUnread = errors.New("the accepted form can't be read")
