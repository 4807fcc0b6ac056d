package cli

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/gateway"
	"github.com/toolcrib/toolcrib/internal/attach"
)

// Times of attaching.
const (
	openingTime = 5 * time.Second       // a gateway may take to open a session
	restartTime = 2 * time.Second       // one that has ended may take to be back
	retryEvery  = 50 * time.Millisecond // in that time
	lookEvery   = 2 * time.Second       // for a gateway that has come meanwhile
)

// uplink is what finds a gateway for toolcrib mcp: the one that runs, or one
// inside the process.
type uplink struct {
	app     *app
	always  bool
	request client.AttachRequest

	// attached is true when the last connection was to the gateway that runs.
	attached bool
	// refused is true when that one doesn't take this client; then it isn't tried
	// again for as long as there is one inside. said is the reason that was told.
	refused bool
	said    string
	closing sync.WaitGroup // gateways inside that are on their way out
}

// wait waits until the gateways that were inside have ended.
func (u *uplink) wait() { u.closing.Wait() }

// connect is attach.Relay's Connect. The relay calls it from one goroutine.
func (u *uplink) connect(ctx context.Context, why attach.Reason) (io.ReadWriteCloser, error) {
	first := why.Err == nil
	if u.always || why.Attempt == 0 || !u.attached {
		patience := time.Duration(0)
		if !first && why.Attempt == 0 && !u.always {
			patience = restartTime
		}
		conn, err := u.attach(ctx, patience)
		if err == nil {
			u.attached, u.refused = true, false
			return conn, nil
		}
		if u.always {
			return nil, u.only(err)
		}
		if ctx.Err() != nil {
			return nil, err
		}
		u.excuse(err)
	}
	u.attached = false
	if !first {
		u.app.note("note", "2", "the gateway is gone; this session goes on with servers of its own")
	}
	return u.own(ctx)
}

// attach opens a session at the gateway that runs; while none does, it tries
// again for some time.
func (u *uplink) attach(ctx context.Context, patience time.Duration) (io.ReadWriteCloser, error) {
	end := time.Now().Add(patience)
	for {
		conn, err := u.open(ctx)
		if err == nil || !away(err) || time.Now().After(end) {
			return conn, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(retryEvery):
		}
	}
}

// away reports whether an error says that no gateway answers.
func away(err error) bool { return toolcrib.KindOf(err) == toolcrib.KindUnavailable }

func (u *uplink) open(ctx context.Context) (io.ReadWriteCloser, error) {
	c, err := u.app.running()
	if err != nil {
		return nil, err
	}
	defer c.close()
	ctx, cancel := context.WithTimeout(ctx, openingTime)
	defer cancel()
	return c.Attach(ctx, u.request)
}

// only is what is said where nothing but the gateway that runs will do.
func (u *uplink) only(err error) error {
	if away(err) {
		return toolcrib.NewError(toolcrib.KindUnavailable, "no gateway of this configuration runs, and --attach=always wants one",
			"start it with: toolcrib serve").WithCause(err)
	}
	return err
}

// excuse says once why the gateway that runs is not used.
func (u *uplink) excuse(err error) {
	if away(err) {
		return
	}
	reason := err.Error()
	if known := (*toolcrib.Error)(nil); errors.As(err, &known) {
		reason = known.Message
	}
	if u.said != reason {
		u.app.note("note", "2", "not attached to the gateway that runs, but with servers of its own: "+reason)
		u.said = reason
	}
	u.refused = toolcrib.KindOf(err) != toolcrib.KindTimeout
}

// own starts a gateway inside the process and opens a session there.
func (u *uplink) own(ctx context.Context) (io.ReadWriteCloser, error) {
	g, err := u.app.quietGateway(ctx, false)
	if err != nil {
		return nil, err
	}
	conn, err := g.Attach(u.request.Mode, u.request.Agent)
	if err != nil {
		g.Close()
		return nil, err
	}
	return &inside{ReadWriteCloser: conn, uplink: u, gateway: g, final: u.refused}, nil
}

// inside is a session at a gateway inside the process. Closing it ends that one, too.
type inside struct {
	io.ReadWriteCloser
	uplink  *uplink
	gateway *gateway.Gateway
	final   bool
	once    sync.Once
}

// Close ends the session at once, and the gateway in the background.
func (i *inside) Close() error {
	err := i.ReadWriteCloser.Close()
	i.once.Do(func() { i.uplink.closing.Go(func() { i.gateway.Close() }) })
	return err
}

// Superseded implements attach.Temporary: a gateway of the same configuration has
// come, which others share.
func (i *inside) Superseded(ctx context.Context) bool {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		if !i.final && i.uplink.fits(ctx) && !i.asks(ctx) {
			return true
		}
	}
}

// asks reports whether somebody is asked about a call here. Such a call may have
// no request that goes on, and would be lost with this gateway.
func (i *inside) asks(ctx context.Context) bool {
	waiting, err := client.New(client.InProcess(i.gateway.Control()), "").Approvals(ctx)
	return err == nil && len(waiting) > 0
}

// fits reports whether a gateway runs that would take this client.
func (u *uplink) fits(ctx context.Context) bool {
	c, err := u.app.running()
	if err != nil {
		return false
	}
	defer c.close()
	ctx, cancel := context.WithTimeout(ctx, openingTime)
	defer cancel()
	status, err := c.Status(ctx)
	return err == nil && status.SettingsHash == u.request.Settings
}
