package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

const adminHint = "the toolcrib commands read it from admin.token in the state folder by themselves; others send it in the header Authorization: Bearer TOKEN"

func wantsAdmin() error {
	return toolcrib.NewError(toolcrib.KindUnauthorized, "this takes the admin token", adminHint)
}

// TokenControl keeps the gateway tokens.
type TokenControl interface {
	// Tokens lists them, the oldest first.
	Tokens(ctx context.Context) ([]client.Token, error)
	MakeToken(ctx context.Context, r client.TokenRequest) (client.NewToken, error)
	// RevokeToken takes a token, named by id or name, back; forget deletes what is
	// known of it, too.
	RevokeToken(ctx context.Context, token string, forget bool) (client.RevokedToken, error)
}

func (a *api) tokenRoutes() []route {
	return []route{{"GET", "/api/tokens", a.tokens}}
}

// forAdmin makes routes ask for the admin token.
func (a *api) forAdmin(routes []route) []route {
	if a.admin == nil {
		return routes
	}
	for i, next := range routes {
		routes[i].serve = func(w http.ResponseWriter, r *http.Request) (any, error) {
			if !a.admin(bearer(r)) {
				return nil, wantsAdmin()
			}
			return next.serve(w, r)
		}
	}
	return routes
}

func (a *api) tokens(_ http.ResponseWriter, r *http.Request) (any, error) {
	tokens, err := a.control.Tokens(r.Context())
	if tokens == nil {
		tokens = []client.Token{}
	}
	return client.TokenList{Tokens: tokens}, err
}

func (a *api) revokeToken(_ http.ResponseWriter, r *http.Request) (any, error) {
	forget := false
	if given := r.URL.Query().Get("forget"); given != "" {
		var err error
		if forget, err = strconv.ParseBool(given); err != nil {
			return nil, toolcrib.NewError(toolcrib.KindInput, "forget is "+quote(given), "give true or false")
		}
	}
	return a.control.RevokeToken(r.Context(), r.PathValue("token"), forget)
}
