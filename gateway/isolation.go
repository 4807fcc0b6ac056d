package gateway

import (
	"context"

	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
)

// Isolation is what this machine can do to hold a model's code.
type Isolation struct {
	// Pieces are the parts of the operating system's fence, in the order in which
	// a child goes through them.
	Pieces []IsolationPiece `json:"pieces"`
	// Runtimes are those that tools.toolSearch.codeRuntime can name.
	Runtimes []CodeRuntime `json:"runtimes"`
}

// IsolationPiece is one part of the fence. Detail is a sentence for a person.
type IsolationPiece struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// CodeRuntime says whether a runtime can be had here, behind the operating
// system's fence; Reason says why not.
type CodeRuntime struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Reason string `json:"reason,omitempty"`
}

// Isolation looks at what this machine can isolate: it asks the kernel, and
// starts a confined child of each runtime. Node is looked for in the folders of
// path, in the form of the variable PATH.
func (s Sandbox) Isolation(ctx context.Context, path string) Isolation {
	var i Isolation
	for _, p := range fence.Probe().Pieces {
		i.Pieces = append(i.Pieces, IsolationPiece(p))
	}
	for _, name := range []string{"embedded", "node"} {
		r := CodeRuntime{Name: name, OK: true}
		if runtime, err := s.start(ctx, wantedRuntime{name: name}, path); err != nil {
			r.OK, r.Reason = false, err.Error()
		} else if err := runtime.Close(); err != nil {
			r.OK, r.Reason = false, "it started, and did not end: "+err.Error()
		}
		i.Runtimes = append(i.Runtimes, r)
	}
	return i
}
