package config

import "slices"

// Values are the words that the key at path takes: those of its fixed set, true
// and false. It is nil for a key that takes others alone, and for none.
func Values(path string) []string {
	s, _ := specAt(path)
	if s == nil {
		return nil
	}
	words := slices.Clone(s.Enum)
	if s.Type&Bool != 0 && !s.SecretNames {
		words = append(words, "true", "false")
	}
	return words
}

// SecretPath reports whether the key at path holds a secret by its nature or its name.
func SecretPath(path string) bool {
	s, key := specAt(path)
	return s != nil && hidden(s, key)
}

// specAt is the row of the table for a path, with the last key; nil for no key.
func specAt(path string) (*spec, string) {
	keys, err := splitPath(path)
	if err != nil {
		return nil, ""
	}
	s, last := rootSpec(), ""
	for _, name := range keys {
		if s.Type&List != 0 {
			s = s.item
			continue
		}
		if last, s = (&overlay{}).match(&value{}, s, name, LayerFlag); s == nil {
			return nil, ""
		}
	}
	return s, last
}
