package modelmock

import (
	"encoding/json"
	"strings"
)

// content is text as protocols have it: a string, one part, or a list of parts
// of which those with text count, however deep they stand.
type content string

func (c *content) UnmarshalJSON(data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*c = content(strings.Join(texts(v), "\n"))
	return nil
}

func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, part := range v {
			all = append(all, texts(part)...)
		}
		return all
	case map[string]any:
		for _, key := range []string{"text", "parts", "content", "output", "error"} {
			if inner, ok := v[key]; ok {
				return texts(inner)
			}
		}
	}
	return nil
}

// paragraphs joins texts that aren't empty.
func paragraphs(all ...string) string {
	var some []string
	for _, text := range all {
		if text != "" {
			some = append(some, text)
		}
	}
	return strings.Join(some, "\n\n")
}
