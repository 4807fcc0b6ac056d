package toolsearch

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// readCode reads the input of the code control. A string in place of the object
// is the code itself, a fence of Markdown around it is taken off, and code that
// was encoded twice is decoded.
func readCode(raw json.RawMessage) (string, *CodeError) {
	var bare string
	if json.Unmarshal(raw, &bare) == nil && !holdsCode(bare) {
		return ready(bare)
	}
	in, err := readInput(CodeControl, codeFields, raw)
	if err != nil {
		return "", &CodeError{Kind: CodeSyntax, Message: CodeControl + " takes an object with the string code", Hint: wantsBody}
	}
	code, err := in.text(CodeControl, "code")
	if err != nil {
		return "", &CodeError{Kind: CodeSyntax, Message: "code must be a string, not " + kindName(in.values["code"]), Hint: wantsBody}
	}
	if code == "" && len(in.beside) > 0 {
		return "", &CodeError{
			Kind: CodeSyntax, Message: fmt.Sprintf("code is missing; %s is not read", clipText(slices.Sorted(maps.Keys(in.beside))[0], 40)), Hint: wantsBody,
		}
	}
	if holdsCode(code) {
		var inner struct{ Code string }
		if json.Unmarshal([]byte(code), &inner) == nil {
			code = inner.Code
		}
	}
	return ready(code)
}

// holdsCode reports whether a text is the JSON of an input, encoded once too often.
func holdsCode(text string) bool {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return false
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &object) != nil {
		return false
	}
	_, ok := object["code"]
	return ok
}

// ready takes a fence off and refuses code that is none.
func ready(code string) (string, *CodeError) {
	if trimmed := strings.TrimSpace(code); strings.HasPrefix(trimmed, "```") && strings.HasSuffix(trimmed, "```") && len(trimmed) > 6 {
		_, body, ok := strings.Cut(strings.TrimSuffix(trimmed, "```"), "\n")
		if ok {
			code = body
		}
	}
	if strings.TrimSpace(code) == "" {
		return "", &CodeError{Kind: CodeSyntax, Message: "code is empty", Hint: wantsBody}
	}
	return code, nil
}

// searchArgs reads search(query, {limit}?). An object with the query, and a bare
// number for the limit, will do too.
func searchArgs(args []json.RawMessage) (Query, error) {
	first, second := nth(args, 0), nth(args, 1)
	raw := first
	if kindName(first) != "an object" {
		raw = encoded(struct {
			Query json.RawMessage `json:"query"`
		}{orNull(first)})
	}
	in, err := readInput("search", queryFields, raw)
	if err != nil {
		return Query{}, err
	}
	q := Query{}
	if q.Text, err = in.text("search", "query"); err != nil {
		return q, badInput("search", "the query must be a string, not "+kindName(in.values["query"]), "run several searches with Promise.all")
	}
	options := second
	if kindName(second) == "a number" || kindName(second) == "a string" {
		options = encoded(struct {
			Limit json.RawMessage `json:"limit"`
		}{second})
	}
	more, err := readInput("search", queryFields[1:], options)
	if err != nil {
		return q, badInput("search", "what follows the query must be an object, not "+kindName(second), "write {limit: 5}, or leave it out")
	}
	if more.values["limit"] == nil {
		more = in
	}
	q.Limit, err = more.count("search", "limit")
	return q, err
}

// describeArg reads describe(id); a hit will do too.
func describeArg(args []json.RawMessage) (string, error) {
	in, err := refOf("describe", nth(args, 0))
	return in.ref, err
}

// called is what call(id, args) asks for.
type called struct {
	ref    string
	args   json.RawMessage
	beside map[string]json.RawMessage
}

// callArgs reads call(id, args). The input of a call in one object will do too,
// and a hit in place of its id.
func callArgs(args []json.RawMessage) (called, error) {
	in, err := refOf("call", nth(args, 0))
	if second := nth(args, 1); !isAbsent(second) {
		in.args, in.beside = second, nil
	}
	return in, err
}

// refOf reads what names a tool: its id, a hit, or an object with id and args.
func refOf(function string, raw json.RawMessage) (called, error) {
	if kindName(raw) != "an object" {
		raw = encoded(struct {
			ID json.RawMessage `json:"id"`
		}{orNull(raw)})
	}
	in, err := readInput(function, callFields, raw)
	if err != nil {
		return called{}, err
	}
	c := called{}
	if c.ref, err = in.text(function, "id"); err != nil {
		return c, badInput(function, "the id must be a string, not "+kindName(in.values["id"]), "write "+function+"(hit.id)")
	}
	if strings.TrimSpace(c.ref) == "" {
		return c, badInput(function, "the id is missing: it names no tool", "write "+function+"(hit.id) with a hit of search; look whether the search found anything")
	}
	if isHit(in.beside) {
		return c, nil
	}
	c.args, c.beside = in.values["args"], in.beside
	return c, nil
}

// isHit reports whether properties beside an id are those of a hit.
func isHit(beside map[string]json.RawMessage) bool {
	return beside["source"] != nil && beside["description"] != nil && beside["name"] != nil
}

// nth returns an argument, nil when it is absent.
func nth(args []json.RawMessage, n int) json.RawMessage {
	if n < len(args) {
		return args[n]
	}
	return nil
}

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}
