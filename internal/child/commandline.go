package child

import (
	"os"
	"strings"
)

// CommandWord is a command as it may be shown. A whole line that stands in the
// place of a command (its words, unlike arguments, would show in errors, and some
// may be secrets) is cut behind its first word; line is true for such a one. A
// command with spaces that is a file is shown as it is.
func CommandWord(command string) (word string, line bool) {
	words := strings.Fields(command)
	if len(words) < 2 {
		return command, false
	}
	if _, err := os.Stat(command); err == nil {
		return command, false
	}
	return words[0], true
}
