// Package sqlite keeps what outlives a process in one SQLite file: events of
// sessions, grants, tokens, pins and kept results. Several processes may use it
// at once. What a method returned nil for is there after the process was killed;
// a power cut may take the last moments, and leaves the file whole.
//
// It doesn't know what the kept things mean: their words are those of
// internal/session, internal/approval, internal/token and internal/store.
package sqlite
