// Package catalog owns the plan of a run: which tools one caller may reach,
// which of them stand behind search, which are always visible, and which
// servers could not be asked. A Catalog is plain, immutable data.
//
// It is told by a Decider what policy says and knows no rule itself. It knows
// nothing of searching, modes, models or of how a tool is run.
package catalog
