package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// MaxProblems is how many problems Validate lists, the last of which may say
// how many more there are.
const MaxProblems = 8

// ProblemKind sorts problems by what has to be done about them.
type ProblemKind string

// The kinds, in the order in which they are listed.
const (
	// Missing: a required property is not there.
	Missing ProblemKind = "missing"
	// Misspelt: a property is unknown, and one that is known looks much like it.
	Misspelt ProblemKind = "misspelt"
	// Forbidden: a property is unknown, or not allowed.
	Forbidden ProblemKind = "forbidden"
	// Mistyped: the value has another type than the schema wants.
	Mistyped ProblemKind = "mistyped"
	// Other: everything else; the message says it.
	Other ProblemKind = "other"
)

// Problem is one thing that is wrong with a value.
type Problem struct {
	// Path is a JSON pointer to the value; "" is the whole.
	Path string      `json:"path"`
	Kind ProblemKind `json:"kind"`
	// Message is a clause for a model or a person. Values in it are cut to 60 characters.
	Message string `json:"message"`
	// Suggestion is the name or value that was probably meant; may be empty.
	Suggestion string `json:"suggestion,omitempty"`
}

// Validate returns what is wrong with value, nothing when it fits the schema.
// No value at all counts as null.
func (s *Schema) Validate(value json.RawMessage) []Problem {
	value = bytes.TrimSpace(value)
	if len(value) == 0 {
		value = json.RawMessage("null")
	}
	doc, err := decode(value)
	if err != nil {
		return []Problem{{Kind: Other, Message: "the value can't be read: " + err.Error()}}
	}
	return s.problems(doc)
}

// Sentence joins problems into one line.
func Sentence(problems []Problem) string {
	clauses := make([]string, len(problems))
	for i, p := range problems {
		clauses[i] = p.Message
	}
	return strings.Join(clauses, "; ")
}

// tidy sorts problems, drops doubles and cuts the list to MaxProblems.
func tidy(problems []Problem) []Problem {
	order := []ProblemKind{Missing, Misspelt, Forbidden, Mistyped, Other}
	slices.SortFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind)),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	problems = slices.Compact(problems)
	if more := len(problems) - MaxProblems + 1; more > 1 {
		problems = append(problems[:MaxProblems-1], Problem{Kind: Other, Message: fmt.Sprintf("and %d more problems", more)})
	}
	return problems
}
