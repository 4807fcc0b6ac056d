package gateway

import (
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/toolcrib/toolcrib/internal/httpapi"
)

// doors are the handlers for TCP that have been given out. Each follows the
// configuration: its token, hosts and origins are those in force.
type doors struct {
	mu   sync.Mutex
	open []*door
}

// door is the handler for one address.
type door struct {
	gateway *Gateway
	listen  string
	now     atomic.Pointer[fitted]
}

// fitted is a handler with the settings that it was made of.
type fitted struct {
	settings *settings
	handler  http.Handler
}

// add opens a door for an address; it fails when the settings don't allow that.
func (x *doors) add(g *Gateway, listen string) (*door, error) {
	d := &door{gateway: g, listen: listen}
	if _, err := d.fit(g.settings.Load()); err != nil {
		return nil, err
	}
	g.watchTokens()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.open = append(x.open, d)
	return d, nil
}

// check says why one of the open doors can't be as settings want it.
func (x *doors) check(s *settings) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, d := range x.open {
		if _, err := d.handler(s); err != nil {
			return err
		}
	}
	return nil
}

// ServeHTTP implements http.Handler.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := d.gateway.settings.Load()
	f := d.now.Load()
	if f == nil || f.settings != s {
		var err error
		if f, err = d.fit(s); err != nil { // checked before the settings came into force
			http.Error(w, "the configuration doesn't allow this address", http.StatusServiceUnavailable)
			return
		}
	}
	f.handler.ServeHTTP(w, r)
}

// fit makes the handler anew and keeps it.
func (d *door) fit(s *settings) (*fitted, error) {
	h, err := d.handler(s)
	if err != nil {
		return nil, err
	}
	f := &fitted{s, h}
	d.now.Store(f)
	return f, nil
}

// handler makes a handler of settings.
func (d *door) handler(s *settings) (http.Handler, error) {
	c := s.config.Gateway
	o := httpapi.PublicOptions{
		MCP: d.gateway.door.Serve, Models: chatDoor{d.gateway}, Listen: d.listen, Token: c.Token, Tokens: d.gateway.tokens.book,
		AllowedHosts: c.AllowedHosts, AllowedOrigins: c.AllowedOrigins, Logger: d.gateway.logger,
	}
	if d.gateway.tokens.admin != nil {
		control, err := httpapi.NewControl(d.gateway.operators())
		if err != nil {
			return nil, err
		}
		o.Control, o.Admin = control, d.gateway.isAdmin
	}
	return httpapi.NewPublic(o)
}

// Handler returns the MCP endpoint, /mcp, as a handler for a program's own HTTP
// server that listens at the given address. It checks Host, Origin and bearer
// tokens, and refuses an address beyond this machine as long as there is no token.
// With a state folder it has the control API, /api/, too, for who shows the admin token.
func (g *Gateway) Handler(listen string) (http.Handler, error) { return g.doors.add(g, listen) }
