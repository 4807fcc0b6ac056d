package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"

	"github.com/toolcrib/toolcrib"
)

// input is the tool's arguments.
type input struct {
	URL      string `json:"url"`
	Format   string `json:"format"`
	MaxChars *int   `json:"maxChars"`
	Offset   int    `json:"offset"`
}

const (
	usualChars = 20_000
	mostChars  = 100_000
)

// Formats of HTML.
const (
	formatText     = "text"
	formatMarkdown = "markdown"
	formatHTML     = "html"
)

// settled returns the input with its defaults.
func (in input) settled() (input, error) {
	if in.Format == "" {
		in.Format = formatMarkdown
	}
	if in.MaxChars == nil {
		in.MaxChars = new(usualChars)
	}
	if !slices.Contains([]string{formatText, formatMarkdown, formatHTML}, in.Format) {
		return in, toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("there is no format %.20q", in.Format), "use text, markdown or html")
	}
	if in.Offset < 0 || *in.MaxChars < 1 || *in.MaxChars > mostChars {
		return in, toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("can't show %d characters from offset %d", *in.MaxChars, in.Offset),
			fmt.Sprintf("offset is 0 or more, maxChars 1 to %d", mostChars))
	}
	return in, nil
}

func (s *Source) fetch(ctx context.Context, in input) (toolcrib.Result, error) {
	in, err := in.settled()
	if err != nil {
		return toolcrib.Result{}, err
	}
	r, err := newRules(s.opt.Settings())
	if err != nil {
		return toolcrib.Result{}, err
	}
	u, err := r.parse(in.URL, nil)
	if err != nil {
		return toolcrib.Result{}, err
	}
	a, err := s.get(ctx, r, u)
	if err != nil {
		return toolcrib.Result{}, err
	}
	p, err := s.present(ctx, a, in.Format, 2*r.MaxBytes)
	if err != nil {
		return toolcrib.Result{}, err
	}
	return p.result(in, r.ReplyBytes)
}

// get fetches a page, following redirects.
func (s *Source) get(caller context.Context, r *rules, u *url.URL) (answer, error) {
	ctx, cancel := context.WithTimeout(caller, r.Timeout)
	defer cancel()
	t := s.transport(r)
	defer t.CloseIdleConnections()
	for hops := 0; ; hops++ {
		response, err := s.request(ctx, t, r, u)
		if err != nil {
			return answer{}, s.trouble(caller, ctx, r, u, err)
		}
		next, err := redirected(r, u, response)
		if err == nil && next != nil && hops == maxRedirects {
			err = toolcrib.NewError(toolcrib.KindTool, fmt.Sprintf("the page was redirected more than %d times", maxRedirects), "fetch the address that is meant")
		}
		if err != nil || next == nil {
			defer response.Body.Close()
		}
		switch {
		case err != nil:
			return answer{}, err
		case next == nil:
			a, err := read(ctx, r, response)
			if a.url = u; err != nil {
				return a, s.trouble(caller, ctx, r, u, err)
			}
			return a, nil
		}
		response.Body.Close()
		u = next
	}
}

// request asks for one page. It sends no cookie, no credential and no referrer.
func (s *Source) request(ctx context.Context, t *http.Transport, r *rules, u *url.URL) (*http.Response, error) {
	if r.throughs != nil {
		if err := s.foretell(ctx, r, u); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", userAgentName+"/"+s.opt.Version)
	request.Header.Set("Accept", "text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5")
	request.Header.Set("Accept-Encoding", "gzip")
	return t.RoundTrip(request)
}

// redirected returns where a response leads to; nil when it is the page.
func redirected(r *rules, from *url.URL, response *http.Response) (*url.URL, error) {
	to := response.Header.Get("Location")
	switch response.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	if to == "" {
		return nil, nil
	}
	next, err := r.parse(to, from)
	if err == nil && from.Scheme == "https" && next.Scheme == "http" && !r.AllowDowngrade {
		err = toolcrib.NewError(toolcrib.KindBlocked, "it leads from https to http", "fetch the http address itself if that is meant")
	}
	if known := (*toolcrib.Error)(nil); errors.As(err, &known) {
		return nil, toolcrib.NewError(toolcrib.KindBlocked, "the page redirects to where it may not: "+known.Message, known.Hint).WithCause(err)
	}
	return next, err
}

// trouble words what went wrong on the way. What the other side says of itself, and
// what a proxy is called, stay out of it.
func (s *Source) trouble(caller, ctx context.Context, r *rules, u *url.URL, err error) error {
	host := u.Hostname()
	if known := (*toolcrib.Error)(nil); errors.As(err, &known) {
		return known
	}
	if caller.Err() != nil {
		return caller.Err()
	}
	if ctx.Err() != nil {
		return toolcrib.NewError(toolcrib.KindTimeout, fmt.Sprintf("%s sent no page within %s", host, r.Timeout), "try again later").WithCause(err)
	}
	s.opt.Logger.Debug("a page could not be fetched", "host", host, "error", err)
	why := "could not be reached"
	certificate := (*tls.CertificateVerificationError)(nil)
	switch {
	case errors.As(err, &certificate):
		why = "has no certificate that can be trusted for this name"
	case errors.Is(err, syscall.ECONNREFUSED):
		why = "refused the connection"
	case errors.Is(err, errUnreadable):
		why = "sent what can't be read"
	case strings.Contains(err.Error(), "headers exceeded"):
		why = fmt.Sprintf("sent more than %d bytes of headers", maxHeaders)
	}
	return toolcrib.NewError(toolcrib.KindTool, host+" "+why, "check the address").WithCause(err)
}
