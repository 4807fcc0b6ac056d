package httpapi

import (
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/toolcrib/toolcrib"
)

func logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l
}

// recovered answers a panic with an error and logs it; the gateway lives on.
func recovered(next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tracked := &tracked{ResponseWriter: w}
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p)
			}
			log.Error("panic in a request", "method", r.Method, "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
			if tracked.begun {
				panic(http.ErrAbortHandler) // half an answer must not look whole
			}
			writeError(w, log, toolcrib.NewError(toolcrib.KindInternal, "the gateway failed to answer", "its log says why"))
		}()
		next.ServeHTTP(tracked, r)
	})
}

// tracked knows whether an answer has begun.
type tracked struct {
	http.ResponseWriter
	begun bool
}

// Unwrap serves http.ResponseController.
func (t *tracked) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// WriteHeader notes that the answer has begun.
func (t *tracked) WriteHeader(status int) {
	t.begun = true
	t.ResponseWriter.WriteHeader(status)
}

// Write notes that the answer has begun.
func (t *tracked) Write(b []byte) (int, error) {
	t.begun = true
	return t.ResponseWriter.Write(b)
}
