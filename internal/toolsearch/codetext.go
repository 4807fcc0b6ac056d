package toolsearch

import (
	"encoding/json"
	"fmt"

	"github.com/toolcrib/toolcrib"
)

// codeDone is the JSON of code that went well.
type codeDone struct {
	OK    bool            `json:"ok"`
	Value json.RawMessage `json:"value"`
	// Truncated and ResultID are there only when the value was cut.
	Truncated bool   `json:"truncated,omitempty"`
	ResultID  string `json:"resultId,omitempty"`
	codeRest
}

// codeFailed is the JSON of code that did not.
type codeFailed struct {
	OK    bool       `json:"ok"`
	Error *CodeError `json:"error"`
	Calls []codeCall `json:"calls"`
	codeRest
}

// codeRest is what both have.
type codeRest struct {
	Hint        string        `json:"hint,omitempty"`
	Notes       []string      `json:"notes,omitempty"`
	Unavailable []Outage      `json:"unavailable,omitempty"`
	Logs        []CodeLog     `json:"logs"`
	LogsCut     bool          `json:"logsTruncated,omitempty"`
	Telemetry   CodeTelemetry `json:"telemetry"`
}

// codeCall is one line of calls.
type codeCall struct {
	ID    string `json:"id"`
	N     int    `json:"n"`
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
	MS    int64  `json:"ms"`
}

// Bounds of a code reply's lesser parts.
const (
	maxNotes    = 20
	maxNote     = 200 // bytes of JSON
	codeOutages = 600 // the same, of all outages together
)

// codeReply writes a result within the surface's bound: the value is cut, as a
// string, and the JSON around it stays whole.
func (s *Surface) codeReply(r CodeResult, scope toolcrib.Scope) Reply {
	rest := codeRest{
		Hint: boundText(r.Hint, maxHint), Unavailable: boundOutages(r.Unavailable, codeOutages),
		Logs: r.Logs, LogsCut: r.LogsCut, Telemetry: r.Telemetry,
	}
	for _, n := range r.Notes[:min(len(r.Notes), maxNotes)] {
		rest.Notes = append(rest.Notes, boundText(n, maxNote))
	}
	if r.Error != nil {
		failed := codeFailed{Error: r.Error, Calls: callsOf(r.Steps), codeRest: rest}
		failed.dropLogs(s.opt.MaxResultBytes - sizeOf(codeFailed{Error: r.Error, Calls: failed.Calls, codeRest: rest.withoutLogs()}))
		return Reply{Text: string(encoded(failed)), IsError: true}
	}
	done := codeDone{OK: true, Value: valid(r.Value), codeRest: rest}
	done.dropLogs((s.opt.MaxResultBytes - sizeOf(codeDone{OK: true, Value: json.RawMessage("null"), codeRest: rest.withoutLogs()})) / 2)
	text, err := encode(done)
	if err != nil {
		return Reply{Text: string(encoded(codeFailed{Error: &CodeError{Kind: CodeInternal, Message: "the value is no JSON"}, Calls: callsOf(r.Steps), codeRest: rest.withoutLogs()})), IsError: true}
	}
	if len(text) > s.opt.MaxResultBytes {
		s.cutValue(&done, scope)
		text, _ = encode(done) // it could be written before, and is shorter now
	}
	return Reply{Text: string(text)}
}

// cutValue replaces the value by the start of its text and keeps the whole.
func (s *Surface) cutValue(done *codeDone, scope toolcrib.Scope) {
	whole := string(done.Value)
	var text string
	if json.Unmarshal(done.Value, &text) == nil {
		whole = text
	}
	done.Truncated, done.Value = true, json.RawMessage(`""`)
	room := s.opt.MaxResultBytes - sizeOf(*done) - cutRoom
	shown := cutEncoded(whole, max(room, 0))
	hint := fmt.Sprintf("value was cut after %d of %d bytes; return less", len(shown), len(whole))
	if reader, ok := s.opt.Catalog.Lookup(ResultsRead); ok && s.opt.Keeper != nil {
		if done.ResultID = s.opt.Keeper.Keep(scope, []byte(whole)); done.ResultID != "" {
			hint += ", or read on with " + s.readOn(reader, done.ResultID, len(shown))
		}
	}
	if done.Hint != "" {
		hint += "; " + done.Hint
	}
	done.Hint = boundText(hint, maxHint)
	done.Value, _ = encode(shown)
}

func (r codeRest) withoutLogs() codeRest {
	r.Logs = []CodeLog{}
	return r
}

// dropLogs leaves out lines from the end until the rest takes at most room bytes.
func (r *codeRest) dropLogs(room int) {
	for i, l := range r.Logs {
		if room -= sizeOf(l) + 1; room < 0 {
			r.Logs, r.LogsCut = r.Logs[:i], true
			return
		}
	}
}

// callsOf lists the tools that code called; searches change nothing.
func callsOf(steps []CodeStep) []codeCall {
	calls := []codeCall{}
	for _, s := range steps {
		if s.Function == "call" {
			calls = append(calls, codeCall{s.Target, s.N, s.OK, s.Error, s.Elapsed.Milliseconds()})
		}
	}
	return calls
}
