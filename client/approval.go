package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Approval is a question to a person, and how it ended.
type Approval struct {
	toolcrib.Question
	// Decision is empty while the question waits, and so are the others. By is who
	// answered, or what ended it; Reason says more where nobody answered.
	Decision toolcrib.Decision `json:"decision,omitempty"`
	By       string            `json:"by,omitempty"`
	Reason   string            `json:"reason,omitempty"`
	Settled  time.Time         `json:"settled,omitzero"`
}

// ApprovalList is the body of GET /api/approvals, the oldest first, and of GET
// /api/approvals/history, the newest first.
type ApprovalList struct {
	Approvals []Approval `json:"approvals"`
}

// ApprovalAnswer is the body of POST /api/approvals/{id}.
type ApprovalAnswer struct {
	Decision toolcrib.Decision `json:"decision"`
}

// ApprovalEvent is one event of GET /api/approvals/events.
type ApprovalEvent struct {
	// Kind is "asked" when a question waits, "settled" when it has ended, and
	// "granted" when an answer "always" answered it before anybody was asked. The
	// questions that wait already come first, as asked; "ready" stands after them
	// and has no Approval.
	Kind     string    `json:"kind"`
	Approval *Approval `json:"approval,omitempty"`
}

// Grant is an answer "always".
type Grant struct {
	ID    string `json:"id"`
	Agent string `json:"agent"`
	Tool  string `json:"tool"`
	// Rule is what asked.
	Rule string `json:"rule"`
	// ArgsHash binds it to arguments: their SHA-256; empty for all.
	ArgsHash string    `json:"argsHash,omitempty"`
	By       string    `json:"by"`
	Created  time.Time `json:"created"`
	LastUsed time.Time `json:"lastUsed,omitzero"`
	Uses     int       `json:"uses"`
}

// GrantList is the body of GET /api/grants, the oldest first.
type GrantList struct {
	Grants []Grant `json:"grants"`
}

// Approvals lists the questions that wait for a person, the oldest first.
func (c *Client) Approvals(ctx context.Context) ([]Approval, error) {
	list, err := get[ApprovalList](ctx, c, "/api/approvals", nil)
	return list.Approvals, err
}

// Approval returns one that waits or has been settled.
func (c *Client) Approval(ctx context.Context, id string) (Approval, error) {
	return get[Approval](ctx, c, "/api/approvals/"+url.PathEscape(id), nil)
}

// Resolve answers a question, and returns it as it is then. It takes the admin
// token. An error says why the answer doesn't count.
func (c *Client) Resolve(ctx context.Context, id string, d toolcrib.Decision) (Approval, error) {
	return post[Approval](ctx, c, "/api/approvals/"+url.PathEscape(id), ApprovalAnswer{d})
}

// ApprovalHistory lists the last questions that were settled, the newest first; a
// limit of 0 or less means the gateway's default.
func (c *Client) ApprovalHistory(ctx context.Context, limit int) ([]Approval, error) {
	query := url.Values{}
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	list, err := get[ApprovalList](ctx, c, "/api/approvals/history", query)
	return list.Approvals, err
}

// Grants lists the answers "always", the oldest first.
func (c *Client) Grants(ctx context.Context) ([]Grant, error) {
	list, err := get[GrantList](ctx, c, "/api/grants", nil)
	return list.Grants, err
}

// RevokeGrant takes an answer "always" back: the next call asks again. It takes
// the admin token.
func (c *Client) RevokeGrant(ctx context.Context, id string) error {
	_, err := send[struct{}](ctx, c, http.MethodDelete, "/api/grants/"+url.PathEscape(id), nil)
	return err
}

// maxEvent bounds one event of a stream, in bytes.
const maxEvent = 1 << 20

// WatchApprovals yields what happens to questions, until ctx ends, the gateway
// does, or the loop is left. What ends it otherwise is its last error. It needs a
// gateway over a socket or a network.
func (c *Client) WatchApprovals(ctx context.Context) iter.Seq2[ApprovalEvent, error] {
	return func(yield func(ApprovalEvent, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		body, err := c.events(ctx)
		if err != nil {
			yield(ApprovalEvent{}, err)
			return
		}
		defer body.Close()
		lines := bufio.NewScanner(body)
		lines.Buffer(nil, maxEvent)
		for lines.Scan() {
			data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
			if !ok {
				continue
			}
			var e ApprovalEvent
			if err := json.Unmarshal(data, &e); err != nil {
				yield(e, toolcrib.NewError(toolcrib.KindInternal, "an event is not the JSON that was expected", "check that client and gateway are of the same version").WithCause(err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
		err = lines.Err()
		if err == nil {
			err = io.ErrUnexpectedEOF
		}
		yield(ApprovalEvent{}, transportError(ctx, err))
	}
}

// events opens the stream.
func (c *Client) events(ctx context.Context) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/api/approvals/events", nil)
	if err != nil {
		return nil, toolcrib.NewError(toolcrib.KindInput, "cannot build the request: "+err.Error(), "")
	}
	req.Header.Set("Accept", "text/event-stream")
	c.authorize(req)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, transportError(ctx, err)
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxEvent))
	if err != nil {
		return nil, transportError(ctx, err)
	}
	return nil, answerError(resp, data)
}
