package httpapi

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// refusalsEvery is how often refused tokens are logged at most.
const refusalsEvery = 10 * time.Second

// refusals logs who was refused for a token, now and then: whoever tries many
// can't fill the log. What was shown is never logged.
type refusals struct {
	log *slog.Logger

	mu      sync.Mutex
	last    time.Time
	skipped int
}

// add counts a refused request.
func (x *refusals) add(r *http.Request, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if now := time.Now(); now.Sub(x.last) >= refusalsEvery {
		x.last = now
	} else {
		x.skipped++
		return
	}
	from, _, splitErr := net.SplitHostPort(r.RemoteAddr)
	if splitErr != nil {
		from = r.RemoteAddr
	}
	attrs := []any{"from", from, "path", quote(r.URL.Path), "others", x.skipped}
	if why := errors.Unwrap(err); why != nil {
		attrs = append(attrs, "why", why)
	}
	x.log.Warn("a request was refused: "+err.Error(), attrs...)
	x.skipped = 0
}
