package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/toolcrib/toolcrib"
)

// maxAnswer bounds what one answer may hold, 64 MiB.
const maxAnswer = 64 << 20

// Client calls the control API of one gateway. It may be used from many
// goroutines at once.
type Client struct {
	http  *http.Client
	base  string
	token string // shown with each request; may be empty
	// where names the gateway in errors; patience bounds what is quick, see WithPatience.
	where    string
	patience time.Duration
}

// WithPatience returns a client that gives up, with an error of kind
// "unavailable", when a gateway says nothing for as long to a request that needs
// no tool and no server: every one but Call, Code, Restart, Reload, Attach and
// WatchApprovals. 0 means no bound.
func (c *Client) WithPatience(d time.Duration) *Client {
	with := *c
	with.patience = d
	return &with
}

// quick reports whether a request is one that needs no tool and no server.
func quick(method, path string) bool {
	return method == http.MethodGet || path == "/api/search" || path == "/api/describe"
}

// errSilent ends a request that has not been answered in time.
var errSilent = errors.New("client: the gateway is silent")

// hurry bounds a request until its answer begins; begun must be called then, and
// end in any case.
func (c *Client) hurry(ctx context.Context, method, path string) (_ context.Context, begun, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	end = func() { cancel(nil) }
	if c.patience <= 0 || !quick(method, path) {
		return ctx, func() {}, end
	}
	timer := time.AfterFunc(c.patience, func() { cancel(errSilent) })
	return ctx, func() { timer.Stop() }, end
}

// silent is the error for a gateway that is there and does not answer.
func (c *Client) silent() error {
	return toolcrib.NewError(toolcrib.KindUnavailable, fmt.Sprintf("the gateway%s doesn't answer: it said nothing for %v", c.where, c.patience),
		"it may have been stopped (Ctrl-Z), or be too busy: see its process, and start it anew if need be").WithCause(errSilent)
}

// Silent reports whether err says that a gateway is there and does not answer.
func Silent(err error) bool { return errors.Is(err, errSilent) }

// New returns a client that sends its requests through transport to baseURL,
// such as "http://gateway"; an empty baseURL is good for transports that ignore
// the host. No request is made.
func New(transport http.RoundTripper, baseURL string) *Client {
	if baseURL == "" {
		baseURL = "http://toolcrib"
	}
	return &Client{http: &http.Client{Transport: transport}, base: strings.TrimRight(baseURL, "/")}
}

// Dial returns a client of the gateway that listens at the Unix socket, after
// it has seen that one does. A socket that nobody listens at, or none, is an
// error of kind "unavailable"; one that may not be opened is of kind "blocked".
func Dial(socketPath string) (*Client, error) {
	dialer := &net.Dialer{Timeout: 2 * time.Second}
	conn, err := dialer.Dial("unix", socketPath)
	if err != nil {
		return nil, dialError(socketPath, err)
	}
	conn.Close()
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", socketPath)
		},
		MaxIdleConns:    4,
		IdleConnTimeout: 30 * time.Second,
	}
	c := New(transport, "")
	c.where = " (socket " + socketPath + ")"
	return c, nil
}

func dialError(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return toolcrib.NewError(toolcrib.KindBlocked, "the control socket "+path+" belongs to another user",
			"run the command as the user who runs the gateway").WithCause(err)
	}
	message := "no gateway answers at " + path
	if errors.Is(err, syscall.ECONNREFUSED) {
		message = "no gateway listens at " + path + ": the socket is a leftover"
	}
	return toolcrib.NewError(toolcrib.KindUnavailable, message, "start one with: toolcrib serve").WithCause(err)
}

// Close lets go of idle connections. The client stays usable.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Status says what the gateway is and how it does.
func (c *Client) Status(ctx context.Context) (Status, error) {
	return get[Status](ctx, c, "/api/status", nil)
}

// Servers lists the configured servers by name.
func (c *Client) Servers(ctx context.Context) ([]Server, error) {
	list, err := get[ServerList](ctx, c, "/api/servers", nil)
	return list.Servers, err
}

// Logs returns the last n lines that a server wrote to its log, oldest first;
// n of 0 or less means the gateway's default.
func (c *Client) Logs(ctx context.Context, server string, n int) ([]string, error) {
	query := url.Values{}
	if n > 0 {
		query.Set("n", strconv.Itoa(n))
	}
	log, err := get[LogLines](ctx, c, "/api/servers/"+url.PathEscape(server)+"/logs", query)
	return log.Lines, err
}

