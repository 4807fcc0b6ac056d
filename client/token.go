package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Token is what is known of a gateway token; its secret isn't.
type Token struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Agent is the agent for which it may call; empty for whichever it asks for.
	Agent string `json:"agent,omitempty"`
	// Owner says that who holds it is the operator, and may use owner-only tools.
	Owner bool `json:"owner,omitempty"`
	// Harness names the program that runs the model.
	Harness string `json:"harness,omitempty"`
	// Allow and Deny narrow what may be used; an empty Allow allows all.
	Allow   []string  `json:"allow,omitempty"`
	Deny    []string  `json:"deny,omitempty"`
	Created time.Time `json:"created"`
	// Expires, LastUsed (to the minute) and Revoked are zero, and not in the JSON,
	// for never.
	Expires  time.Time `json:"expires,omitzero"`
	LastUsed time.Time `json:"lastUsed,omitzero"`
	Revoked  time.Time `json:"revoked,omitzero"`
}

// TokenList is the body of GET /api/tokens, the oldest first.
type TokenList struct {
	Tokens []Token `json:"tokens"`
}

// TokenRequest is the body of POST /api/tokens: what the new token is to be like.
type TokenRequest struct {
	// Name is 1 to 64 letters, digits, '.', '_' and '-'. No other token that may
	// be used has it.
	Name    string   `json:"name"`
	Agent   string   `json:"agent,omitempty"`
	Owner   bool     `json:"owner,omitempty"`
	Harness string   `json:"harness,omitempty"`
	Allow   []string `json:"allow,omitempty"`
	Deny    []string `json:"deny,omitempty"`
	// Expires is when it stops to be of use; zero for never.
	Expires time.Time `json:"expires,omitzero"`
}

// NewToken is the answer of POST /api/tokens.
type NewToken struct {
	Token Token `json:"token"`
	// Secret is what programs send; it can't be had again.
	Secret string `json:"secret"`
	// Notes say what else has changed.
	Notes []string `json:"notes,omitempty"`
}

// RevokedToken is the answer of DELETE /api/tokens/{id}.
type RevokedToken struct {
	Token Token    `json:"token"`
	Notes []string `json:"notes,omitempty"`
}

// WithToken returns a client that shows a bearer token with each request: the
// admin token, which is in the file admin.token of the gateway's state folder.
// Making and revoking tokens, answering approvals and revoking grants ask for it,
// and everything does over TCP.
func (c *Client) WithToken(secret string) *Client {
	with := *c
	with.token = secret
	return &with
}

// Tokens lists the gateway tokens, the oldest first.
func (c *Client) Tokens(ctx context.Context) ([]Token, error) {
	list, err := get[TokenList](ctx, c, "/api/tokens", nil)
	return list.Tokens, err
}

// MakeToken makes a gateway token. Its secret is in the answer, and nowhere else.
func (c *Client) MakeToken(ctx context.Context, r TokenRequest) (NewToken, error) {
	return post[NewToken](ctx, c, "/api/tokens", r)
}

// RevokeToken takes a token back, at once and for good; token is its id or name.
// With forget what is known of it is deleted, too.
func (c *Client) RevokeToken(ctx context.Context, token string, forget bool) (RevokedToken, error) {
	path := "/api/tokens/" + url.PathEscape(token)
	if forget {
		path += "?forget=true"
	}
	return send[RevokedToken](ctx, c, http.MethodDelete, path, nil)
}
