// Package telemetry owns the counters that monitoring reads: how often models
// searched, described and called, with which outcome, how long it took, and what
// they were shown. They are folded from the very events that the record of
// sessions keeps, so that the two can't disagree, and they begin at zero with the
// process.
//
// It doesn't know who records events, nor who reads the counters.
package telemetry
