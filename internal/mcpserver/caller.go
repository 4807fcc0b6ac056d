package mcpserver

import "slices"

// Callers returns who has HTTP sessions open, each once: Scope.Caller, which is
// empty for the local user.
func (s *Server) Callers() []string {
	var all []string
	for _, t := range []*table{s.handshake, s.stateless} {
		for _, c := range t.all() {
			all = append(all, c.caller())
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// End ends the HTTP sessions of a caller, with their calls and open streams, and
// returns how many there were. Requests that come later open new ones: whoever
// calls this lets none through any more.
func (s *Server) End(caller string) int {
	n := 0
	for _, t := range []*table{s.handshake, s.stateless} {
		for _, c := range t.all() {
			if c.caller() == caller {
				t.drop(c)
				c.close()
				n++
			}
		}
	}
	return n
}

// caller is whose session it is.
func (c *conn) caller() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.who.Scope.Caller
}

// all returns the sessions that are open.
func (t *table) all() []*conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	open := make([]*conn, 0, len(t.conns))
	for _, c := range t.conns {
		open = append(open, c)
	}
	return open
}
