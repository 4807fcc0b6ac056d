package mcp

import (
	"regexp"
	"slices"
)

// Lines of stderr that are no use as a reason: frames of a stack, npm's pointer to its log.
var (
	stackFrame = regexp.MustCompile(`^\s*(at |File "|- /|\^+\s*$|node:)|complete log of this run`)
	complaint  = regexp.MustCompile(`(?i)error|exception|panic|fatal|fail|cannot|can't|could not|unable|unknown|not found|no such|not permitted|denied|refused|invalid|missing|required|unauthorized`)
	wordy      = regexp.MustCompile(`\pL{3}`)
)

// telling returns the line that says best why a process ended: the newest that
// complains of something, else the newest with a word in it.
func telling(lines []string) string {
	for _, fits := range []func(string) bool{complaint.MatchString, wordy.MatchString} {
		for _, line := range slices.Backward(lines) {
			if fits(line) && !stackFrame.MatchString(line) {
				return line
			}
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}

// A folder in which npx keeps one package, and what Node says of an incomplete one.
var (
	npxFolder = regexp.MustCompile(`/[^'":\s]*/_npx/[0-9a-f]{8,64}`)
	noModule  = regexp.MustCompile(`Cannot find (module|package)|ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND`)
)

// incomplete says what to do about a package whose download by npx was cut off:
// npx takes what is there for whole, and fails for ever. It is "" for any other
// trouble.
func incomplete(lines []string) string {
	if !slices.ContainsFunc(lines, noModule.MatchString) {
		return ""
	}
	for _, line := range lines {
		if folder := npxFolder.FindString(line); folder != "" {
			return "npx has an incomplete copy of it, as a download leaves that was cut off; delete " + folder + " and start it again"
		}
	}
	return ""
}
