package gateway

import (
	"time"

	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/source/mcp"
)

// wireHit is a hit as the control API sends it.
func wireHit(h Hit) client.Hit {
	return client.Hit{
		ID: h.ID, Source: h.Source, Owner: h.Owner, Name: h.Name, Label: h.Label,
		Description: h.Description, Input: h.Input, Output: h.Output, Call: h.Call,
	}
}

// wireServer is the condition of a server as the control API sends it.
func wireServer(s mcp.Status) client.Server {
	return client.Server{
		Name: s.Name, State: s.State, Reason: s.Reason, Transport: s.Transport, Scope: s.Scope,
		PID: s.PID, Protocol: s.Protocol, ServerName: s.ServerName, ServerVersion: s.ServerVersion,
		Tools: s.Tools, Restarts: s.Restarts, Since: when(s.Since), NextTry: when(s.NextTry), Warnings: s.Warnings,
	}
}

// when is nil for the zero time.
func when(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
