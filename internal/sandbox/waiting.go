package sandbox

import "context"

type clockKey struct{}

// WithClock is for runtimes: it gives a Host's context the means to stop the
// script's clock. stop is called when a wait begins, and what it returns when
// that wait ends.
func WithClock(ctx context.Context, stop func() (resume func())) context.Context {
	return context.WithValue(ctx, clockKey{}, stop)
}

// Waiting stops the script's clock while a person is asked, until resume is
// called. Outside of a Host it does nothing. Limits.Total goes on counting.
func Waiting(ctx context.Context) (resume func()) {
	if stop, ok := ctx.Value(clockKey{}).(func() (resume func())); ok {
		return stop()
	}
	return func() {}
}
