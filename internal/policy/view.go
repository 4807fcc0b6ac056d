package policy

import (
	"maps"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/toolcrib/toolcrib"
)

// view is a policy with all that is settled for the tools of one owner settled
// already: patterns that can't fit any of them are gone, what stands behind one
// that fits them all is gone too, and whole names are looked up.
type view struct {
	key    viewKey
	prefix string // of the owner's ids
	deny   table
	lists  []listView
}

type listView struct {
	table
	outside *Verdict
}

// views are the views of one policy by owner, made when they are needed.
type views struct {
	making sync.Mutex
	made   atomic.Pointer[map[viewKey]*view]
	last   atomic.Pointer[view] // tools are asked for owner by owner
}

type viewKey struct {
	source toolcrib.Source
	owner  string // folded
}

// maxViews bounds how many owners have a view; the tools of more are decided
// without one.
const maxViews = 1024

// of returns the view for a tool, nil when there is none: for a tool whose id isn't
// made of its parts, or when there are too many owners.
func (x *views) of(p *Policy, s *subject) *view {
	v := x.last.Load()
	if key := (viewKey{s.source, s.owner}); v == nil || v.key != key {
		if v = x.get(p, key); v == nil {
			return nil
		}
		x.last.Store(v)
	}
	if len(s.id) != len(v.prefix)+len(s.name) || !strings.HasPrefix(s.id, v.prefix) || !strings.HasSuffix(s.id, s.name) {
		return nil
	}
	s.bytes = bytesOf(s.name)
	return v
}

// get returns the view of an owner, made before or now.
func (x *views) get(p *Policy, key viewKey) *view {
	if made := x.made.Load(); made != nil {
		if v := (*made)[key]; v != nil || len(*made) >= maxViews {
			return v
		}
	}
	return x.make(p, key)
}

func (x *views) make(p *Policy, key viewKey) *view {
	x.making.Lock()
	defer x.making.Unlock()
	old := map[viewKey]*view{}
	if made := x.made.Load(); made != nil {
		old = *made
	}
	if v := old[key]; v != nil {
		return v
	}
	v := p.viewOf(key)
	grown := maps.Clone(old)
	grown[key] = v
	x.made.Store(&grown)
	return v
}

func (p *Policy) viewOf(key viewKey) *view {
	owner := subject{source: key.source, id: toolcrib.MakeID(key.source, key.owner, ""), owner: key.owner}
	v := &view{key: key, prefix: owner.id, deny: newTable(p.deny, &owner)}
	for i := range p.lists {
		l := listView{newTable(p.lists[i].rules, &owner), &p.lists[i].outside}
		if !l.all || i == len(p.lists)-1 { // which rule lets a tool pass is asked of the last alone
			v.lists = append(v.lists, l)
		}
	}
	return v
}
