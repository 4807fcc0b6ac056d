package files

import (
	"cmp"
	"context"
	"encoding/json"
	"os"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/builtin/gofunc"
)

// Source serves the tools. It is safe for concurrent use; writes and edits run
// one at a time.
type Source struct {
	opts     Options
	changing chan struct{} // holds one token while a file changes
	source   *gofunc.Source

	fill func(f *os.File, data []byte) error // writes a new file's bytes
}

// New returns a source of the tools.
func New(opts Options) (*Source, error) {
	opts, err := opts.check()
	if err != nil {
		return nil, err
	}
	s := &Source{opts: opts, changing: make(chan struct{}, 1), fill: fill}
	tools := []gofunc.Tool{s.readTool(), s.writeTool(), s.editTool(), s.listTool(), s.findTool(), s.grepTool()}
	if s.source, err = gofunc.New(gofunc.Options{Tools: tools, Logger: opts.Logger}); err != nil {
		return nil, err
	}
	return s, nil
}

// Listings returns the one listing. It is down, and says why, for a caller whose
// agent has no workspace. Shown directly, the names are fs__read and so on.
func (s *Source) Listings(ctx context.Context, scope toolcrib.Scope) []toolcrib.Listing {
	listings := s.source.Listings(ctx, scope)
	reason := s.trouble(scope)
	for i := range listings {
		l := &listings[i]
		l.ToolPrefix = l.Owner
		if reason != "" {
			l.State, l.Reason = toolcrib.StateDown, reason
		}
	}
	return listings
}

// Execute runs a tool.
func (s *Source) Execute(ctx context.Context, call toolcrib.Call) (toolcrib.Result, error) {
	return s.source.Execute(ctx, call)
}

// trouble says why a caller has no workspace; empty when there is one.
func (s *Source) trouble(scope toolcrib.Scope) string {
	path, err := s.opts.Workspace(agentOf(scope))
	if err != nil {
		return err.Error()
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.IsDir():
		return "the workspace is no folder"
	case err == nil && guardsOf(s.opts.Protected).hold(info):
		return "the workspace is a folder of toolcrib's own"
	case err != nil && !os.IsNotExist(err):
		return "the workspace can't be used: " + reasonOf(err)
	}
	return ""
}

func agentOf(s toolcrib.Scope) string { return cmp.Or(s.Agent, toolcrib.DefaultAgent) }

// described makes a tool of a handler and its written schemas.
func described[In any](name, title, text, input, output string, f func(context.Context, toolcrib.Call, In) (toolcrib.Result, error), more ...gofunc.Option) gofunc.Tool {
	options := []gofunc.Option{
		gofunc.OwnedBy(toolcrib.SourceCore, Owner), gofunc.Titled(title), gofunc.OpenWorld(false),
		gofunc.InputSchema(json.RawMessage(input)), gofunc.OutputSchema(json.RawMessage(output)),
	}
	return gofunc.FuncCall(name, text, f, append(options, more...)...)
}

// reading marks a tool that changes nothing.
func reading() []gofunc.Option {
	return []gofunc.Option{gofunc.ReadOnly(), gofunc.Destructive(false), gofunc.Idempotent()}
}

// answer is a result with details and texts for the model; empty texts are left out.
func answer(details any, texts ...string) (toolcrib.Result, error) {
	result, err := gofunc.ResultOf(details)
	if err != nil {
		return result, err
	}
	result.Content = nil
	for _, t := range texts {
		if t != "" {
			result.Content = append(result.Content, toolcrib.Text(t))
		}
	}
	return result, nil
}
