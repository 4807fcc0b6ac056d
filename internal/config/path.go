package config

import (
	"errors"
	"strconv"
	"strings"
)

// splitPath takes a path apart: keys with dots between them, a key of other
// characters as ["key"], an item of a list as [0].
func splitPath(path string) ([]string, error) {
	var keys []string
	for rest := path; rest != ""; {
		if !strings.HasPrefix(rest, "[") {
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			if end == 0 {
				return nil, errors.New("is not a path of keys: two dots stand together")
			}
			keys = append(keys, rest[:end])
			rest = rest[end:]
		} else {
			key, after, err := bracket(rest)
			if err != nil {
				return nil, err
			}
			keys, rest = append(keys, key), after
		}
		if after, ok := strings.CutPrefix(rest, "."); ok {
			if after == "" {
				return nil, errors.New("is not a path of keys: it ends with a dot")
			}
			rest = after
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("is not a path of keys: it is empty")
	}
	return keys, nil
}

// cutPair cuts PATH=VALUE at the first "=" that is not inside of ["key"].
func cutPair(pair string) (path, text string, ok bool) {
	for i := 0; i < len(pair); i++ {
		switch {
		case pair[i] == '=':
			return pair[:i], pair[i+1:], true
		case strings.HasPrefix(pair[i:], `["`):
			if quoted, err := strconv.QuotedPrefix(pair[i+1:]); err == nil {
				i += len(quoted)
			}
		}
	}
	return pair, "", false
}

// bracket reads ["key"] or [0] at the start of s.
func bracket(s string) (key, rest string, err error) {
	broken := errors.New(`is not a path of keys: a "[" is not closed`)
	if !strings.HasPrefix(s, `["`) {
		key, rest, ok := strings.Cut(s[1:], "]")
		if !ok || key == "" {
			return "", "", broken
		}
		return key, rest, nil
	}
	quoted, err := strconv.QuotedPrefix(s[1:])
	if err != nil {
		return "", "", broken
	}
	key, err = strconv.Unquote(quoted)
	rest, ok := strings.CutPrefix(s[1+len(quoted):], "]")
	if err != nil || !ok {
		return "", "", broken
	}
	return key, rest, nil
}
