package toolsearch

import (
	"context"
	"encoding/json"

	"github.com/toolcrib/toolcrib"
)

// Detail is all that a model may know of one tool.
type Detail struct {
	Hit
	Annotations   *toolcrib.Annotations  `json:"annotations,omitempty"`
	CatalogMode   toolcrib.CatalogMode   `json:"catalogMode,omitempty"`
	ExecutionMode toolcrib.ExecutionMode `json:"executionMode,omitempty"`
	OwnerOnly     bool                   `json:"ownerOnly,omitempty"`
	// Parameters is the exact schema of the arguments, never cut.
	Parameters json.RawMessage `json:"parameters"`
	// OutputSchema is that of the structured result of a core or plugin tool.
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
}

// Describe tells all of the tool that ref, an id or a unique name, means. The
// error says what to try, in the words of the surface's mode. callID is for the
// record.
func (s *Surface) Describe(ctx context.Context, scope toolcrib.Scope, callID, ref string) (Detail, error) {
	start := s.opt.Now()
	event := toolcrib.Event{Kind: toolcrib.EventDescribe, Scope: scope, CallID: callID}
	t, err := s.opt.Catalog.Resolve(ref)
	if err == nil && ctx.Err() != nil {
		err = toolcrib.NewError(toolcrib.KindCanceled, "the caller went away", "").WithCause(ctx.Err())
	}
	if err != nil {
		err = s.advise(err, ref)
		s.record(event, start, err)
		return Detail{}, err
	}
	event.Tool, event.Source = t.ID, t.Source
	s.record(event, start, nil)
	return newDetail(t, s.hit(t, 0)), nil
}

func newDetail(t *toolcrib.Tool, h Hit) Detail {
	d := Detail{
		Hit: h, CatalogMode: t.CatalogMode, ExecutionMode: t.ExecutionMode, OwnerOnly: t.OwnerOnly,
		Parameters: t.Parameters,
	}
	d.Description = foreign(t, t.Description)
	if !t.Annotations.IsZero() {
		annotations := t.Annotations
		annotations.Title = foreign(t, annotations.Title)
		d.Annotations = &annotations
	}
	if len(d.Parameters) == 0 || !json.Valid(d.Parameters) {
		d.Parameters = json.RawMessage(`{"type":"object"}`)
	}
	if t.TrustsOutput() && json.Valid(t.OutputSchema) {
		d.OutputSchema = t.OutputSchema
	}
	return d
}

// describe is the control.
func (s *Surface) describe(ctx context.Context, r CallRequest) Reply {
	ref, _, err := readRef(DescribeControl, describeFields, r.Args)
	if err != nil {
		s.record(toolcrib.Event{Kind: toolcrib.EventDescribe, Scope: r.Scope, CallID: r.CallID}, s.opt.Now(), err)
		return failure(err)
	}
	d, err := s.Describe(ctx, r.Scope, r.CallID, ref)
	if err != nil {
		return failure(err)
	}
	return Reply{Text: string(encoded(d))}
}

// readRef reads an input that names a tool.
func readRef(control string, fields []field, raw json.RawMessage) (string, input, error) {
	var bare string
	if json.Unmarshal(raw, &bare) == nil && bare != "" && bare[0] != '{' && len(fields) == 1 {
		return bare, input{}, nil
	}
	in, err := readInput(control, fields, raw)
	if err != nil {
		return "", in, err
	}
	ref, err := in.text(control, "id")
	if err == nil && ref == "" {
		err = badInput(control, "id is missing: it names no tool", "give the id of a hit of "+SearchControl)
	}
	return ref, in, err
}
