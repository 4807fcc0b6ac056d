package exec

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// anyWords at the end of a pattern stands for any further words, or none.
const anyWords = "*"

// Pattern is one entry of the allow-list: words that the words of a simple
// command must equal, one by one. In all but the first, a * stands for anything
// within the word, nothing too; the last word * stands for any further words.
type Pattern struct {
	text  string
	words []string
	open  bool // ends in anyWords, which isn't among words
}

// ParsePattern reads an entry. Its error says what is wrong, after the entry.
func ParsePattern(text string) (Pattern, error) {
	p := Pattern{text: text, words: strings.Fields(text)}
	switch {
	case len(p.words) == 0:
		return p, errors.New("is empty")
	case strings.Contains(p.words[0], "*"):
		return p, errors.New("has a * in the program's name, and would allow any program")
	case odd(text) != "":
		return p, fmt.Errorf("holds %s", odd(text))
	case strings.ContainsAny(text, "\\'\"`$|&;<>(){}"):
		return p, errors.New("holds a character of the shell; words are written without quotes, and a * matches one that has spaces")
	case neverListed(p.words[0]):
		return p, errors.New("names a part of the shell's language, which is never run by the allow-list")
	}
	if last := len(p.words) - 1; last > 0 && p.words[last] == anyWords {
		p.words, p.open = p.words[:last], true
	}
	return p, nil
}

// String is the entry as it was written.
func (p Pattern) String() string { return p.text }

// Match reports whether the entry holds a simple command. A word that only a *
// matches is refused when it is an option by which the program is known to run
// another one or to write a file.
func (p Pattern) Match(words []string) bool {
	if len(words) < len(p.words) || len(words) > len(p.words) && !p.open || len(words) == 0 || words[0] != p.words[0] {
		return false
	}
	for i, w := range words {
		wild := i >= len(p.words)
		if !wild {
			if !fits(p.words[i], w) {
				return false
			}
			wild = i > 0 && strings.Contains(p.words[i], "*") && p.words[i] != w
		}
		if wild && (reaches(words[0], w) || i == 1 && optionsFirst(words[0], w)) {
			return false
		}
	}
	return true
}

// Warning says why an entry allows more than it seems to; empty when it doesn't.
func (p Pattern) Warning() string {
	name := path.Base(p.words[0])
	loose := p.open || slices.ContainsFunc(p.words[1:], func(w string) bool { return strings.Contains(w, "*") })
	if !loose {
		return ""
	}
	if runs(name) {
		return fmt.Sprintf("allows every command: %s runs other programs, or code that it is given", name)
	}
	if optionsFirst(name, "-") && len(p.words) == 1 {
		return fmt.Sprintf("allows nearly every command: what %s does is in its next word, and some of those run others; write that word out", name)
	}
	return ""
}

// fits matches one word, in which case matters: -r and -R are two options.
func fits(pattern, word string) bool {
	head, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == word
	}
	if !strings.HasPrefix(word, head) {
		return false
	}
	word = word[len(head):]
	parts := strings.Split(rest, "*")
	last := parts[len(parts)-1]
	for _, part := range parts[:len(parts)-1] {
		at := strings.Index(word, part)
		if at < 0 {
			return false
		}
		word = word[at+len(part):]
	}
	return strings.HasSuffix(word, last)
}
