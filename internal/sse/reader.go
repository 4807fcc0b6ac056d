package sse

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Event is one event of a stream.
type Event struct {
	// Name is "" for an event without one.
	Name string
	// Data is all its data, lines joined by line feeds.
	Data []byte
}

// ErrTooLong is the error of an event beyond the reader's bound.
var ErrTooLong = errors.New("an event is too long")

// Reader cuts a stream into events. It takes every line end that the format
// knows, and passes over comments, other fields and events without data.
type Reader struct {
	in    *bufio.Reader
	most  int
	begun bool
	// afterCR is true when the last line ended in a carriage return, of which a
	// line feed may be the second half.
	afterCR bool
}

// NewReader reads events of at most that many bytes.
func NewReader(r io.Reader, most int) *Reader {
	return &Reader{in: bufio.NewReaderSize(r, 16<<10), most: most}
}

// Next returns the next event, whose data is the caller's. At the end of the
// stream it is io.EOF; an event that the end cuts off counts if it has data,
// since some servers leave out the last empty line.
func (r *Reader) Next() (Event, error) {
	var e Event
	size, some := 0, false
	for {
		line, err := r.line(r.most - size)
		size += len(line)
		switch {
		case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0 && !some):
			return Event{}, err
		case len(line) == 0:
			if some {
				return e, nil
			}
			e, size = Event{}, 0
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "data":
			if some {
				e.Data = append(e.Data, '\n')
			}
			e.Data, some = append(e.Data, value...), true
		case "event":
			e.Name = string(value)
		}
		if err != nil {
			if some {
				return e, nil
			}
			return Event{}, err
		}
	}
}

// line returns the next line without its end. An error beside a line is io.EOF.
func (r *Reader) line(most int) ([]byte, error) {
	var line []byte
	for {
		c, err := r.in.ReadByte()
		if err != nil {
			return r.clean(line), err
		}
		if r.afterCR {
			r.afterCR = false
			if c == '\n' {
				continue
			}
		}
		switch c {
		case '\r':
			r.afterCR = true
			return r.clean(line), nil
		case '\n':
			return r.clean(line), nil
		}
		if err := r.in.UnreadByte(); err != nil {
			return nil, err
		}
		chunk, _ := r.in.Peek(r.in.Buffered())
		if end := bytes.IndexAny(chunk, "\r\n"); end >= 0 {
			chunk = chunk[:end]
		}
		if len(line)+len(chunk) > most {
			return nil, fmt.Errorf("%w: over %d bytes", ErrTooLong, r.most)
		}
		line = append(line, chunk...)
		if _, err := r.in.Discard(len(chunk)); err != nil {
			return nil, err
		}
	}
}

// clean takes a byte order mark from the first line of a stream.
func (r *Reader) clean(line []byte) []byte {
	if !r.begun {
		r.begun = true
		return bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return line
}

// Append writes an event after what is in out already. Data must be one line,
// as JSON without white space at its ends always can be.
func Append(out []byte, e Event) []byte {
	if e.Name != "" {
		out = append(append(append(out, "event: "...), e.Name...), '\n')
	}
	for line := range bytes.SplitSeq(e.Data, []byte("\n")) {
		out = append(append(append(out, "data: "...), line...), '\n')
	}
	return append(out, '\n')
}
