// Package signature writes a JSON Schema as a short TypeScript-style type, such
// as `{ id: string; mode?: "drip" | "flood" }`, so that a model can call a tool
// without reading its schema.
//
// Every bound holds before the schema is walked: a schema is never decoded as a
// whole, but read in place and only as deep and as wide as the signature can
// show. The order of keys in a schema never changes the signature, and no
// control, bidirectional or otherwise invisible character gets into it.
//
// The package does not know whose schema it is: whether a schema is trusted
// enough to be shown is the caller's decision.
//
// Where JSON Schema says more than a type can, an input signature leaves it out
// (patterns, lengths, formats, conditions). An output signature promises
// something, so it exists only for a schema in which every object is closed
// (`additionalProperties: false`), every part is understood and nothing had to
// be left out.
package signature
