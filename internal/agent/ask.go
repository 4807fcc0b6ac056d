package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/model"
)

// ask asks the model for the next step.
func (d *doing) ask(ctx context.Context) (model.Said, error) {
	body, tools, err := d.body()
	if err != nil {
		return model.Said{}, err
	}
	d.observe(Event{Kind: EventAsk, Step: d.run.Steps + 1, Bytes: len(body.Raw), ToolBytes: body.ToolBytes, Tools: tools})
	d.writer.Step()
	reader, a := d.prompt.Reader(), d.Ask
	a.Path, a.Body = d.prompt.Path(), body.Raw
	if d.info.Stream {
		err = d.stream(ctx, a, reader)
	} else {
		err = d.complete(ctx, a, reader)
	}
	if err != nil {
		return model.Said{}, err
	}
	return reader.End()
}

// body is the request for the next step, and how many tools it offers.
func (d *doing) body() (model.Body, int, error) {
	w := model.Rewrite{
		Model: d.Model, Tools: d.Toolbox.Tools(), System: d.System, Past: d.past(), Steps: d.steps, Free: d.free, Usage: true,
	}
	if d.info.Bare != "" {
		w.Bare, w.System, w.Tools = true, "", nil
	} else if name := d.info.Choice; name != "" && !slices.ContainsFunc(w.Tools, func(t model.Tool) bool { return t.Name == name }) {
		return model.Body{}, 0, toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("tool_choice names %q, which is not among the tools", name), "")
	}
	if !w.Bare {
		w.Tools = slices.Concat(w.Tools, d.info.Others)
	}
	b, err := d.prompt.Body(w)
	return b, len(w.Tools), err
}

func (d *doing) complete(ctx context.Context, a model.Ask, reader model.Reader) error {
	answer, err := d.Provider.Complete(ctx, a)
	if err != nil {
		return err
	}
	d.header = answer.Header
	delta, err := reader.Whole(answer.Body)
	if err != nil {
		return err
	}
	return d.pass(delta)
}

func (d *doing) stream(ctx context.Context, a model.Ask, reader model.Reader) error {
	s, err := d.Provider.Stream(ctx, a)
	if err != nil {
		return err
	}
	defer s.Close()
	d.header = s.Header()
	for {
		e, err := s.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		delta, err := reader.Event(e)
		if err != nil {
			return err
		}
		if err := d.pass(delta); err != nil {
			return err
		}
	}
}

// pass hands a piece of the model's answer on.
func (d *doing) pass(delta model.Delta) error {
	if delta.Text != "" {
		d.observe(Event{Kind: EventText, Step: d.run.Steps + 1, Text: delta.Text})
	}
	if delta.Raw == nil {
		return nil
	}
	return d.write(d.writer.Delta(delta))
}
