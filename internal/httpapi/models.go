package httpapi

import (
	"net/http"

	"github.com/toolcrib/toolcrib"
)

// MaxModelBody is the largest request to a model, 64 MiB: histories hold images.
const MaxModelBody = 64 << 20

// Models answers requests to language models for callers who were let in. key is
// the caller's own key for the provider: its bearer token, where that is no token
// of this gateway and none is asked for.
type Models interface {
	Chat(w http.ResponseWriter, r *http.Request, scope toolcrib.Scope, key string)
	List(w http.ResponseWriter, r *http.Request, scope toolcrib.Scope, key string)
}

// AgentHeader names the agent whose tools a request gets; a token's agent wins.
const AgentHeader = "X-Toolcrib-Agent"

// modelRoutes serves the endpoints of OpenAI's protocol.
func (p *publicHandler) modelRoutes(mux *http.ServeMux) {
	if p.o.Models == nil {
		return
	}
	mux.HandleFunc("POST /v1/chat/completions", p.model(p.o.Models.Chat))
	mux.HandleFunc("GET /v1/models", p.model(p.o.Models.List))
}

func (p *publicHandler) model(serve func(http.ResponseWriter, *http.Request, toolcrib.Scope, string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		scope, key, err := p.modelCaller(r)
		if err == nil {
			err = readBody(w, r, MaxModelBody)
		}
		if err != nil {
			writeError(w, p.log, err)
			return
		}
		serve(w, r, scope, key)
	}
}

// modelCaller says who is calling, and the key that is not for this gateway.
func (p *publicHandler) modelCaller(r *http.Request) (toolcrib.Scope, string, error) {
	asked := r.Header.Get(AgentHeader)
	if q := r.URL.Query(); asked != "" && q.Get("agent") == "" {
		q.Set("agent", asked)
		r.URL.RawQuery = q.Encode()
	}
	scope, err := p.guard.authenticate(r)
	if err != nil {
		return scope, "", err
	}
	scope.Door = toolcrib.DoorChat
	needed, err := p.guard.needsToken(r.Context())
	if err != nil || needed || scope.Caller != "" {
		return scope, "", err
	}
	return scope, bearer(r), nil
}
