package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// events rewrites a stream of server-sent events: each message in it passes
// through see, which may change or drop it. Ids and retry times stay, so that
// a stream can be resumed.
type events struct {
	body io.ReadCloser
	r    *bufio.Reader
	see  func([]byte) ([]byte, bool)
	ids  bool // an event without data still says how to resume
	out  bytes.Buffer
	err  error
}

// newEvents wraps the body of a stream. A resumable one keeps the ids of events
// whose message is dropped.
func newEvents(body io.ReadCloser, resumable bool, see func([]byte) ([]byte, bool)) *events {
	return &events{body: body, r: bufio.NewReaderSize(body, 8<<10), ids: resumable, see: see}
}

// Close implements io.Closer.
func (e *events) Close() error { return e.body.Close() }

// Read implements io.Reader.
func (e *events) Read(p []byte) (int, error) {
	for e.out.Len() == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.out.Reset()
		e.err = e.event()
	}
	return e.out.Read(p)
}

// event is one server-sent event as it is read.
type event struct {
	name string
	head []byte // its id and retry lines
	data []byte
	had  bool // there was a data line, be it empty
	size int
}

// event reads one event and writes what is left of it.
func (e *events) event() error {
	var v event
	for {
		line, err := readLine(e.r, maxFrame)
		if v.size += len(line); errors.Is(err, errLongLine) || v.size > maxFrame {
			return errors.New("an event is over its bound")
		}
		line = bytes.TrimRight(line, "\r\n")
		v.line(line)
		if len(line) == 0 || err != nil {
			e.finish(v)
			return err
		}
	}
}

// line adds a line to the event.
func (v *event) line(line []byte) {
	key, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(key) {
	case "data":
		if v.had {
			v.data = append(v.data, '\n')
		}
		v.data, v.had = append(v.data, value...), true
	case "event":
		v.name = string(value)
	case "id", "retry":
		v.head = fmt.Appendf(v.head, "%s: %s\n", key, value)
	}
}

// finish writes an event, or what is left of it when its message is dropped.
func (e *events) finish(v event) {
	if message := v.name == "" || v.name == "message"; message && len(bytes.TrimSpace(v.data)) > 0 {
		v.data, v.had = e.see(v.data)
	}
	switch {
	case v.had:
		e.write(v)
	case len(v.head) > 0 && e.ids:
		e.out.Write(v.head)
		e.out.WriteByte('\n')
	}
}

// write writes an event.
func (e *events) write(v event) {
	e.out.Grow(len(v.head) + len(v.data) + 64)
	if v.name != "" {
		e.out.WriteString("event: " + v.name + "\n")
	}
	e.out.Write(v.head)
	for part := range bytes.SplitSeq(v.data, []byte("\n")) {
		e.out.WriteString("data: ")
		e.out.Write(part)
		e.out.WriteByte('\n')
	}
	e.out.WriteByte('\n')
}
