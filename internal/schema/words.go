package schema

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxShown is how many characters of a value or name a message shows.
const maxShown = 60

// cut shortens s to n characters.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n]) + "…"
}

// quoteCut quotes s, shortened, with everything that can't be seen as escapes.
func quoteCut(s string) string { return strconv.Quote(cut(s, maxShown)) }

// shown returns a value's type and, for a scalar, the value.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean " + strconv.FormatBool(v)
	case string:
		return "string " + quoteCut(v)
	case json.Number:
		return "number " + cut(v.String(), maxShown)
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return "another value"
}

// literal writes an allowed value.
func literal(v any) string {
	if s, ok := v.(string); ok {
		return quoteCut(s)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "a value"
	}
	return cut(string(text), maxShown)
}

// literals lists allowed values, at most twenty.
func literals(values []any) string {
	const most = 20
	var texts []string
	for i, v := range values {
		if i == most {
			texts = append(texts, "and "+strconv.Itoa(len(values)-most)+" more")
			break
		}
		texts = append(texts, literal(v))
	}
	return strings.Join(texts, ", ")
}

// typeNames writes the wanted types: "a number or null".
func typeNames(types []string) string {
	var names []string
	for _, t := range types {
		switch t {
		case "null":
		case "integer", "object", "array":
			t = "an " + t
		default:
			t = "a " + t
		}
		names = append(names, t)
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
	return strings.Join(names, "")
}

// pointer writes a JSON pointer.
func pointer(path []string) string {
	var b strings.Builder
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for _, step := range path {
		b.WriteByte('/')
		b.WriteString(escape.Replace(step))
	}
	return b.String()
}

// subject names the value at path: `"limit"`, `"limit" in /filter`.
func subject(path []string) string {
	if len(path) == 0 {
		return "the value"
	}
	last := len(path) - 1
	return quoteCut(path[last]) + within(path[:last])
}

// within names the place of something in the object at path.
func within(path []string) string {
	if len(path) == 0 {
		return ""
	}
	return " in " + cut(pointer(path), maxShown)
}
