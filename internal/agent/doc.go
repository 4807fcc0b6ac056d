// Package agent owns the loop between a caller, a model and tools: it asks the
// model, runs what the model calls, and asks again, until the model has nothing
// more to run, the caller has to run something, or a budget is used up.
//
// What the caller has to run is handed to it under ids of ours, and the run is
// kept under them until the results come. The history that the caller then
// sends holds what it saw; what truly happened is put into its place.
//
// # What the next request to the model holds
//
// The caller's messages, in its order, of which those change that have an id of
// ours (model.IsOurs) which the Store knows and this caller was given:
//
//   - Where the first of them stands, be it the call or its result, stands what
//     truly happened in that segment of the run: what the model said, to the byte, under
//     the provider's ids, and the result of each of its calls right behind it.
//     All others of the same segment go. So whatever the caller cut, doubled or moved, every
//     call has its one result.
//   - The result of one of the caller's own tools (Answer.Own) is the message that the
//     caller sends now, under the provider's id: what it prunes later is pruned. If it
//     isn't there, the model is told so.
//   - The result of a call of ours that went on by Resume is what came of that, once;
//     a result that comes again, or another one for it, does nothing.
//   - Ids that nobody knows any more, or that were another caller's, pass as they came:
//     the caller's own history is consistent in itself.
//
// Then come the steps of this request. Which run it goes on with, Agent.Begin says.
// Runs that are over stay in the Store until its bounds are reached, so that the
// begin of a long conversation stays the same bytes for a provider's cache.
//
// The package knows a Toolbox and nothing of modes, sources, policy or how a
// tool is run; a model.Dialect and no protocol; a model.Provider and no HTTP.
package agent
