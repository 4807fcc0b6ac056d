package invoke

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/schema"
	"github.com/toolcrib/toolcrib/internal/signature"
)

// maxProblems is how many faults of one value are told.
const maxProblems = 8

// validateArgs holds the arguments of a trusted tool against its schema.
func (c *run) validateArgs(context.Context) error {
	if !c.tool.TrustsInput() || len(c.tool.Parameters) == 0 {
		return nil
	}
	s, err := c.invoker.schemas.get(c.tool.Parameters)
	if err != nil {
		return toolcrib.NewError(toolcrib.KindTool, "its own parameter schema can't be used: "+err.Error(),
			"it did not run; its owner has to correct the schema").WithCause(err)
	}
	if found := s.Validate(c.call.Args); len(found) > 0 {
		return c.badArgs(problems(found))
	}
	return nil
}

// badArgs refuses arguments and says what was expected.
func (c *run) badArgs(what string) error {
	hint := "it did not run; describe the tool to see its parameters"
	if c.tool.TrustsInput() {
		if sig := signature.Of(c.tool.Parameters); sig != "unknown" {
			hint = "it did not run; expected args: " + sig
		}
	}
	return toolcrib.NewError(toolcrib.KindInput, "its arguments are wrong: "+what, hint)
}

// compileOutput readies the output schema of a tool before anything happens.
func (c *run) compileOutput(context.Context) error {
	if !c.tool.TrustsOutput() || len(c.tool.OutputSchema) == 0 {
		return nil
	}
	s, err := c.invoker.schemas.get(c.tool.OutputSchema)
	if err != nil {
		return toolcrib.NewError(toolcrib.KindTool, "its output schema can't be used: "+err.Error(),
			"it did not run; its owner has to correct the schema").WithCause(err)
	}
	c.output = s
	return nil
}

// validateOutput holds the structured value against the schema. A tool that
// reports its own failure owes no value.
func (c *run) validateOutput(context.Context) error {
	if c.output == nil || c.result.IsError {
		return nil
	}
	if len(c.result.Details) == 0 {
		return broken("it declares an output schema and returned no structured value")
	}
	if found := c.output.Validate(c.result.Details); len(found) > 0 {
		return broken("its result doesn't fit its own output schema: " + places(found))
	}
	return nil
}

// broken says that the effect happened and the answer can't be used.
func broken(what string) error {
	return toolcrib.NewError(toolcrib.KindOutput, "the tool did run, but "+what,
		"don't repeat the call for its effect; check what it did by other means")
}

// problems lists the faults of arguments, which the model itself wrote.
func problems(found []schema.Problem) string {
	var parts []string
	for _, p := range found[:min(len(found), maxProblems)] {
		text := p.Message
		if p.Suggestion != "" && !strings.Contains(text, p.Suggestion) {
			text += fmt.Sprintf(" (did you mean %q?)", p.Suggestion)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ") + more(len(found))
}

// places lists where a result is wrong without anything of its values.
func places(found []schema.Problem) string {
	var parts []string
	for _, p := range found[:min(len(found), maxProblems)] {
		path := p.Path
		if path == "" {
			path = "the value itself"
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", path, p.Kind))
	}
	return strings.Join(parts, "; ") + more(len(found))
}

func more(n int) string {
	if n <= maxProblems {
		return ""
	}
	return fmt.Sprintf("; and %d more", n-maxProblems)
}
