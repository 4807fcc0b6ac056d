//go:build unix && !linux

package exec

func probe(string) string { return "no such probe" }
