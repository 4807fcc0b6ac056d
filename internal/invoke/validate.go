package invoke

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/schema"
	"github.com/toolcrib/toolcrib/internal/signature"
)

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
		return c.badArgs(errors.New(schema.Sentence(found)))
	}
	return nil
}

// badArgs refuses arguments and says what was expected.
func (c *run) badArgs(cause error) error {
	what := cause.Error()
	var e *toolcrib.Error
	if errors.As(cause, &e) {
		what = e.Message
	}
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

// places lists where a result is wrong without anything of its values.
func places(found []schema.Problem) string {
	parts := make([]string, len(found))
	for i, p := range found {
		parts[i] = fmt.Sprintf("%s (%s)", cmp.Or(p.Path, "the value itself"), p.Kind)
	}
	return strings.Join(parts, "; ")
}
