package toolsearch

import (
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/signature"
)

// Bounds of a hit's texts, in characters.
const (
	maxHitDescription = 300
	maxHitLabel       = 100
)

// Hit is what a search tells of one tool, safe to put into a prompt.
type Hit struct {
	ID          string          `json:"id"`
	Source      toolcrib.Source `json:"source"`
	Owner       string          `json:"owner"`
	Name        string          `json:"name"`
	Label       string          `json:"label,omitempty"`
	Description string          `json:"description"`
	// Input is a bounded signature of the arguments, "unknown" for a tool whose
	// schema somebody else wrote.
	Input string `json:"input"`
	// Output is a bounded signature of the structured result; "" when it can't be promised.
	Output string `json:"output,omitempty"`
	// Call names the control that runs the tool, where there are several; "" where
	// there is one.
	Call string `json:"call,omitempty"`
	// Score is the engine's; it orders hits of one search and means nothing else.
	Score float64 `json:"-"`
}

// NewHit describes a tool as a search does.
func NewHit(t *toolcrib.Tool, score float64) Hit {
	h := Hit{
		ID: t.ID, Source: t.Source, Owner: t.Owner, Name: t.Name,
		Label: fold(foreign(t, head(t.Label, maxHitLabel)), maxHitLabel), Description: fold(foreign(t, head(t.Description, maxHitDescription)), maxHitDescription),
		Input: "unknown", Score: score,
	}
	if t.TrustsInput() {
		h.Input = inputSignature(t)
	}
	if t.TrustsOutput() && len(t.OutputSchema) > 0 {
		if sig, ok := signature.OfOutput(t.OutputSchema); ok {
			h.Output = sig
		}
	}
	return h
}

// hit is NewHit, made once for each tool: signatures take their time.
func (s *Surface) hit(t *toolcrib.Tool, score float64) Hit {
	known, ok := s.hits.Load(t)
	if !ok {
		h := NewHit(t, 0)
		if s.opt.Split {
			h.Call = s.callControl(t)
		}
		known, _ = s.hits.LoadOrStore(t, h)
	}
	h, _ := known.(Hit)
	h.Score = score
	return h
}

// inputSignature is that of a trusted tool. One without a schema takes nothing that is known.
func inputSignature(t *toolcrib.Tool) string {
	if len(t.Parameters) == 0 {
		return "{ ... }"
	}
	return signature.Of(t.Parameters)
}

// foreign makes a tool's text safe when somebody else wrote it.
func foreign(t *toolcrib.Tool, s string) string {
	if t.TrustsOutput() {
		return s
	}
	return safe(s)
}
