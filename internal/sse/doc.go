// Package sse reads and writes server-sent events, the form in which models
// stream their answers. It knows how events are cut from a stream and how long
// one may be, and nothing of what they say.
package sse
