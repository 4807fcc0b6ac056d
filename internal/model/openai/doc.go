// Package openai asks providers who speak OpenAI's protocols: over HTTP, whole
// or streamed, within bounds of size and time. It is a model.Provider, and
// doesn't know what is asked, nor for whom.
package openai
