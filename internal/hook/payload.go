package hook

import (
	"bytes"
	"encoding/json"

	"github.com/toolcrib/toolcrib"
)

// sent is what a program or a webhook is told of a call.
type sent struct {
	Event   Event            `json:"event"`
	Hook    string           `json:"hook"`
	CallID  string           `json:"callId"`
	Tool    sentTool         `json:"tool"`
	Args    json.RawMessage  `json:"args"`
	Agent   string           `json:"agent"`
	Session string           `json:"session"`
	Run     string           `json:"run"`
	Caller  string           `json:"caller"`
	Door    toolcrib.Door    `json:"door"`
	Client  string           `json:"client"`
	Result  *toolcrib.Result `json:"result,omitempty"`
}

type sentTool struct {
	ID          string               `json:"id"`
	Source      toolcrib.Source      `json:"source"`
	Owner       string               `json:"owner"`
	Name        string               `json:"name"`
	Annotations toolcrib.Annotations `json:"annotations"`
	// Trusted is false where the annotations are a foreign server's own claims, which
	// the operator doesn't believe.
	Trusted bool `json:"trusted"`
}

// payload is the JSON that a hook is sent.
func payload(h *hook, call *toolcrib.Call, result *toolcrib.Result) ([]byte, error) {
	t, s := &call.Tool, call.Scope
	args := call.Args
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	if result != nil && result.Content == nil {
		full := *result
		full.Content = []toolcrib.Content{}
		result = &full
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(sent{
		Event: h.Event, Hook: h.Name, CallID: call.ID, Args: args, Result: result,
		Tool:  sentTool{t.ID, t.Source, t.Owner, t.Name, t.Annotations, t.TrustsHints()},
		Agent: s.Agent, Session: s.Session, Run: s.Run, Caller: s.Caller, Door: s.Door, Client: s.Client,
	})
	return b.Bytes(), err
}
