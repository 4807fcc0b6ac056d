package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// maxLine bounds one message on stdin, 16 MiB.
const maxLine = 16 << 20

// Run serves one client over in and out, newline-delimited JSON, until in ends,
// out breaks or ctx is done. Nothing but protocol is written to out. A line that
// isn't JSON is answered with a parse error, and the session goes on. When in
// has ended, calls in flight have Options.Drain to be answered and are then
// cancelled. The end of in is no error; ctx's end is ctx.Err().
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer, scope toolcrib.Scope, mode string) error {
	c := s.newConn(Who{Scope: scope, Mode: mode})
	var own group
	c.closing = &own
	defer own.wait()
	defer c.close()
	defer c.listening()()
	p := newPipe(ctx, in, out, s.o.Drain)
	p.look = c.farewells.look
	link, err := c.sdk.Connect(ctx, &mcp.IOTransport{Reader: p, Writer: p, MaxLineLength: -1}, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- link.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		c.cancel(ctx.Err())
		link.Close()
		err = ctx.Err()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}

// pipe stands between stdin, stdout and the SDK. It lets only JSON through,
// writes whole lines, and holds back the end of stdin while requests wait for
// their answers.
type pipe struct {
	ctx   context.Context
	lines *bufio.Reader
	drain time.Duration
	rest  []byte       // of the line that is being read
	look  func([]byte) // is shown what was written

	mu       sync.Mutex
	out      io.Writer
	pending  int
	answered chan struct{} // gets a value when pending falls to 0
}

func newPipe(ctx context.Context, in io.Reader, out io.Writer, drain time.Duration) *pipe {
	return &pipe{ctx: ctx, lines: bufio.NewReaderSize(in, 64<<10), drain: drain, out: out, answered: make(chan struct{}, 1), look: func([]byte) {}}
}

// Read gives the SDK the next piece of a line that is JSON.
func (p *pipe) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		line, err := p.line()
		line = bytes.TrimSpace(line)
		switch {
		case len(line) > 0 && json.Valid(line):
			p.note(line)
			p.rest = append(line, '\n')
		case len(line) > 0:
			p.reject(-32700, "Parse error: the line is not JSON")
		case errors.Is(err, errLineTooLong):
			p.reject(-32600, "Invalid request: the line is longer than 16 MiB")
		case err != nil:
			p.wait()
			return 0, err
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

var errLineTooLong = errors.New("mcpserver: line too long")

// line reads one line of at most maxLine bytes; a longer one is skipped.
func (p *pipe) line() ([]byte, error) {
	var line []byte
	long := false
	for {
		piece, err := p.lines.ReadSlice('\n')
		if !long && len(line)+len(piece) > maxLine {
			line, long = nil, true
		}
		if !long {
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil && long:
			return nil, errLineTooLong
		default:
			return line, err
		}
	}
}

// note counts a request that will be answered.
func (p *pipe) note(line []byte) {
	var message struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(line, &message) != nil || message.Method == "" || message.Method == methodListen ||
		len(message.ID) == 0 || string(message.ID) == "null" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending++
}

// wait holds back the end of stdin until every request is answered, or drain is over.
func (p *pipe) wait() {
	if p.drain <= 0 {
		return
	}
	timer := time.NewTimer(p.drain)
	defer timer.Stop()
	for {
		p.mu.Lock()
		pending := p.pending
		p.mu.Unlock()
		if pending <= 0 {
			return
		}
		select {
		case <-p.answered:
		case <-timer.C:
			return
		case <-p.ctx.Done():
			return
		}
	}
}

// Write writes one message of the SDK.
func (p *pipe) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := p.out.Write(b)
	p.look(b)
	if isResponse(b) {
		p.pending--
		if p.pending <= 0 {
			select {
			case p.answered <- struct{}{}:
			default:
			}
		}
	}
	return n, err
}

// Close does nothing: stdin and stdout belong to the caller.
func (p *pipe) Close() error { return nil }

func (p *pipe) reject(code int, message string) {
	data, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": message},
	})
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = p.out.Write(append(data, '\n')) // the next write of the SDK fails too, and ends the session
}

// isResponse reports whether a message answers a request. It reads no further
// than the first member that tells.
func isResponse(message []byte) bool {
	d := json.NewDecoder(bytes.NewReader(message))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return false
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return false
		}
		switch key {
		case "method":
			return false
		case "result", "error":
			return true
		}
		var skip json.RawMessage
		if d.Decode(&skip) != nil {
			return false
		}
	}
	return false
}
