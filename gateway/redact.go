package gateway

import (
	"context"
	"fmt"
	"log/slog"
)

// redacting returns a logger whose lines hold no secret of the configuration.
func redacting(l *slog.Logger, redact func(string) string) *slog.Logger {
	return slog.New(redactor{l.Handler(), redact})
}

type redactor struct {
	slog.Handler
	redact func(string) string
}

// Handle passes the record on with its texts redacted.
func (h redactor) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, h.redact(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.clean(a))
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

// WithAttrs and WithGroup keep the redactor around the handler.
func (h redactor) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = h.clean(a)
	}
	return redactor{h.Handler.WithAttrs(clean), h.redact}
}

func (h redactor) WithGroup(name string) slog.Handler {
	return redactor{h.Handler.WithGroup(name), h.redact}
}

// clean redacts the text of a value; numbers, times and truth values have none.
func (h redactor) clean(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, h.redact(v.String()))
	case slog.KindAny:
		return slog.String(a.Key, h.redact(fmt.Sprint(v.Any())))
	case slog.KindGroup:
		group := make([]any, 0, len(v.Group()))
		for _, inner := range v.Group() {
			group = append(group, h.clean(inner))
		}
		return slog.Group(a.Key, group...)
	}
	return slog.Attr{Key: a.Key, Value: v}
}
