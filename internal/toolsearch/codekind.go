package toolsearch

import (
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/sandbox"
)

// CodeKind sorts the failures of code by what its author can do about them.
type CodeKind string

// The kinds.
const (
	CodeSyntax   CodeKind = "syntax"   // it is not JavaScript; nothing ran
	CodeRuntime  CodeKind = "runtime"  // it threw
	CodeTimeout  CodeKind = "timeout"  // its time, or a tool's, ran out
	CodeLimit    CodeKind = "limit"    // it hit a bound
	CodeBlocked  CodeKind = "blocked"  // policy, a hook or an approval said no
	CodeTool     CodeKind = "tool"     // a call failed, and the code did not catch it
	CodeInternal CodeKind = "internal" // a fault of toolcrib's own
)

// codeKinds is the table from the kinds of an uncaught error to those of code.
// Inside of code an error's kind is the finer one, on the left. A wrong input is
// the tool's matter in a call and the code's own in search and describe.
var codeKinds = map[toolcrib.Kind]CodeKind{
	toolcrib.KindInput:        CodeTool,
	toolcrib.KindNotFound:     CodeTool,
	toolcrib.KindAmbiguous:    CodeTool,
	toolcrib.KindUnavailable:  CodeTool,
	toolcrib.KindTool:         CodeTool,
	toolcrib.KindOutput:       CodeTool,
	toolcrib.KindBlocked:      CodeBlocked,
	toolcrib.KindUnauthorized: CodeBlocked,
	toolcrib.KindTimeout:      CodeTimeout,
	toolcrib.KindCanceled:     CodeTimeout,
	toolcrib.KindLimit:        CodeLimit,
	toolcrib.KindConfig:       CodeInternal,
	toolcrib.KindInternal:     CodeInternal,
}

// codeKind returns the kind of a failure. A word that code threw by itself is
// no kind of ours: it is CodeRuntime then.
func codeKind(f *sandbox.Failure) CodeKind {
	switch f.Kind {
	case sandbox.KindSyntax:
		return CodeSyntax
	case sandbox.KindRuntime:
		return CodeRuntime
	}
	if k, ok := codeKinds[toolcrib.Kind(f.Kind)]; ok {
		return k
	}
	return CodeRuntime
}

// Sort returns the kind of error that it is to a person who ran the code.
func (k CodeKind) Sort() toolcrib.Kind {
	switch k {
	case CodeSyntax:
		return toolcrib.KindInput
	case CodeTimeout:
		return toolcrib.KindTimeout
	case CodeLimit:
		return toolcrib.KindLimit
	case CodeBlocked:
		return toolcrib.KindBlocked
	case CodeInternal:
		return toolcrib.KindInternal
	}
	return toolcrib.KindTool
}
