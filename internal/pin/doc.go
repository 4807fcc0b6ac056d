// Package pin owns the eye that is kept on tools which somebody else wrote: the
// form in which a tool was seen and its hash, what is different between two forms,
// what is suspicious in one, and which form of a tool is served.
//
// It is pure. It doesn't know where pins are kept, who reviews them, or what a
// server is beside its name.
package pin
