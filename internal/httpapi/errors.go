package httpapi

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// statusClientGone is what the log of a proxy calls a caller who hung up.
const statusClientGone = 499

// statuses is the one table from a kind of error to HTTP.
var statuses = map[toolcrib.Kind]int{
	toolcrib.KindInput:        http.StatusBadRequest,
	toolcrib.KindUnauthorized: http.StatusUnauthorized,
	toolcrib.KindBlocked:      http.StatusForbidden,
	toolcrib.KindNotFound:     http.StatusNotFound,
	toolcrib.KindAmbiguous:    http.StatusConflict,
	toolcrib.KindLimit:        http.StatusRequestEntityTooLarge,
	toolcrib.KindConfig:       http.StatusUnprocessableEntity,
	toolcrib.KindCanceled:     statusClientGone,
	toolcrib.KindInternal:     http.StatusInternalServerError,
	toolcrib.KindTool:         http.StatusBadGateway,
	toolcrib.KindOutput:       http.StatusBadGateway,
	toolcrib.KindUnavailable:  http.StatusServiceUnavailable,
	toolcrib.KindTimeout:      http.StatusGatewayTimeout,
}

// statusOf returns the HTTP status of a kind, 500 for one that the table lacks.
func statusOf(kind toolcrib.Kind) int {
	if status, ok := statuses[kind]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// public returns what of an error may be shown. An error that isn't a
// *toolcrib.Error is a fault of ours: its text is for the log alone.
func public(err error) *toolcrib.Error {
	var known *toolcrib.Error
	if errors.As(err, &known) {
		return known
	}
	return toolcrib.NewError(toolcrib.KindInternal, "the gateway failed to answer", "its log says why").WithCause(err)
}

// writeError answers with an error, and logs those that are our own.
func writeError(w http.ResponseWriter, log *slog.Logger, err error) {
	e := public(err)
	if e.Kind == toolcrib.KindInternal {
		log.Error("request failed", "error", e.Error(), "cause", errors.Unwrap(e))
	}
	if e.Kind == toolcrib.KindUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="toolcrib"`)
	}
	writeJSON(w, statusOf(e.Kind), client.Failure{Error: client.FailureDetail{
		Kind: e.Kind, Op: e.Op, Message: e.Message, Hint: e.Hint,
	}})
}

// writeJSON answers with a value. One that can't be written is a fault of ours.
func writeJSON(w http.ResponseWriter, status int, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		status = http.StatusInternalServerError
		data = []byte(`{"error":{"kind":"internal","message":"the gateway's answer is not valid JSON"}}`)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // the caller may be gone; nothing is left to tell it
}
