package attach

import (
	"bufio"
	"errors"
	"io"
)

// Bounds of one line.
const (
	// maxLine bounds one message of the client, 16 MiB.
	maxLine = 16 << 20
	// maxAnswer bounds one message of a gateway, 64 MiB: results are larger than requests.
	maxAnswer = 64 << 20
	// keptBuffer is how much memory a reader keeps for the next line.
	keptBuffer = 1 << 20
)

var errLineTooLong = errors.New("attach: a line is too long")

// lines reads lines of a bounded length.
type lines struct {
	r     *bufio.Reader
	limit int
	buf   []byte
}

func newLines(r io.Reader, limit int) *lines {
	return &lines{r: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// next returns the next line, which ends in a newline and is good until the
// following call. One that is too long is skipped and is errLineTooLong. What
// stands behind the last newline comes as a line too, before the error.
func (l *lines) next() ([]byte, error) {
	if cap(l.buf) > keptBuffer {
		l.buf = nil
	}
	l.buf = l.buf[:0]
	long := false
	for {
		piece, err := l.r.ReadSlice('\n')
		long = long || len(l.buf)+len(piece) > l.limit
		if !long {
			l.buf = append(l.buf, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil && long:
			return nil, errLineTooLong
		case err == nil:
			return l.buf, nil
		case len(l.buf) > 0 && !long:
			return append(l.buf, '\n'), nil // the error comes again with the next call
		default:
			return nil, err
		}
	}
}
