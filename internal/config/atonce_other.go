//go:build !unix

package config

// atOnce is nothing where pipes don't stand among the files.
const atOnce = 0
