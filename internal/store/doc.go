// Package store owns the words of what outlives a process beside sessions,
// approvals and tokens: where it is kept, what was pinned of servers' tools, and
// results kept for reading on.
//
// It doesn't know how anything is kept: internal/store/sqlite and
// internal/store/memory do, and internal/store/storetest says what both keep to.
package store
