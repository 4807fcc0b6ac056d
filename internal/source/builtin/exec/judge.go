package exec

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Ask says when a person is asked before a line runs.
type Ask string

// The values of Ask.
const (
	// AskOnMiss asks about lines that the allow-list doesn't hold.
	AskOnMiss Ask = "on-miss"
	// AskAlways asks about every line.
	AskAlways Ask = "always"
	// AskOff asks nobody: a line that the allow-list doesn't hold is refused.
	AskOff Ask = "off"
)

// Verdict is what the allow-list says of a call.
type Verdict struct {
	// Allowed says that each simple command of the line is on the list.
	Allowed bool
	// Lines are the words that run when it is; nil for a miss.
	Lines []Pipeline
	// Reason says why the line is a miss.
	Reason string
	// Entries are those that would put a missed line on the list; nil when no
	// entries can.
	Entries []string
	// Command is the line, and Cwd the folder in which it would run.
	Command, Cwd string
}

// Judge holds the arguments of a call against an allow-list. It looks at nothing
// but its arguments. Arguments that can't be read are a miss.
func Judge(allow []Pattern, args json.RawMessage) Verdict {
	var in input
	if err := json.Unmarshal(args, &in); err != nil {
		return Verdict{Reason: "its arguments can't be read"}
	}
	v := Verdict{Command: in.Command, Cwd: in.Cwd}
	lines, err := parse(in.Command)
	if err != nil {
		v.Reason = err.Error()
		return v
	}
	if v.Reason, v.Entries = unlisted(allow, lines, in.Cwd); v.Reason == "" {
		v.Allowed, v.Lines = true, lines
	}
	return v
}

// unlisted says why a line of simple commands is a miss, and what would put all of
// it on the list; the reason is empty when it is there.
func unlisted(allow []Pattern, lines []Pipeline, cwd string) (reason string, entries []string) {
	writable := true
	for _, l := range lines {
		for _, c := range l.Commands {
			if err := fixed(c.Words[0], cwd); err != nil {
				return err.Error(), nil
			}
			if listed(allow, c.Words) {
				continue
			}
			if reason == "" {
				reason = fmt.Sprintf("%q is not on the allow-list", strings.Join(c.Words, " "))
			}
			text, ok := entry(c.Words)
			entries, writable = append(entries, text), writable && ok
		}
	}
	if !writable {
		entries = nil
	}
	return reason, entries
}

func listed(allow []Pattern, words []string) bool {
	for _, p := range allow {
		if p.Match(words) {
			return true
		}
	}
	return false
}

// fixed refuses a program whose file depends on the folder that the caller chose.
func fixed(program, cwd string) error {
	if strings.Contains(program, "/") && !path.IsAbs(program) && cwd != "" && path.Clean(cwd) != "." {
		return errors.New("it runs a program of a folder, and chooses that folder")
	}
	return nil
}

// entry is a command as an entry of the list; without a way to write it as one, ok
// is false.
func entry(words []string) (text string, ok bool) {
	text = strings.Join(words, " ")
	p, err := ParsePattern(text)
	return text, err == nil && !p.open && !strings.Contains(text, "*") && slices.Equal(p.words, words)
}
