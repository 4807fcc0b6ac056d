package gateway

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/model/openai"
	"github.com/toolcrib/toolcrib/internal/source/mcp"
)

// upstreams are the clients of those who have models. One that is configured as
// before keeps its connections.
type upstreams struct {
	proxy func(*http.Request) (*url.URL, error)

	mu   sync.Mutex
	made map[string]madeProvider
}

type madeProvider struct {
	of     config.Provider
	client *openai.Provider
}

func newUpstreams(environ []string) *upstreams {
	return &upstreams{proxy: mcp.Proxy(environ), made: map[string]madeProvider{}}
}

// of returns the client of a configured provider.
func (x *upstreams) of(name string, p config.Provider) (*openai.Provider, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if m, ok := x.made[name]; ok {
		if reflect.DeepEqual(m.of, p) {
			return m.client, nil
		}
		m.client.Close()
	}
	made, err := openai.New(openai.Options{Name: name, BaseURL: p.BaseURL, Key: p.APIKey, Headers: p.Headers, Proxy: x.proxy})
	if err != nil {
		return nil, toolcrib.NewError(toolcrib.KindConfig, fmt.Sprintf("models.providers.%s: %v", name, err), "").WithCause(err)
	}
	x.made[name] = madeProvider{p, made}
	return made, nil
}

// close ends the connections that are idle.
func (x *upstreams) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, m := range x.made {
		m.client.Close()
	}
}

// wantedModel is the model that a request asks for.
type wantedModel struct{ provider, model string }

// String is the name by which policy and the record know the model.
func (w wantedModel) String() string { return w.provider + "/" + w.model }

// chooseModel reads the name of a model: PROVIDER/MODEL, or the model's own name
// where it says whose it is.
func chooseModel(c config.Models, asked string) (wantedModel, error) {
	if asked == "" {
		asked = c.Default
	}
	if asked == "" {
		return wantedModel{}, toolcrib.NewError(toolcrib.KindInput, "the request names no model", "name one, or set models.default")
	}
	if provider, name, ok := strings.Cut(asked, "/"); ok {
		if p, known := c.Providers[provider]; known {
			if len(p.Models) > 0 && !slices.Contains(p.Models, name) {
				return wantedModel{}, noModel(c, asked)
			}
			return wantedModel{provider, name}, nil
		}
	}
	var listing, open []string
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		switch p := c.Providers[name]; {
		case slices.Contains(p.Models, asked):
			listing = append(listing, name)
		case len(p.Models) == 0:
			open = append(open, name)
		}
	}
	if len(listing) == 0 {
		listing = open
	}
	switch len(listing) {
	case 1:
		return wantedModel{listing[0], asked}, nil
	case 0:
		return wantedModel{}, noModel(c, asked)
	}
	return wantedModel{}, toolcrib.NewError(toolcrib.KindAmbiguous, fmt.Sprintf("model %q may be that of %s", asked, strings.Join(listing, " or of ")), "name it PROVIDER/MODEL")
}

func noModel(c config.Models, asked string) error {
	if len(c.Providers) == 0 {
		return toolcrib.NewError(toolcrib.KindNotFound, "no provider of models is configured", "set models.providers.NAME.baseUrl")
	}
	return toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("no configured provider has a model %q", asked), "GET /v1/models lists those that there are")
}
