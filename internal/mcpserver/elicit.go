package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/approval"
)

// Bounds of what a form shows, in characters.
const (
	maxShownID   = 200
	maxShownArgs = 2000
)

// decisionField is the one field of the form.
const decisionField = "decision"

// showsForms reports whether the client that sent a request can ask its user. A
// client that names no kind of elicitation has forms: there were no others.
func showsForms(req mcp.Request) bool {
	r, ok := req.(interface {
		ClientCapabilities() *mcp.ClientCapabilities
	})
	if !ok {
		return false
	}
	can := r.ClientCapabilities()
	return can != nil && can.Elicitation != nil && (can.Elicitation.Form != nil || can.Elicitation.URL == nil)
}

// form is a question as a client shows it. Its texts come from servers and models:
// each is one line, so that none can pass for another.
func form(q toolcrib.Question) *mcp.ElicitParams {
	title := approval.Clean(q.Title, toolcrib.MaxTitle)
	if q.Severity == toolcrib.SeverityCritical {
		title = "Critical: " + title
	}
	parts := []string{title}
	if d := approval.Clean(q.Description, toolcrib.MaxDescription); d != "" {
		parts = append(parts, d)
	}
	facts := "Tool: " + approval.Clean(q.Tool, maxShownID)
	if args := shownArgs(q.Args); args != "" {
		facts += "\nArguments: " + args
	}
	parts = append(parts, facts)
	return &mcp.ElicitParams{Mode: "form", Message: strings.Join(parts, "\n\n"), RequestedSchema: formSchema(q)}
}

// shownArgs are the arguments in one line, and how much of them was left out.
func shownArgs(args json.RawMessage) string {
	var line bytes.Buffer
	if len(args) == 0 || json.Compact(&line, args) != nil {
		return ""
	}
	s := strings.ToValidUTF8(line.String(), "\uFFFD")
	if n := utf8.RuneCountInString(s); n > maxShownArgs {
		cut := string([]rune(s)[:maxShownArgs])
		return fmt.Sprintf("%s… (the first %d of %d characters)", cut, maxShownArgs, n)
	}
	return s
}

// formSchema asks for one of the offered decisions. Its titles are in enumNames,
// which clients of every version that has forms read.
func formSchema(q toolcrib.Question) json.RawMessage {
	type property struct {
		Type        string              `json:"type"`
		Title       string              `json:"title"`
		Description string              `json:"description"`
		Enum        []toolcrib.Decision `json:"enum"`
		EnumNames   []string            `json:"enumNames"`
	}
	field := property{Type: "string", Title: "Decision", Description: "Whether this call may run", Enum: []toolcrib.Decision{}, EnumNames: []string{}}
	for _, d := range q.Decisions {
		field.Enum = append(field.Enum, d)
		field.EnumNames = append(field.EnumNames, named(d, q.BindArgs))
	}
	schema := struct {
		Type       string              `json:"type"`
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
	}{"object", map[string]property{decisionField: field}, []string{decisionField}}
	data, err := json.Marshal(schema)
	if err != nil { // strings never fail
		return nil
	}
	return data
}

// named is a decision in words.
func named(d toolcrib.Decision, bound bool) string {
	switch {
	case d == toolcrib.AllowOnce:
		return "Allow once"
	case d == toolcrib.AllowAlways && bound:
		return "Always allow this tool with these arguments"
	case d == toolcrib.AllowAlways:
		return "Always allow this tool"
	case d == toolcrib.Deny:
		return "Deny"
	}
	return string(d)
}

// malformed is the decision of an answer that is none: it is never offered, and
// so it means no.
const malformed toolcrib.Decision = "malformed answer"

// decided reads the answer to a form. Only an offered decision that was accepted
// counts; a form that was declined or closed is a no.
func decided(q toolcrib.Question, answer *mcp.ElicitResult) toolcrib.Decision {
	if answer == nil {
		return malformed
	}
	switch answer.Action {
	case "decline", "cancel":
		return toolcrib.Deny
	case "accept":
		d, ok := answer.Content[decisionField].(string)
		if ok && slices.Contains(q.Decisions, toolcrib.Decision(d)) {
			return toolcrib.Decision(d)
		}
	}
	return malformed
}
