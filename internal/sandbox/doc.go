// Package sandbox owns the words for running a short script in isolation: the
// script and its limits, the one host function it may reach, what came of it,
// and the interface that every runtime fulfils. It knows no tools, no policy
// and no runtime; it imports nothing of ours, so that what it can't name a
// script can't reach.
package sandbox
