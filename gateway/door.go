package gateway

import (
	"context"

	"github.com/toolcrib/toolcrib/internal/mcpserver"
)

// opener opens the sessions of MCP clients.
type opener struct{ *Gateway }

// Open implements mcpserver.Opener.
func (o opener) Open(_ context.Context, who mcpserver.Who, changed func()) (mcpserver.Session, error) {
	s, err := o.Gateway.Open(SessionOptions{Scope: who.Scope, Mode: who.Mode, Changed: changed, version: who.Client.Version})
	if err != nil {
		return nil, err
	}
	o.sessions.know(s, who.Identity)
	return mcpSession{s}, nil
}

// mcpSession is a Session as mcpserver knows it.
type mcpSession struct{ *Session }

// Surface implements mcpserver.Session.
func (s mcpSession) Surface(ctx context.Context) mcpserver.Surface { return s.surface(ctx) }
