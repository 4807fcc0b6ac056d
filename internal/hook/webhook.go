package hook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Headers of each request of a webhook.
const (
	HeaderHook      = "X-Toolcrib-Hook"
	HeaderTimestamp = "X-Toolcrib-Timestamp"
	HeaderSignature = "X-Toolcrib-Signature"
)

// Sign is the signature of a body that was sent at a timestamp: "sha256=" and, in
// hex, the HMAC-SHA256 under secret of the timestamp, a full stop and the body.
func Sign(secret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// post sends a call to a webhook and reads its answer.
func (x *Host) post(ctx context.Context, h *hook, body []byte) outcome {
	request, err := h.request(ctx, body)
	if err != nil {
		return outcome{fault: "its url can't be used", detail: err.Error()}
	}
	response, err := x.client.Do(request)
	if err != nil {
		return h.unreached(ctx, err)
	}
	defer response.Body.Close()
	o := outcome{trace: trace{status: response.StatusCode}}
	data, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	o.trace.answer = data[:min(len(data), maxAnswer)]
	switch code := response.StatusCode; {
	case err != nil || ctx.Err() != nil:
		failed := h.unreached(ctx, err)
		o.fault, o.detail = failed.fault, failed.detail
	case code >= 300 && code < 400:
		o.fault = fmt.Sprintf("its endpoint answered %d, and redirects are not followed", code)
	case code < 200 || code >= 300:
		o.fault, o.detail = fmt.Sprintf("its endpoint answered %d", code), string(o.trace.answer)
	case len(data) > maxAnswer:
		o.fault = tooMuch
	case code == http.StatusNoContent:
		o.decision = Allow
	default:
		o.parse(h.Event, data)
	}
	return o
}

// request makes the signed request.
func (h *hook) request(ctx context.Context, body []byte) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range h.Headers {
		if strings.EqualFold(name, "host") {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	now := strconv.FormatInt(time.Now().Unix(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.Header.Set(HeaderHook, h.Name)
	r.Header.Set(HeaderTimestamp, now)
	r.Header.Del(HeaderSignature)
	if h.Secret != "" {
		r.Header.Set(HeaderSignature, Sign(h.Secret, now, body))
	}
	return r, nil
}

// unreached is the outcome of a request that got no whole answer. The address
// may hold a secret and is left out.
func (h *hook) unreached(ctx context.Context, err error) outcome {
	if ctx.Err() != nil {
		return outcome{fault: h.slow()}
	}
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return outcome{fault: "its endpoint can't be reached", detail: err.Error()}
}

// tooMuch is the fault of a hook that doesn't stop talking.
const tooMuch = "its answer is longer than 1 MiB"

// parse takes the answer over.
func (o *outcome) parse(event Event, data []byte) {
	a, err := parseAnswer(event, data)
	if err != nil {
		o.fault, o.detail = err.Error(), cut(string(data), maxLogged)
		return
	}
	o.answer = a
}
