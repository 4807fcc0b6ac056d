package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// ControlOptions is what the control handler needs.
type ControlOptions struct {
	// Control does the work. Required.
	Control Control
	// Admin knows the admin token, which the routes that say what may run ask for.
	// Nil asks for none: then whoever reaches the handler is the operator.
	Admin func(secret string) bool
	// Logger may be nil.
	Logger *slog.Logger
}

// NewControl returns the handler of the control API. Most routes ask nobody who
// they are: serve it at a socket of ListenControl, or in the process itself, or
// behind PublicOptions.Control.
func NewControl(o ControlOptions) (http.Handler, error) {
	if o.Control == nil {
		return nil, errors.New("httpapi: ControlOptions.Control is required")
	}
	a := &api{control: o.Control, admin: o.Admin, log: logger(o.Logger)}
	mux := http.NewServeMux()
	methods := map[string][]string{} // by path
	for _, route := range a.allRoutes() {
		mux.HandleFunc(route.method+" "+route.path, a.handler(route.serve))
		methods[route.path] = append(methods[route.path], route.method)
	}
	for path, allowed := range methods {
		mux.HandleFunc(path, a.wrongMethod(strings.Join(allowed, ", ")))
	}
	mux.HandleFunc("GET /healthz", health)
	mux.HandleFunc("/", a.nothing)
	return recovered(mux, a.log), nil
}

type api struct {
	control Control
	admin   func(secret string) bool // nil: everybody is
	log     *slog.Logger
}

// serve is a route's work: a value to answer with, or an error.
type serve func(w http.ResponseWriter, r *http.Request) (any, error)

type route struct {
	method, path string
	serve        serve
}

// allRoutes are those of all tables.
func (a *api) allRoutes() []route {
	return slices.Concat(a.routes(), a.policyRoutes(), a.pluginRoutes(), a.sessionRoutes(), a.tokenRoutes(), a.approvalRoutes(), a.pinRoutes(), a.forAdmin(a.adminRoutes()))
}

// routes are those that whoever opens the control socket may use.
func (a *api) routes() []route {
	return []route{
		{"GET", "/api/status", a.status},
		{"GET", "/api/servers", a.servers},
		{"GET", "/api/servers/{name}/logs", a.logs},
		{"POST", "/api/servers/{name}/restart", a.restart},
		{"POST", "/api/reload", a.reload},
		{"GET", "/api/attach", a.attach},
		{"GET", "/api/tools", a.tools},
		{"GET", "/api/stats", a.stats},
		{"POST", "/api/search", body(a.control.Search)},
		{"POST", "/api/describe", body(a.control.Describe)},
		{"POST", "/api/call", body(a.control.Call)},
		{"POST", "/api/code", body(a.control.Code)},
	}
}

// adminRoutes are those that ask for the admin token, at the control socket too:
// they say what may run.
func (a *api) adminRoutes() []route {
	return slices.Concat([]route{
		{"POST", "/api/tokens", body(a.control.MakeToken)},
		{"DELETE", "/api/tokens/{token}", a.revokeToken},
	}, a.approvalAdminRoutes(), a.pinAdminRoutes())
}

func (a *api) handler(serve serve) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		value, err := serve(w, r)
		if err == nil {
			writeJSON(w, http.StatusOK, value)
			return
		}
		if errors.Is(err, errTaken) {
			return
		}
		if r.Context().Err() != nil && errors.Is(err, context.Canceled) {
			err = toolcrib.NewError(toolcrib.KindCanceled, "the request was cancelled", "").WithCause(err)
		}
		writeError(w, a.log, err)
	}
}

func (a *api) wrongMethod(allow string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allow)
		writeJSON(w, http.StatusMethodNotAllowed, client.Failure{Error: client.FailureDetail{
			Kind: toolcrib.KindInput, Message: quote(r.Method) + " is not for " + quote(r.URL.Path), Hint: "use " + allow,
		}})
	}
}

func (a *api) nothing(w http.ResponseWriter, r *http.Request) {
	var paths []string
	for _, route := range a.allRoutes() {
		if !slices.Contains(paths, route.path) {
			paths = append(paths, route.path)
		}
	}
	writeError(w, a.log, toolcrib.NewError(toolcrib.KindNotFound, "nothing is served at "+quote(r.URL.Path), "the control API has "+strings.Join(paths, ", ")))
}

func (a *api) status(_ http.ResponseWriter, r *http.Request) (any, error) {
	return a.control.Status(r.Context())
}

func (a *api) servers(_ http.ResponseWriter, r *http.Request) (any, error) {
	servers, err := a.control.Servers(r.Context())
	if servers == nil {
		servers = []client.Server{}
	}
	return client.ServerList{Servers: servers}, err
}

func (a *api) logs(_ http.ResponseWriter, r *http.Request) (any, error) {
	return logsOf(r, a.control.Logs)
}

// logsOf answers with lines of the log that a request names.
func logsOf(r *http.Request, read func(ctx context.Context, name string, n int) ([]string, error)) (any, error) {
	n := DefaultLogLines
	if given := r.URL.Query().Get("n"); given != "" {
		var err error
		if n, err = strconv.Atoi(given); err != nil || n < 1 || n > MaxLogLines {
			return nil, toolcrib.NewError(toolcrib.KindInput, "n is "+quote(given), fmt.Sprintf("give a whole number from 1 to %d", MaxLogLines))
		}
	}
	name := r.PathValue("name")
	lines, err := read(r.Context(), name, n)
	if lines == nil {
		lines = []string{}
	}
	return client.LogLines{Server: name, Lines: lines}, err
}

func (a *api) restart(_ http.ResponseWriter, r *http.Request) (any, error) {
	return a.control.Restart(r.Context(), r.PathValue("name"))
}

func (a *api) reload(_ http.ResponseWriter, r *http.Request) (any, error) {
	return struct{}{}, a.control.Reload(r.Context())
}

func (a *api) stats(_ http.ResponseWriter, r *http.Request) (any, error) {
	return a.control.Stats(r.Context(), r.URL.Query().Get("agent"))
}

func (a *api) tools(_ http.ResponseWriter, r *http.Request) (any, error) {
	query := r.URL.Query()
	list, err := a.control.Tools(r.Context(), client.ToolsRequest{Agent: query.Get("agent"), Owner: query.Get("owner")})
	if list.Tools == nil {
		list.Tools = []client.Tool{}
	}
	return list, err
}

// body makes a route of a method that takes a request from the body.
func body[Q, A any](do func(context.Context, Q) (A, error)) serve {
	return func(w http.ResponseWriter, r *http.Request) (any, error) {
		var request Q
		if err := readJSON(w, r, &request); err != nil {
			return nil, err
		}
		return do(r.Context(), request)
	}
}

// readJSON reads one JSON object from the body. A key that the request doesn't
// have is an error: it would be ignored in silence otherwise.
func readJSON(w http.ResponseWriter, r *http.Request, into any) error {
	if err := readBody(w, r, MaxBody); err != nil {
		return err
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(into)
	if err == nil && decoder.More() {
		err = errors.New("something follows the object")
	}
	if err != nil {
		return toolcrib.NewError(toolcrib.KindInput, "the request body is not the JSON object that was expected: "+strings.TrimPrefix(err.Error(), "json: "), "").WithCause(err)
	}
	return nil
}
