package mcp

import (
	"maps"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
)

// Change says what an Update did: names of servers, sorted.
type Change struct {
	// Added were not there before, Removed are there no more.
	Added, Removed []string
	// Changed were configured in another way before. Kept were not: they went on
	// as if nothing had happened.
	Changed, Kept []string
}

// Update replaces the configured servers. One that is configured as before keeps
// its connections, counters and list. One whose Timeout, Allow, Deny, Trusted,
// Prefix or CallsSequential alone changed keeps its connections too, and the new
// values hold from now on. One whose connection is another now is ended, and the
// new one starts when that has left; calls that run meanwhile fail. Nothing is
// waited for: what is ended has the usual grace, and Close waits for it.
//
// OnChange is told of each server that was added, changed or removed before
// Update returns. An error, of kind KindConfig or after Close KindUnavailable,
// means that nothing was changed.
func (s *Source) Update(servers []Server) (Change, error) {
	change, err := s.update(servers)
	for _, name := range slices.Concat(change.Added, change.Changed, change.Removed) {
		s.notify(name)
	}
	return change, err
}

// update is Update without telling of it.
func (s *Source) update(servers []Server) (Change, error) {
	if err := checkNames(servers); err != nil {
		return Change{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return Change{}, toolcrib.NewError(toolcrib.KindUnavailable, "the gateway is stopping", "")
	}
	n := s.plan(servers)
	for p := range n.gone {
		s.leaving[key(p)] = p
	}
	for _, config := range n.fresh {
		n.stay = append(n.stay, newPeer(s, config, s.leaving[strings.ToLower(config.Name)]))
	}
	slices.SortFunc(n.stay, func(a, b *peer) int { return strings.Compare(a.config().Name, b.config().Name) })
	s.peers.Store(&n.stay) // before the former ones say that they were replaced
	for p, why := range n.gone {
		s.dismiss(p, why)
	}
	for _, p := range n.stay {
		p.start()
	}
	return n.change, nil
}

// key is what a server shares with those that can't be beside it.
func key(p *peer) string { return strings.ToLower(p.config().Name) }

// plan is what an update comes to.
type plan struct {
	change Change
	stay   []*peer
	gone   map[*peer]string // and why
	fresh  []*Server
}

// plan compares servers with the present ones, and puts in force what needs no
// other connection.
func (s *Source) plan(servers []Server) plan {
	n := plan{gone: map[*peer]string{}}
	present := map[string]*peer{}
	for _, p := range s.all() {
		present[p.config().Name] = p
	}
	for _, config := range servers {
		server, p := config.prepared(), present[config.Name]
		delete(present, config.Name)
		n.judge(p, server)
	}
	for name, p := range present {
		n.change.Removed = append(n.change.Removed, name)
		n.gone[p] = "was removed from the configuration"
	}
	for _, names := range [][]string{n.change.Added, n.change.Changed, n.change.Removed, n.change.Kept} {
		slices.Sort(names)
	}
	return n
}

// judge decides what becomes of one server; p is nil when it is new.
func (n *plan) judge(p *peer, server *Server) {
	name := server.Name
	if p == nil {
		n.change.Added = append(n.change.Added, name)
		n.fresh = append(n.fresh, server)
		return
	}
	now := p.config()
	if same := sameConnection(now, server); same && sameTerms(now, server) {
		n.change.Kept = append(n.change.Kept, name)
		n.stay = append(n.stay, p)
		return
	} else if n.change.Changed = append(n.change.Changed, name); same && now.usable() && server.usable() {
		p.apply(server)
		n.stay = append(n.stay, p)
		return
	}
	n.fresh = append(n.fresh, server)
	n.gone[p] = "was restarted because its configuration changed"
	if !server.usable() {
		n.gone[p] = "was stopped because its configuration changed"
	}
}

// dismiss ends a server that was replaced or removed, in the background.
func (s *Source) dismiss(p *peer, why string) {
	p.leave(why)
	s.ending.Go(func() {
		p.close()
		if p.after != nil {
			<-p.after
		}
		close(p.done)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.leaving[key(p)] == p {
			delete(s.leaving, key(p))
		}
	})
}

// sameConnection reports whether two configurations mean one process or URL, used alike.
func sameConnection(a, b *Server) bool {
	return a.Command == b.Command && slices.Equal(a.Args, b.Args) && maps.Equal(a.Env, b.Env) && a.Cwd == b.Cwd &&
		a.URL == b.URL && maps.Equal(a.Headers, b.Headers) && a.SSE == b.SSE &&
		a.perSession() == b.perSession() && a.Enabled == b.Enabled
}

// sameTerms reports whether they also mean the same for the tools and calls.
func sameTerms(a, b *Server) bool {
	return a.timeout() == b.timeout() && slices.Equal(a.Allow, b.Allow) && slices.Equal(a.Deny, b.Deny) && a.Trusted == b.Trusted && a.TrustHints == b.TrustHints &&
		samePrefix(a.Prefix, b.Prefix) && a.CallsSequential == b.CallsSequential && a.fault == b.fault
}

// samePrefix tells no prefix from an unset one.
func samePrefix(a, b *string) bool {
	return a == b || a != nil && b != nil && *a == *b
}
