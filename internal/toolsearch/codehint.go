package toolsearch

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/toolcrib/toolcrib/internal/sandbox"
)

// wantsBody says what code is.
const wantsBody = "code is the body of an async JavaScript function: statements, await, and return VALUE at the end; no imports, no TypeScript types, no shell"

// codeError words a failure for the author of the code.
func codeError(f *sandbox.Failure, steps []CodeStep) *CodeError {
	var data hostData
	if len(f.Data) > 0 {
		_ = json.Unmarshal(f.Data, &data)
	}
	e := &CodeError{
		Kind: codeKind(f), Message: boundText(f.Message, maxMessage), Tool: fold(safe(data.Tool), maxTarget),
		Line: f.Line, Column: f.Column, Excerpt: boundText(f.Excerpt, maxExcerpt),
	}
	if f.Kind == "input" && data.Function != callFunction {
		e.Kind = CodeRuntime
	}
	var hints []string
	if h := failureHint(f, e.Kind); h != "" {
		hints = append(hints, h)
	}
	for _, step := range steps {
		if step.OK && step.Function == "call" {
			hints = append(hints, "calls lists what already ran: don't repeat its effects")
			break
		}
	}
	e.Hint = strings.Join(hints, "; ")
	return e
}

// maxExcerpt bounds the line of code in an error, in bytes of JSON.
const maxExcerpt = 200

// failureHint says what to try, where the sandbox, which words the failure,
// can't know it.
func failureHint(f *sandbox.Failure, kind CodeKind) string {
	switch {
	case kind == CodeSyntax && !strings.Contains(f.Message, "async"):
		return wantsBody
	case kind == CodeRuntime && strings.Contains(f.Message, "not a function"):
		return "openclaw.tools has search(query, {limit}?), describe(id) and call(id, args); each returns a promise: await it"
	case kind == CodeTimeout && f.Limit != "":
		return "run independent calls at once with Promise.all, and split what takes long"
	}
	return ""
}

// codeHint says what could be done better in code that went well; "" for nothing.
func (s *Surface) codeHint(code string, r CodeResult, seen notice) string {
	var hints []string
	if string(r.Value) == "null" {
		hints = append(hints, nothingReturned(code, len(r.Logs) > 0)...)
	}
	if len(seen.failed) > 0 {
		hints = append(hints, listed(seen.failed, 200)+" reported a failure: look at result.isError and result.content")
	}
	if len(seen.natives) > 0 {
		hints = append(hints, listed(seen.natives, 200)+" sent blocks that are no text: they are whole in result.content inside of code, and reach you only as what you return")
	}
	if len(seen.empty) > 0 && len(seen.empty) == r.Telemetry.Searches {
		hints = append(hints, fmt.Sprintf("nothing fits %s: try other or fewer words (an action and a thing)%s", quoted(seen.empty[0]), s.ownersHint()))
	}
	return strings.Join(hints, "; ")
}

var (
	returns       = regexp.MustCompile(`\breturn\b`)
	wholeFunction = regexp.MustCompile(`^\(?\s*(async\s+)?(function\b|\([^)]*\)\s*=>|\w+\s*=>)`)
)

// nothingReturned explains a body that returned nothing, where its text shows why.
func nothingReturned(code string, logged bool) []string {
	trimmed := strings.TrimSpace(code)
	switch {
	case wholeFunction.MatchString(trimmed):
		return []string{"nothing was returned: the code is a function inside of the body; send what stands between its braces"}
	case !returns.MatchString(code) && logged:
		return []string{"nothing was returned: end the code with return VALUE; what was logged is in logs, which is short"}
	case !returns.MatchString(code):
		return []string{"nothing was returned: end the code with return VALUE"}
	}
	return nil
}
