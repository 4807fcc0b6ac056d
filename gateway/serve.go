package gateway

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/httpapi"
	"github.com/toolcrib/toolcrib/internal/mcpserver"
)

// drain is how long requests may go on after the server was asked to stop.
const drain = 3 * time.Second

// cutOff is logged when some did not.
const cutOff = "requests were still going on at the end and are cut off"

// Serve answers MCP clients over HTTP, and toolcrib's own commands over the
// control socket where there is a state folder, until ctx ends. A configuration
// file that changes meanwhile takes effect, see Watch. It fails with KindConfig
// when it can't listen, and says what to do.
func (g *Gateway) Serve(ctx context.Context, o ServeOptions) error {
	if o.Listen == "" {
		o.Listen = g.settings.Load().config.Gateway.Listen
	}
	public, err := g.doors.add(g, o.Listen)
	if err != nil {
		return err
	}
	listener, err := httpapi.Listen(ctx, o.Listen)
	if err != nil {
		return err
	}
	url := "http://" + listener.Addr().String() + "/mcp"
	g.listen.Store(&url)
	group, ctx := errgroup.WithContext(ctx)
	defer context.AfterFunc(ctx, func() {
		g.results.Leave() // its clients come back
		g.door.Close()    // open streams would hold the shutdown
	})()
	group.Go(func() error {
		<-ctx.Done()
		g.results.Leave()
		g.attached.end(drain)
		return nil
	})
	group.Go(func() error { return g.serve(ctx, httpapi.NewServer(public, g.logger), listener) })
	if g.tokens.admin != nil {
		if err := g.tokens.admin.Ensure(); err != nil {
			g.logger.Error("nobody can show the admin token", "error", err, "cause", errors.Unwrap(err))
		}
	}
	if g.socket != "" {
		operators, err := httpapi.NewControl(g.operators())
		if err != nil {
			listener.Close()
			return err
		}
		socket, err := httpapi.ListenControl(g.socket)
		if err != nil {
			listener.Close()
			return err
		}
		group.Go(func() error { return g.serve(ctx, httpapi.NewServer(operators, g.logger), socket) })
	}
	if g.socket != "" || g.tokens.admin != nil { // the control API is served at one place at least
		group.Go(func() error {
			g.answerable(ctx)
			return nil
		})
	}
	if o.Ready != nil {
		o.Ready(url)
	}
	group.Go(func() error {
		g.warnOfPolicy(ctx)
		return nil
	})
	group.Go(func() error {
		g.Watch(ctx)
		return nil
	})
	group.Go(func() error {
		g.keep(ctx)
		return nil
	})
	return group.Wait()
}

// serve runs one HTTP server until ctx ends, then lets requests finish for a while.
func (g *Gateway) serve(ctx context.Context, server *http.Server, l net.Listener) error {
	ended := make(chan struct{})
	stopped := context.AfterFunc(ctx, func() {
		defer close(ended)
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
		defer cancel()
		if server.Shutdown(bounded) != nil {
			g.logger.Warn(cutOff, "address", l.Addr().String(), "after", drain)
			server.Close()
		}
	})
	err := server.Serve(l)
	if stopped() { // it failed before it was asked to stop
		return err
	}
	<-ended // Serve returns as soon as the listener is closed, with requests going on
	if !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Control returns the control API, for client.New over client.InProcess. Whoever
// can reach it is the operator, who needs no admin token: never serve it over a
// network or a socket.
func (g *Gateway) Control() http.Handler {
	h, err := httpapi.NewControl(httpapi.ControlOptions{Control: control{g}, Logger: g.logger})
	if err != nil {
		panic(err) // the options are complete
	}
	return h
}

// ServeStdio answers one MCP client over a pair of streams until In ends or ctx
// is done. Nothing but protocol is written to Out. A configuration file that
// changes meanwhile takes effect, see Watch.
func (g *Gateway) ServeStdio(ctx context.Context, o StdioOptions) error {
	return g.serveStdio(ctx, o, "")
}

// serveStdio is ServeStdio for a client that may be known again.
func (g *Gateway) serveStdio(ctx context.Context, o StdioOptions, identity string) error {
	scope, err := g.stdioScope(o.Mode, o.Agent)
	if err != nil {
		return err
	}
	kept, end := context.WithCancel(ctx)
	defer end()
	go g.keep(kept)
	go g.Watch(kept)
	return g.door.RunAs(ctx, o.In, o.Out, mcpserver.Who{Scope: scope, Mode: o.Mode, Identity: identity})
}

// SocketPath is where Serve opens the control socket; empty without a state folder.
func (g *Gateway) SocketPath() string { return g.socket }

// Settle waits until every enabled server and plugin has answered or failed, or ctx ends.
// Commands that run once call it; servers and agents needn't.
func (g *Gateway) Settle(ctx context.Context) {
	g.servers.Settle(ctx, toolcrib.Scope{})
	g.plugins.Settle(ctx)
}
