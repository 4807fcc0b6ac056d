package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxFrame bounds one message from a server, in bytes.
const maxFrame = 64 << 20

// pipe is a connection over a server's stdin and stdout. Unlike the SDK's own
// it outlives what isn't protocol: a banner, a log line, a message it can't read.
type pipe struct {
	in       io.Reader
	out      io.WriteCloser
	alive    func() // told of each sign of life
	tap      *tap
	stray    func(line string) // told of each line that is no message
	discover time.Duration

	messages chan jsonrpc.Message
	frames   chan []byte
	ended    chan struct{} // the server's stdout has ended
	shut     chan struct{}
	once     sync.Once

	mu      sync.Mutex
	asked   jsonrpc.ID // the server/discover that waits for an answer
	patient *time.Timer
}

// newPipe starts reading and writing.
func newPipe(proc *process, t *tap, discover time.Duration, stray func(string)) *pipe {
	p := &pipe{
		in: proc.stdout, out: proc.stdin, alive: proc.alive, tap: t, stray: stray, discover: discover,
		messages: make(chan jsonrpc.Message), frames: make(chan []byte, 16),
		ended: make(chan struct{}), shut: make(chan struct{}),
	}
	go p.read()
	go p.write()
	return p
}

// Connect implements the SDK's Transport.
func (p *pipe) Connect(context.Context) (sdk.Connection, error) { return p, nil }

// SessionID implements the SDK's Connection.
func (p *pipe) SessionID() string { return "" }

// Read implements the SDK's Connection.
func (p *pipe) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-p.messages:
		return m, nil
	case <-p.ended:
		return nil, io.EOF
	case <-p.shut:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements the SDK's Connection. It returns when the message is queued,
// so that a server that doesn't read can't hold a caller past its deadline.
func (p *pipe) Write(ctx context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Request); ok {
		p.tap.sent(ctx, r.ID)
		p.expect(r)
	}
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return fmt.Errorf("encoding a message: %w", err)
	}
	select {
	case p.frames <- append(data, '\n'):
		return nil
	case <-p.shut:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close implements the SDK's Connection. It closes the server's stdin, which
// asks it to leave; whoever owns the process ends its stdout.
func (p *pipe) Close() error {
	p.once.Do(func() { close(p.shut) })
	p.mu.Lock()
	if p.patient != nil {
		p.patient.Stop()
	}
	p.mu.Unlock()
	return p.out.Close()
}

// write sends the queued messages.
func (p *pipe) write() {
	for {
		select {
		case data := <-p.frames:
			if _, err := p.out.Write(data); err != nil {
				_ = p.Close()
				return
			}
		case <-p.shut:
			return
		}
	}
}

// read hands on what the server sends until its stdout ends.
func (p *pipe) read() {
	defer close(p.ended)
	r := bufio.NewReaderSize(p.in, 32<<10)
	for {
		line, err := readLine(r, maxFrame)
		p.alive()
		if errors.Is(err, errLongLine) {
			p.stray(fmt.Sprintf("(a line over %d MiB is dropped)", maxFrame>>20))
			continue
		}
		if len(line) > 0 && !p.line(line) {
			return
		}
		if err != nil {
			return
		}
	}
}

// line hands on the messages of one line. It returns false when the pipe is shut.
func (p *pipe) line(line []byte) bool {
	frames, bad := unwrap(line)
	if bad != "" {
		p.stray(bad)
	}
	for _, m := range frames {
		p.heard(m)
		if seen, _ := p.tap.came(m); seen != nil && !p.deliver(seen) {
			return false
		}
	}
	return true
}

// deliver gives a message to the reader.
func (p *pipe) deliver(m jsonrpc.Message) bool {
	select {
	case p.messages <- m:
		return true
	case <-p.ended:
		return false
	case <-p.shut:
		return false
	}
}

// unwrap returns the messages of a line, and the text in it that is none.
func unwrap(line []byte) (frames []jsonrpc.Message, stray string) {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
	if len(line) == 0 {
		return nil, ""
	}
	if line[0] != '{' && line[0] != '[' {
		i := bytes.Index(line, []byte(`{"jsonrpc"`))
		if i < 0 {
			return nil, string(line[:min(len(line), maxLogLine)])
		}
		stray, line = string(line[:min(i, maxLogLine)]), line[i:]
	}
	frames, err := decodeFrames(line)
	if err != nil {
		stray = fmt.Sprintf("%s (%v)", line[:min(len(line), maxLogLine)], err)
	}
	return frames, stray
}

// expect watches a server/discover: a server of an older protocol may leave a
// method that it doesn't know without any answer, and must be asked otherwise.
func (p *pipe) expect(r *jsonrpc.Request) {
	if r.Method != "server/discover" || !r.IsCall() {
		return
	}
	refusal := &jsonrpc.Response{ID: r.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "server/discover was not answered"}}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = r.ID
	p.patient = time.AfterFunc(p.discover, func() { p.deliverLate(refusal) })
}

// deliverLate gives the refusal to the SDK, unless the server did answer.
func (p *pipe) deliverLate(m *jsonrpc.Response) {
	p.mu.Lock()
	waiting := p.asked == m.ID
	p.asked = jsonrpc.ID{}
	p.mu.Unlock()
	if waiting {
		p.deliver(m)
	}
}

// heard notes the answer to server/discover.
func (p *pipe) heard(m jsonrpc.Message) {
	a, ok := m.(*jsonrpc.Response)
	if !ok {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.patient != nil && p.asked == a.ID {
		p.asked = jsonrpc.ID{}
		p.patient.Stop()
	}
}

// errLongLine reports a line that was over the bound and is dropped whole.
var errLongLine = errors.New("line too long")

// readLine returns the next line, without a bound on time but with one on size.
// At the end it returns what is left, and the error.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > limit; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long && err == nil {
			return nil, errLongLine
		}
		return line, err
	}
}
