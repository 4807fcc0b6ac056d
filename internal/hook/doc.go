// Package hook owns what an operator puts around each call of a tool: programs,
// webhooks and Go functions that see a call before it runs or its result after
// it did, and may change it, stop it, or want a person asked.
//
// Whatever a hook does that isn't a clear answer, such as failing, being slow or
// printing nonsense, is a no: the call doesn't run, or its result is withheld.
//
// The package doesn't know policy, storage, or who runs the tool. Which tools a
// pattern means it is told by a function.
package hook
