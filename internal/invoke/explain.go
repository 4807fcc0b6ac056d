package invoke

import (
	"errors"

	"github.com/toolcrib/toolcrib"
)

// explain turns whatever ended a call into an error that names the tool.
func (c *run) explain(err error) error {
	var e *toolcrib.Error
	if !errors.As(err, &e) {
		e = toolcrib.NewError(toolcrib.KindTool, "the tool's source failed", "the log has the details").WithCause(err)
		c.invoker.opt.Logger.Warn("a call failed without a reason to tell", "tool", c.request.Ref, "call", c.request.ID, "error", err.Error())
	}
	if c.tool == nil || e.Op != "" {
		return e
	}
	return e.WithOp("call " + c.tool.ID)
}

// refusal is the error of a hook or an approval. One that is not of our own
// kind is a hook that failed, and that is a no.
func (c *run) refusal(err error) error {
	if err == nil {
		return nil
	}
	var e *toolcrib.Error
	if errors.As(err, &e) {
		return e
	}
	return toolcrib.NewError(toolcrib.KindBlocked, "a hook failed, which blocks the call; "+c.effect(), "the log has the details").WithCause(err)
}

// effect says whether the tool ran.
func (c *run) effect() string {
	if c.ran {
		return "the tool did run"
	}
	return "it did not run"
}
