// Package schema compiles JSON Schemas and applies them: it says in words for a
// model what is wrong with a value, and it repairs arguments that a model
// wrapped, flattened or encoded in the wrong way. It also knows what model
// providers refuse in a parameter schema.
//
// It does not know whose schema it is. Whether a schema is trusted enough to
// refuse a call, or only to choose between two readings of the arguments, is
// the caller's decision.
//
// Nothing is ever fetched: a reference that leaves the document is an error
// that names it. Drafts 4, 6, 7, 2019-09 and 2020-12 are read as "$schema"
// says, and without one as the newest draft under which the schema is valid.
// "format" is a note to the reader and is never enforced, a "pattern" that
// needs more than RE2 has is not either, and "nullable": true beside a "type"
// admits null.
package schema
