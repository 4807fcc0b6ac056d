// Package openai reads and writes OpenAI's protocols: requests of callers, what
// providers answer, and the one answer that a caller gets from several of a
// provider. It is internal/model's Dialect for them.
//
// A request stays the bytes that it was but for its tools, the messages that
// are added, and the few members which must follow from those. Of an answer
// everything passes that isn't a call of a tool that is run here. The package
// doesn't know HTTP, nor who runs which tool.
package openai
