package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/sse"
)

// errIdle is the cause of the end of an answer that stood still.
var errIdle = errors.New("nothing came for too long")

// Complete asks for an answer that isn't streamed.
func (p *Provider) Complete(ctx context.Context, a model.Ask) (model.Whole, error) {
	s, err := p.open(ctx, http.MethodPost, a)
	if err != nil {
		return model.Whole{}, err
	}
	return p.whole(s)
}

// Models asks which models there are.
func (p *Provider) Models(ctx context.Context, a model.Ask) (model.Whole, error) {
	a.Body = nil
	s, err := p.open(ctx, http.MethodGet, a)
	if err != nil {
		return model.Whole{}, err
	}
	return p.whole(s)
}

func (p *Provider) whole(s *stream) (model.Whole, error) {
	defer s.Close()
	body, err := io.ReadAll(io.LimitReader(s, int64(p.opt.MaxBody)+1))
	if err != nil {
		return model.Whole{}, p.failed(s.ctx, err)
	}
	if len(body) > p.opt.MaxBody {
		return model.Whole{}, toolcrib.NewError(toolcrib.KindLimit, fmt.Sprintf("the answer of %s is longer than %d bytes", p.opt.Name, p.opt.MaxBody), "")
	}
	return model.Whole{Header: telling(s.response.Header), Body: body}, nil
}

// Stream asks for an answer in events. One that isn't streamed is one event.
func (p *Provider) Stream(ctx context.Context, a model.Ask) (model.Stream, error) {
	s, err := p.open(ctx, http.MethodPost, a)
	if err != nil {
		return nil, err
	}
	if kind, _, _ := mime.ParseMediaType(s.response.Header.Get("Content-Type")); strings.HasSuffix(kind, "json") {
		w, err := p.whole(s)
		return &unstreamed{whole: w}, err
	}
	s.events = sse.NewReader(s, p.opt.MaxEvent)
	return s, nil
}

// open sends a request and reads the head of the answer.
func (p *Provider) open(ctx context.Context, method string, a model.Ask) (*stream, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	r, err := http.NewRequestWithContext(ctx, method, p.address(a.Path), bytes.NewReader(a.Body))
	if err != nil {
		cancel(nil)
		return nil, toolcrib.NewError(toolcrib.KindInternal, "the request can't be made", "").WithCause(err)
	}
	r.Header = p.header(a)
	response, err := p.client.Do(r)
	if err != nil {
		defer cancel(nil)
		return nil, p.failed(ctx, err)
	}
	s := &stream{provider: p, ctx: ctx, cancel: cancel, response: response}
	s.idle = time.AfterFunc(p.opt.IdleTimeout, func() { cancel(errIdle) })
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, p.refusal(s)
	}
	return s, nil
}

// refusal is the error of an answer that says no.
func (p *Provider) refusal(s *stream) error {
	defer s.Close()
	if code := s.response.StatusCode; code < 400 {
		return toolcrib.NewError(toolcrib.KindUnavailable, fmt.Sprintf("%s answered %d, which leads to another address; that is not followed", p.opt.Name, code),
			"set the provider's address to where it leads")
	}
	body, err := io.ReadAll(io.LimitReader(s, maxRefusal))
	if err != nil && len(body) == 0 {
		return p.failed(s.ctx, err)
	}
	return &model.Refusal{Status: s.response.StatusCode, Header: telling(s.response.Header), Body: body}
}

// telling are the headers that tell a caller something.
func telling(h http.Header) http.Header {
	out := http.Header{}
	for name, values := range h {
		lower := strings.ToLower(name)
		if lower == "retry-after" || lower == "retry-after-ms" || lower == "content-type" || lower == "x-request-id" || lower == "x-should-retry" ||
			strings.HasPrefix(lower, "x-ratelimit-") || strings.HasPrefix(lower, "openai-") {
			out[name] = values
		}
	}
	return out
}

// failed is the error of a request that got no answer, or not all of it. The
// cause may hold an address with secrets, and stays private.
func (p *Provider) failed(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(cause, errIdle):
		return toolcrib.NewError(toolcrib.KindTimeout, fmt.Sprintf("%s sent nothing for %v", p.opt.Name, p.opt.IdleTimeout), "").WithCause(err)
	case cause != nil && !errors.Is(cause, context.DeadlineExceeded):
		return toolcrib.NewError(toolcrib.KindCanceled, "the request was given up", "").WithCause(err)
	case cause != nil || errors.As(err, &timeout) && timeout.Timeout():
		return toolcrib.NewError(toolcrib.KindTimeout, p.opt.Name+" did not answer in time", "").WithCause(err)
	case errors.Is(err, sse.ErrTooLong):
		return toolcrib.NewError(toolcrib.KindLimit, p.opt.Name+" sent an event that is too long", "").WithCause(err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return toolcrib.NewError(toolcrib.KindUnavailable, p.opt.Name+" broke off its answer", "try again").WithCause(err)
	}
	return toolcrib.NewError(toolcrib.KindUnavailable, p.opt.Name+" can't be reached", "look whether the provider's address is right and it is up").WithCause(err)
}
