package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Bounds of a request's body.
const (
	// MaxBody is the largest body, 4 MiB.
	MaxBody = 4 << 20
	// bodyTimeout is how long a body may take to arrive.
	bodyTimeout = 30 * time.Second
)

// MCP answers a request of the MCP endpoint for a caller who was let in.
type MCP func(w http.ResponseWriter, r *http.Request, scope toolcrib.Scope, mode string)

// PublicOptions is what the public handler needs.
type PublicOptions struct {
	// MCP serves /mcp. Required.
	MCP MCP
	// Models serves /v1/; nil serves nothing there.
	Models Models
	// Listen is the address that the handler is served at, such as
	// "127.0.0.1:7433". Required: it decides whether a token must be there.
	Listen string
	// Token is gateway.token: the secret of a token of agent main that isn't an
	// owner's; may be empty.
	Token string
	// Tokens knows the tokens that were made; nil when there are none. Without them
	// and Token nobody is asked for one, which only a loopback address allows.
	Tokens Tokens
	// Control serves /api/ and /metrics for whoever shows the admin token, which Admin knows.
	// Both may be nil: then nothing is served there.
	Control http.Handler
	Admin   func(secret string) bool
	// AllowedHosts are further names in the Host header, with or without port.
	AllowedHosts []string
	// AllowedOrigins are web origins besides those of this machine, such as "https://app.example".
	AllowedOrigins []string
	// Logger may be nil.
	Logger *slog.Logger
}

// NewPublic returns the handler for TCP: /mcp, /healthz, /api/ and /metrics. Options that would
// let other machines in without a token are an error of kind "config".
func NewPublic(o PublicOptions) (http.Handler, error) {
	if o.MCP == nil || o.Listen == "" {
		return nil, errors.New("httpapi: PublicOptions.MCP and Listen are required")
	}
	guard, err := newGuard(o)
	if err != nil {
		return nil, err
	}
	p := &publicHandler{o: o, guard: guard, log: logger(o.Logger)}
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", p.mcp)
	mux.HandleFunc("/mcp/{$}", p.mcp)
	if o.Control != nil && o.Admin != nil {
		mux.HandleFunc("/api/", p.api)
		mux.HandleFunc("/metrics", p.api)
	}
	p.modelRoutes(mux)
	mux.HandleFunc("GET /healthz", health)
	mux.HandleFunc("/", p.nothing)
	return recovered(p.placed(mux), p.log), nil
}

type publicHandler struct {
	o     PublicOptions
	guard *guard
	log   *slog.Logger
}

// placed lets through only requests whose Host and Origin are allowed.
func (p *publicHandler) placed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := p.guard.checkPlace(r); err != nil {
			writeError(w, p.log, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (p *publicHandler) mcp(w http.ResponseWriter, r *http.Request) {
	scope, err := p.guard.authenticate(r)
	if err != nil {
		writeError(w, p.log, err)
		return
	}
	if err := readBody(w, r, MaxBody); err != nil {
		writeError(w, p.log, err)
		return
	}
	p.o.MCP(w, r, scope, r.URL.Query().Get("mode"))
}

// api serves the control API to who shows the admin token, and to nobody else.
func (p *publicHandler) api(w http.ResponseWriter, r *http.Request) {
	given := bearer(r)
	if given != "" && p.o.Admin(given) {
		p.o.Control.ServeHTTP(w, r)
		return
	}
	err := wantsAdmin()
	if given != "" {
		_, wrong := p.guard.verify(r, given)
		switch {
		case wrong == nil:
			err = toolcrib.NewError(toolcrib.KindBlocked, "a gateway token doesn't open the control API", "that takes the admin token: "+adminHint)
		case toolcrib.KindOf(wrong) != toolcrib.KindUnauthorized:
			err = wrong
		default:
			p.guard.refusals.add(r, err)
		}
	}
	writeError(w, p.log, err)
}

func (p *publicHandler) nothing(w http.ResponseWriter, r *http.Request) {
	writeError(w, p.log, toolcrib.NewError(toolcrib.KindNotFound, "nothing is served at "+quote(r.URL.Path), "the MCP endpoint is /mcp, that of models /v1"))
}

func health(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// readBody reads the whole body, within most bytes and bodyTimeout, and puts it
// back as bytes in memory. The deadline is for the body alone: an answer may
// stream for hours.
func readBody(w http.ResponseWriter, r *http.Request, most int64) error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	tooLarge := toolcrib.NewError(toolcrib.KindLimit, fmt.Sprintf("the request body is larger than %d MiB", most>>20), "send less at once")
	if r.ContentLength > most {
		w.Header().Set("Connection", "close")
		return tooLarge
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTimeout)) // a transport without deadlines has no slow network
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return tooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return toolcrib.NewError(toolcrib.KindTimeout, fmt.Sprintf("the request body took longer than %v", bodyTimeout), "send it faster")
	case err != nil:
		return toolcrib.NewError(toolcrib.KindInput, "the request body could not be read", "").WithCause(err)
	}
	_ = control.SetReadDeadline(time.Time{})
	r.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}
