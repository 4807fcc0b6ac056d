// Package modelmock plays the endpoints of language models for tests: the
// Messages API of Anthropic, the Responses and Chat Completions APIs of OpenAI,
// and the generateContent API of Gemini, each streamed and not.
//
// It owns what a request is in no protocol's words (Prompt), what a model is
// made to say (Turn, Script), and a record of all that was asked. It doesn't
// know who asks, nor anything of toolcrib: a real client that is pointed at it
// believes that it speaks with its provider.
package modelmock
