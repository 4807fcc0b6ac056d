package httpapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/token"
)

// Tokens knows gateway tokens; *token.Book is one.
type Tokens interface {
	// Verify returns the token of a secret. An error of kind "unauthorized" means
	// that it opens nothing, any other that this can't be told.
	Verify(ctx context.Context, secret string) (token.Token, error)
	// Any reports whether there are tokens, so that everybody must show one.
	Any(ctx context.Context) (bool, error)
}

// StaticCaller is the caller in the scope of who shows gateway.token.
const StaticCaller = "gateway.token"

// authenticate says who is calling: by the bearer token, or as the local user
// where none is asked for.
func (g *guard) authenticate(r *http.Request) (toolcrib.Scope, error) {
	asked, given := r.URL.Query().Get("agent"), bearer(r)
	wrong := missing()
	if given != "" {
		scope, err := g.verify(r, given)
		if err == nil {
			return withAgent(scope, asked)
		}
		if toolcrib.KindOf(err) != toolcrib.KindUnauthorized {
			return scope, err
		}
		wrong = err
	}
	needed, err := g.needsToken(r.Context())
	if err != nil {
		return toolcrib.Scope{}, err
	}
	if needed {
		g.refusals.add(r, wrong)
		return toolcrib.Scope{}, wrong
	}
	return withAgent(toolcrib.Scope{Door: toolcrib.DoorMCP}, asked)
}

// verify returns the scope that a gateway token gives. An empty Agent is any.
func (g *guard) verify(r *http.Request, given string) (toolcrib.Scope, error) {
	sum := sha256.Sum256([]byte(given))
	if g.token != nil && subtle.ConstantTimeCompare(sum[:], g.token) == 1 {
		return toolcrib.Scope{Door: toolcrib.DoorMCP, Agent: toolcrib.DefaultAgent, Caller: StaticCaller}, nil
	}
	if g.tokens == nil {
		return toolcrib.Scope{}, wrongToken(nil)
	}
	t, err := g.tokens.Verify(r.Context(), given)
	if err != nil {
		if toolcrib.KindOf(err) == toolcrib.KindUnauthorized {
			err = wrongToken(errors.Unwrap(err))
		}
		return toolcrib.Scope{}, err
	}
	return toolcrib.Scope{Door: toolcrib.DoorMCP, Agent: t.Agent, Caller: t.Caller(), Owner: t.Owner, Harness: t.Harness, Narrow: t.Narrow()}, nil
}

// needsToken reports whether a caller must show a token. What can't be told is refused.
func (g *guard) needsToken(ctx context.Context) (bool, error) {
	if g.token != nil || !g.loopback {
		return true, nil
	}
	if g.tokens == nil {
		return false, nil
	}
	return g.tokens.Any(ctx)
}

// withAgent chooses the agent: the token's, which nobody can leave, or the one that
// was asked for.
func withAgent(scope toolcrib.Scope, asked string) (toolcrib.Scope, error) {
	if scope.Agent != "" && asked != "" && asked != scope.Agent {
		return toolcrib.Scope{}, toolcrib.NewError(toolcrib.KindBlocked, "this token is not for agent "+quote(asked), "leave agent out of the URL, or use a token of that agent")
	}
	scope.Agent = cmp.Or(scope.Agent, asked, toolcrib.DefaultAgent)
	return scope, nil
}

// bearer is the token that a request shows, "" for none.
func bearer(r *http.Request) string {
	scheme, given, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(given)
}

const bearerHint = "send the header Authorization: Bearer TOKEN with a token of toolcrib token create, or with the value of gateway.token"

func missing() error {
	return toolcrib.NewError(toolcrib.KindUnauthorized, "this gateway asks for a bearer token", bearerHint)
}

// wrongToken says no more than that; why is for the log.
func wrongToken(why error) error {
	return toolcrib.NewError(toolcrib.KindUnauthorized, "the bearer token is wrong, revoked or expired", bearerHint).WithCause(why)
}
