package sandbox

import "context"

type numberKey struct{}

// WithNumber is for runtimes: it tells a Host which call of the run it answers,
// the N of Call. Hosts run side by side, so that they can't count by themselves
// in the order in which the script called.
func WithNumber(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, numberKey{}, n)
}

// Number returns the N of the call that a Host answers, 0 outside of one.
func Number(ctx context.Context) int {
	n, _ := ctx.Value(numberKey{}).(int)
	return n
}
