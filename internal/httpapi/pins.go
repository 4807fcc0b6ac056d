package httpapi

import (
	"context"
	"net/http"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// Pinner is what a Control may be, too: one that keeps an eye on servers' tools.
type Pinner interface {
	// Pins lists what a person should look at, by server and tool; server may be "".
	Pins(ctx context.Context, server string, rejected bool) ([]client.Pin, error)
	// AnswerPins says what becomes of tools.
	AnswerPins(ctx context.Context, a client.PinAnswer) (client.PinReply, error)
}

func (a *api) pinRoutes() []route {
	return []route{{"GET", "/api/pins", a.withPinner(func(c Pinner, _ http.ResponseWriter, r *http.Request) (any, error) {
		query := r.URL.Query()
		list, err := c.Pins(r.Context(), query.Get("server"), query.Get("rejected") == "true")
		return client.PinList{Pins: orNone(list)}, err
	})}}
}

// pinAdminRoutes are those that say what may run.
func (a *api) pinAdminRoutes() []route {
	return []route{{"POST", "/api/pins", a.withPinner(func(c Pinner, w http.ResponseWriter, r *http.Request) (any, error) {
		var answer client.PinAnswer
		if err := readJSON(w, r, &answer); err != nil {
			return nil, err
		}
		return c.AnswerPins(r.Context(), answer)
	})}}
}

// withPinner makes a route of what needs a Pinner.
func (a *api) withPinner(do func(Pinner, http.ResponseWriter, *http.Request) (any, error)) serve {
	return func(w http.ResponseWriter, r *http.Request) (any, error) {
		c, ok := a.control.(Pinner)
		if !ok {
			return nil, toolcrib.NewError(toolcrib.KindNotFound, "this gateway pins no tools", "")
		}
		return do(c, w, r)
	}
}
