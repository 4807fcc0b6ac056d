package gateway

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/httpapi"
	"github.com/toolcrib/toolcrib/internal/policy"
	"github.com/toolcrib/toolcrib/internal/store/sqlite"
	"github.com/toolcrib/toolcrib/internal/token"
)

// keys are the gateway tokens, and the admin token.
type keys struct {
	book     *token.Book
	admin    *token.Admin // nil without a state folder
	watching sync.Once
}

// startTokens makes them. The store is opened later.
func (g *Gateway) startTokens(stateDir string) (err error) {
	if stateDir != "" {
		g.tokens.admin = token.NewAdmin(stateDir, g.logger)
	}
	g.tokens.book, err = token.New(token.Options{Store: g.store.tokens, Check: g.checkToken, Logger: g.logger})
	return err
}

// checkToken refuses a token for an agent that isn't configured, and one with
// patterns that are none.
func (g *Gateway) checkToken(w token.Wish) error {
	if w.Agent != "" {
		if _, err := g.settings.Load().agents.named(w.Agent); err != nil {
			return err
		}
	}
	_, err := policy.New(policy.NamedRules{Name: "the token", Rules: policy.Rules{Allow: w.Allow, Deny: w.Deny}})
	if known := (*toolcrib.Error)(nil); errors.As(err, &known) {
		return toolcrib.NewError(toolcrib.KindInput, known.Message, known.Hint).WithCause(err)
	}
	return err
}

// tokens is the store of tokens, for the book; opened anew when its file has gone.
func (k *kept) tokens(ctx context.Context) (token.Store, error) {
	s, err := k.get(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := s.Tokens().AnyToken(ctx); errors.Is(err, sqlite.ErrGone) {
		k.lose(s)
		if s, err = k.get(ctx); err != nil {
			return nil, err
		}
	}
	return s.Tokens(), nil
}

// How open sessions are held to their tokens.
const (
	watchTokensEvery = 2 * time.Second
	judgeTime        = 10 * time.Second
)

// watchTokens ends the sessions of tokens that are no longer good, until the
// gateway is closed. What another process has revoked is found out within seconds;
// requests are refused at once in any case.
func (g *Gateway) watchTokens() {
	g.tokens.watching.Do(func() {
		go func() {
			tick := time.NewTicker(watchTokensEvery)
			defer tick.Stop()
			for {
				select {
				case <-g.runtimes.ctx.Done():
					return
				case <-tick.C:
					g.sweepTokens(g.runtimes.ctx)
				}
			}
		}()
	})
}

// sweepTokens ends them now.
func (g *Gateway) sweepTokens(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, judgeTime)
	defer cancel()
	for _, caller := range g.door.Callers() {
		good, err := g.mayStay(ctx, caller)
		if err != nil {
			g.logger.Debug("whether a caller's token is still good can't be told", "caller", caller, "error", err)
			continue // its requests are refused meanwhile
		}
		if !good {
			g.logger.Info("sessions were ended: their token is no longer good", "caller", caller, "sessions", g.door.End(caller))
		}
	}
}

// mayStay reports whether an HTTP caller may still be there.
func (g *Gateway) mayStay(ctx context.Context, caller string) (bool, error) {
	static := g.settings.Load().config.Gateway.Token != ""
	switch _, id, made := strings.Cut(caller, "#"); {
	case caller == httpapi.StaticCaller:
		return static, nil
	case made:
		return g.tokens.book.Live(ctx, id)
	case static:
		return false, nil
	}
	any, err := g.tokens.book.Any(ctx)
	return !any, err
}

// operators is the control API for others than the process itself: what says what
// may run takes the admin token.
func (g *Gateway) operators() httpapi.ControlOptions {
	return httpapi.ControlOptions{Control: control{g}, Logger: g.logger, Admin: g.isAdmin}
}

// isAdmin reports whether a secret is the admin token.
func (g *Gateway) isAdmin(secret string) bool {
	return g.tokens.admin != nil && g.tokens.admin.Matches(secret)
}

// Tokens implements httpapi.Control.
func (c control) Tokens(ctx context.Context) ([]client.Token, error) {
	all, err := c.tokens.book.List(ctx)
	if err != nil {
		return nil, err
	}
	wire := make([]client.Token, len(all))
	for i, t := range all {
		wire[i] = wireToken(t)
	}
	return wire, nil
}

// MakeToken implements httpapi.Control.
func (c control) MakeToken(ctx context.Context, r client.TokenRequest) (client.NewToken, error) {
	others, err := c.tokens.book.Any(ctx)
	if err != nil {
		return client.NewToken{}, err
	}
	t, secret, err := c.tokens.book.Make(ctx, token.Wish{
		Name: r.Name, Agent: r.Agent, Owner: r.Owner, Harness: r.Harness, Allow: r.Allow, Deny: r.Deny, Expires: r.Expires,
	})
	if err != nil {
		return client.NewToken{}, err
	}
	made := client.NewToken{Token: wireToken(t), Secret: secret}
	if !others && c.settings.Load().config.Gateway.Token == "" {
		made.Notes = append(made.Notes, "this is the first token: from now on the gateway's address asks every program for one, also on this machine; "+
			"what is attached with toolcrib mcp needs none")
		c.sweepTokens(ctx)
	}
	return made, nil
}

// RevokeToken implements httpapi.Control.
func (c control) RevokeToken(ctx context.Context, ref string, forget bool) (client.RevokedToken, error) {
	revoke := c.tokens.book.Revoke
	if forget {
		revoke = c.tokens.book.Forget
	}
	t, err := revoke(ctx, ref)
	if err != nil {
		return client.RevokedToken{}, err
	}
	c.sweepTokens(ctx)
	revoked := client.RevokedToken{Token: wireToken(t)}
	if left, err := c.tokens.book.Any(ctx); err == nil && !left && c.settings.Load().config.Gateway.Token == "" {
		revoked.Notes = append(revoked.Notes, "no token is left: the gateway asks programs on this machine for none again")
	}
	return revoked, nil
}

func wireToken(t token.Token) client.Token {
	return client.Token{
		ID: t.ID, Name: t.Name, Agent: t.Agent, Owner: t.Owner, Harness: t.Harness, Allow: t.Allow, Deny: t.Deny,
		Created: t.Created, Expires: t.Expires, LastUsed: t.LastUsed, Revoked: t.Revoked,
	}
}
