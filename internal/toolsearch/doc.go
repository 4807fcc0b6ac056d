// Package toolsearch owns the surface that a model sees: the modes, the choice
// between them, the controls tool_search, tool_describe and tool_call, and the
// texts and bounds of everything they answer.
//
// It runs tools through a Caller that it is given and doesn't know how they are
// run; it knows no transport and nothing of policy but what a catalog shows.
package toolsearch
