package web

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/toolcrib/toolcrib"
)

// errUnreadable says that a body breaks the form that it says it has.
var errUnreadable = errors.New("the body can't be read")

// answer is what a server sent.
type answer struct {
	url    *url.URL
	status int
	media  string            // type, without parameters; empty when none can be read
	params map[string]string // its parameters
	body   []byte            // unpacked; nil for what is not shown
	size   int64             // of what is not shown, -1 when unknown
	cut    string            // why the body isn't whole; empty when it is
}

// kind is what a body is taken for.
type kind int

const (
	kindUnknown kind = iota
	kindPage
	kindPlain
	kindBinary
)

// kindOf judges a media type.
func kindOf(media string) kind {
	top, sub, _ := strings.Cut(media, "/")
	switch {
	case media == "" || media == "application/octet-stream" || media == "binary/octet-stream":
		return kindUnknown
	case media == "text/html" || media == "application/xhtml+xml":
		return kindPage
	case top == "text" || top == "message", strings.HasSuffix(sub, "+json"), strings.HasSuffix(sub, "+xml"), strings.HasSuffix(sub, "+yaml"):
		return kindPlain
	}
	for _, word := range []string{"json", "xml", "javascript", "ecmascript", "yaml", "toml", "x-sh", "sql", "graphql", "x-www-form-urlencoded", "ndjson"} {
		if top == "application" && strings.TrimPrefix(sub, "x-") == strings.TrimPrefix(word, "x-") {
			return kindPlain
		}
	}
	return kindBinary
}

// read takes the body of a response within bounds. A body that ends early, by a
// bound or a broken connection, is kept as far as it came.
func read(ctx context.Context, r *rules, response *http.Response) (answer, error) {
	a := answer{status: response.StatusCode, size: response.ContentLength}
	if media, params, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err == nil && len(media) <= 100 {
		a.media, a.params = media, params
	}
	if kindOf(a.media) == kindBinary {
		return a, nil
	}
	wire := &capped{from: response.Body, left: r.MaxBytes}
	unpacked, err := unpack(wire, response.Header.Get("Content-Encoding"))
	if err != nil {
		return a, err
	}
	body, err := io.ReadAll(io.LimitReader(unpacked, int64(r.MaxBytes)+1))
	switch {
	case len(body) > r.MaxBytes || err != nil && wire.left <= 0:
		body = body[:min(len(body), r.MaxBytes)]
		a.cut = fmt.Sprintf("it is longer than %d bytes", r.MaxBytes)
	case err != nil && len(body) == 0:
		return a, errors.Join(errUnreadable, err)
	case err != nil && ctx.Err() != nil:
		a.cut = fmt.Sprintf("it took longer than %s", r.Timeout)
	case err != nil:
		a.cut = "it broke off on the way"
	}
	a.body = body
	return a, nil
}

// capped reads at most left bytes, and then fails if there are more.
type capped struct {
	from io.Reader
	left int
}

var errCapped = errors.New("the bound was reached")

func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		n, err := c.from.Read(p[:min(len(p), 1)])
		if n > 0 {
			c.left = -1
			return 0, errCapped
		}
		return 0, err
	}
	n, err := c.from.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// unpack undoes the one encoding that is asked for.
func unpack(body io.Reader, encoding string) (io.Reader, error) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return body, nil
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(body)
		switch {
		case err == nil:
			return z, nil
		case errors.Is(err, io.EOF):
			return strings.NewReader(""), nil // no body at all
		}
		return nil, errors.Join(errUnreadable, err)
	}
	return nil, toolcrib.NewError(toolcrib.KindTool, fmt.Sprintf("the page is packed as %.30q, which was not asked for", encoding), "")
}
