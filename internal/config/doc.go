// Package config makes one validated Config out of the defaults, a JSON5 file,
// the environment and the flags, in that order of strength.
//
// It owns the table of keys (keys.go), from which come validation, suggestions,
// the JSON Schema and docs/config.md; it owns the paths of the configuration,
// state and cache folders; it knows which values are secrets, and keeps them out
// of every error, warning, dump and print. It reads nothing of the process by
// itself: environment, home folder and files enter through Options.
//
// It doesn't know what the values do: the gateway translates them for the parts
// that do.
package config