// Restart stops a server and starts it anew, and returns how it is then.
func (c *Client) Restart(ctx context.Context, server string) (Server, error) {
	return post[Server](ctx, c, "/api/servers/"+url.PathEscape(server)+"/restart", struct{}{})
}

// Reload makes the gateway read its configuration again. An error says why the
// new one can't be used; the former one then stays in force.
func (c *Client) Reload(ctx context.Context) error {
	_, err := post[struct{}](ctx, c, "/api/reload", struct{}{})
	return err
}

// Tools lists what an agent may reach, sorted by id.
func (c *Client) Tools(ctx context.Context, r ToolsRequest) (ToolList, error) {
	query := url.Values{}
	if r.Agent != "" {
		query.Set("agent", r.Agent)
	}
	if r.Owner != "" {
		query.Set("owner", r.Owner)
	}
	return get[ToolList](ctx, c, "/api/tools", query)
}

// Search finds tools by words.
func (c *Client) Search(ctx context.Context, r SearchRequest) (SearchReply, error) {
	return post[SearchReply](ctx, c, "/api/search", r)
}

// Describe returns one tool whole.
func (c *Client) Describe(ctx context.Context, r DescribeRequest) (Description, error) {
	return post[Description](ctx, c, "/api/describe", r)
}

// Call runs a tool. It is cancelled with ctx.
func (c *Client) Call(ctx context.Context, r CallRequest) (CallReply, error) {
	return post[CallReply](ctx, c, "/api/call", r)
}

func get[T any](ctx context.Context, c *Client, path string, query url.Values) (T, error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return send[T](ctx, c, http.MethodGet, path, nil)
}

func post[T any](ctx context.Context, c *Client, path string, body any) (T, error) {
	data, err := json.Marshal(body)
	if err != nil {
		var zero T
		return zero, toolcrib.NewError(toolcrib.KindInput, "the request is not valid JSON: "+err.Error(),
			"give args as one JSON object")
	}
	return send[T](ctx, c, http.MethodPost, path, data)
}

func send[T any](ctx context.Context, c *Client, method, path string, body []byte) (T, error) {
	var zero T
	ctx, begun, end := c.hurry(ctx, method, path)
	defer end()
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, reader)
	if err != nil {
		return zero, toolcrib.NewError(toolcrib.KindInput, "cannot build the request: "+err.Error(), "")
	}
	req.Header.Set("Accept", "application/json")
	c.authorize(req)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	begun()
	if errors.Is(context.Cause(ctx), errSilent) {
		return zero, c.silent()
	}
	if err != nil {
		return zero, transportError(ctx, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return zero, transportError(ctx, err)
	}
	if len(data) > maxAnswer {
		return zero, toolcrib.NewError(toolcrib.KindLimit,
			fmt.Sprintf("the gateway's answer is larger than %d MiB", maxAnswer>>20), "ask for less at once")
	}
	if resp.StatusCode/100 != 2 {
		return zero, answerError(resp, data)
	}
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		return zero, toolcrib.NewError(toolcrib.KindInternal, "the gateway's answer is not the JSON that was expected",
			"check that client and gateway are of the same version").WithCause(err)
	}
	return value, nil
}

// authorize shows the token, if there is one.
func (c *Client) authorize(req *http.Request) {
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
}

// transportError sorts what went wrong before an answer was there.
func transportError(ctx context.Context, err error) error {
	var known *toolcrib.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded):
		return toolcrib.NewError(toolcrib.KindTimeout, "the gateway did not answer in time",
			"a call may have had its effect: look before repeating it").WithCause(err)
	case ctx.Err() != nil:
		return toolcrib.NewError(toolcrib.KindCanceled, "the request was cancelled", "").WithCause(err)
	}
	return toolcrib.NewError(toolcrib.KindUnavailable, "the connection to the gateway broke",
		"see whether it still runs: toolcrib status").WithCause(err)
}

// answerError turns an answer that is no success into the error that it holds.
func answerError(resp *http.Response, data []byte) error {
	var failure Failure
	if json.Unmarshal(data, &failure) == nil && failure.Error.Kind != "" {
		e := toolcrib.NewError(failure.Error.Kind, failure.Error.Message, failure.Error.Hint)
		if failure.Error.Op != "" {
			e = e.WithOp(failure.Error.Op)
		}
		return e
	}
	return toolcrib.NewError(toolcrib.KindInternal, "the gateway answered "+resp.Status+" without saying why",
		"check that the address is that of a toolcrib gateway of the same version")
}
