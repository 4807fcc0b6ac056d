package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/toolcrib/toolcrib"
)

// AttachProtocol is what GET /api/attach upgrades a connection to.
const AttachProtocol = "mcp-stdio"

// AttachRequest says what the session of an attached client is to be like.
type AttachRequest struct {
	// Mode and Agent are what the client asks for, within what the configuration
	// allows; empty for the configured mode and the default agent.
	Mode, Agent string
	// Settings, unless empty, must be the gateway's own Status.SettingsHash, or
	// it refuses with kind "config".
	Settings string
	// Version is that of the program that attaches, for the gateway's log.
	Version string
	// Identity, unless empty, is by what the client is known when it attaches again
	// after the gateway was restarted: it may then read on in results that were cut
	// for it. Make it of random bits, and use it for one client.
	Identity string
}

// query is the request as it stands in the URL.
func (r AttachRequest) query() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{"mode": r.Mode, "agent": r.Agent, "settings": r.Settings, "version": r.Version, "identity": r.Identity} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

// Attach opens one MCP session at the gateway, over a connection of its own: the
// gateway speaks over it as an MCP server does over stdin and stdout, one JSON
// message a line, until one of the two closes it. ctx is for the opening alone.
// It takes a client of a socket; InProcess has no connections.
func (c *Client) Attach(ctx context.Context, r AttachRequest) (io.ReadWriteCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/api/attach?"+r.query().Encode(), nil)
	if err != nil {
		return nil, toolcrib.NewError(toolcrib.KindInput, "cannot build the request: "+err.Error(), "")
	}
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", AttachProtocol)
	c.authorize(req)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, transportError(ctx, err)
	}
	if conn, ok := resp.Body.(io.ReadWriteCloser); ok && resp.StatusCode == http.StatusSwitchingProtocols && strings.EqualFold(resp.Header.Get("Upgrade"), AttachProtocol) {
		return conn, nil
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return nil, transportError(ctx, err)
	}
	return nil, answerError(resp, data)
}
