package schema

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxExponent is the largest power of ten in a number; beyond it numbers cost
// more to compare than they are worth.
const maxExponent = 400

// problems returns what is wrong with a decoded value.
func (s *Schema) problems(doc any) []Problem {
	if number := oversized(doc); number != "" {
		return []Problem{{Kind: Other, Message: "the number " + cut(number, maxShown) + " is out of range"}}
	}
	err := s.meter.run(s.root, doc)
	if err == nil {
		return nil
	}
	var faults *jsonschema.ValidationError
	if !errors.As(err, &faults) {
		return []Problem{{Kind: Other, Message: err.Error()}}
	}
	return tidy((&explainer{schema: s.root, value: doc}).explain(faults))
}

// oversized returns a number in doc whose exponent is out of range, "" if none.
func oversized(doc any) string {
	switch doc := doc.(type) {
	case json.Number:
		_, exponent, ok := strings.Cut(strings.ToLower(doc.String()), "e")
		if n, err := strconv.Atoi(exponent); ok && (err != nil || n > maxExponent || n < -maxExponent) {
			return doc.String()
		}
	case []any:
		for _, v := range doc {
			if number := oversized(v); number != "" {
				return number
			}
		}
	case map[string]any:
		for _, v := range doc {
			if number := oversized(v); number != "" {
				return number
			}
		}
	}
	return ""
}
