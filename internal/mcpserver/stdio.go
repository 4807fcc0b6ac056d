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

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/rpcline"
)

// maxLine bounds one message on stdin, 16 MiB.
const maxLine = 16 << 20

// Run serves one client over in and out, newline-delimited JSON, until in ends,
// out breaks or ctx is done. Nothing but protocol is written to out. A line that
// is no message is answered with an error, and the session goes on. When in
// has ended, calls in flight have Options.Drain to be answered and are then
// cancelled. The end of in is no error; ctx's end is ctx.Err().
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer, scope toolcrib.Scope, mode string) error {
	return s.RunAs(ctx, in, out, Who{Scope: scope, Mode: mode})
}

// RunAs is Run for a client of whom more is known: who's Identity counts, too.
func (s *Server) RunAs(ctx context.Context, in io.Reader, out io.Writer, who Who) error {
	c := s.newConn(who)
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

// pipe stands between stdin, stdout and the SDK, which ends the session at the
// first line that it can't read. It lets only messages through, and of requests
// one with each id at a time; it writes whole lines, and holds back the end of
// stdin while requests wait for their answers.
type pipe struct {
	ctx   context.Context
	lines *bufio.Reader
	drain time.Duration
	rest  []byte       // of the line that is being read
	look  func([]byte) // is shown what was written

	mu       sync.Mutex
	out      io.Writer
	open     map[string]bool // requests without an answer, by id; false for those that are not waited for
	answered chan struct{}   // gets a value when an answer was written
}

func newPipe(ctx context.Context, in io.Reader, out io.Writer, drain time.Duration) *pipe {
	return &pipe{ctx: ctx, lines: bufio.NewReaderSize(in, 64<<10), drain: drain, out: out, open: map[string]bool{}, answered: make(chan struct{}, 1), look: func([]byte) {}}
}

// Read gives the SDK the next piece of a line that is a message.
func (p *pipe) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		line, err := p.line()
		line = bytes.TrimSpace(line)
		switch {
		case len(line) > 0:
			if line = p.admit(line); line != nil {
				p.rest = append(line, '\n')
			}
		case errors.Is(err, errLineTooLong):
			p.refuse(&rpcline.Refusal{Code: rpcline.CodeInvalid, Text: "Invalid request: the line is longer than 16 MiB"})
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

// admit returns what the SDK is to read of a line, nil for nothing.
func (p *pipe) admit(line []byte) []byte {
	m, refused := rpcline.Read(line)
	if refused == nil {
		if _, err := jsonrpc.DecodeMessage(line); err != nil { // such as what is nested too deep
			refused = rpcline.Unreadable(m)
		}
	}
	if refused == nil && m.Request() {
		refused = p.note(m)
	}
	if refused == nil {
		return line
	}
	p.refuse(refused)
	if m.Method == "" && m.ID != nil && refused.ID == nil {
		return unreadable(m.ID) // whoever waits for this answer must not wait for good
	}
	return nil
}

// unreadable stands for an answer of the client that can't be read.
func unreadable(id []byte) []byte {
	line := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	return append(line, `,"error":{"code":-32600,"message":"the answer can't be read"}}`...)
}

// note enters a request that will be answered, unless one with its id goes on.
func (p *pipe) note(m rpcline.Message) *rpcline.Refusal {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, taken := p.open[m.Key]; taken {
		return rpcline.InUse(m)
	}
	p.open[m.Key] = m.Method != methodListen
	return nil
}

// waiting reports whether requests wait for their answers.
func (p *pipe) waiting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, counts := range p.open {
		if counts {
			return true
		}
	}
	return false
}

// wait holds back the end of stdin until every request is answered, or drain is over.
func (p *pipe) wait() {
	if p.drain <= 0 {
		return
	}
	timer := time.NewTimer(p.drain)
	defer timer.Stop()
	for p.waiting() {
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
	if id := answers(b); id != nil {
		delete(p.open, rpcline.Key(id))
		select {
		case p.answered <- struct{}{}:
		default:
		}
	}
	return n, err
}

// Close does nothing: stdin and stdout belong to the caller.
func (p *pipe) Close() error { return nil }

func (p *pipe) refuse(r *rpcline.Refusal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = p.out.Write(r.Line()) // the next write of the SDK fails too, and ends the session
}

// answers returns the id of the request that a message of the SDK answers, nil
// when it answers none. It reads no further than the first member that tells.
func answers(message []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(message))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	var id json.RawMessage
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		switch key {
		case "method":
			return nil
		case "result", "error":
			return id // the SDK writes it first
		case "id":
			err = d.Decode(&id)
		default:
			err = d.Decode(&value)
		}
		if err != nil {
			return nil
		}
	}
	return nil
}
