package mcpserver

import (
	"context"
	"log/slog"
)

// sdkLogger gives the SDK's own log lines to ours at debug level: it reports a
// client's every misstep, and each connection and disconnection, as errors.
func (s *Server) sdkLogger() *slog.Logger {
	return slog.New(quiet{s.o.Logger.Handler()})
}

// quiet turns every record into a debug record.
type quiet struct{ next slog.Handler }

func (q quiet) Enabled(ctx context.Context, _ slog.Level) bool {
	return q.next.Enabled(ctx, slog.LevelDebug)
}

func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	r.Level = slog.LevelDebug
	return q.next.Handle(ctx, r)
}

func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.next.WithAttrs(attrs)} }
func (q quiet) WithGroup(name string) slog.Handler       { return quiet{q.next.WithGroup(name)} }
