// Package agent owns the loop between a caller, a model and tools: it asks the
// model, runs what the model calls, and asks again, until the model has nothing
// more to run, the caller has to run something, or a budget is used up.
//
// What the caller has to run is handed to it under ids of ours, and the run is
// kept under them until the results come. The history that the caller then
// sends holds what it saw; what truly happened is put into its place.
//
// The package knows a Toolbox and nothing of modes, sources, policy or how a
// tool is run; a model.Dialect and no protocol; a model.Provider and no HTTP.
package agent
