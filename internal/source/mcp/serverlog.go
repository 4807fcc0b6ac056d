package mcp

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bounds of a server's log.
const (
	maxLogLine  = 8 << 10 // bytes of one line
	maxLogFile  = 1 << 20 // bytes of the file before it becomes the old one
	maxRecent   = 1000    // lines in memory
	recentBytes = 256 << 10
	maxTail     = 20  // newest stderr lines, for reasons and reports
	maxTailLine = 400 // bytes of one of them
)

// serverLog keeps what one server writes to stderr, and what happens to it. It
// writes into a book that a server shares with the one that it replaces.
type serverLog struct {
	*logBook
	tail []string // the newest stderr lines of this server's
}

// logBook is a log: the newest lines in memory, and a file of at most maxLogFile
// with one older file.
type logBook struct {
	path   string // empty: no file
	redact func(string) string

	mu     sync.Mutex
	users  int // logs that write into it
	recent []string
	bytes  int
	file   *os.File
	size   int64
	broken bool
}

// newServerLog returns a log in dir, or in memory alone when dir is empty.
func newServerLog(dir, server string, redact func(string) string) *serverLog {
	b := &logBook{redact: redact, users: 1}
	if dir != "" {
		b.path = filepath.Join(dir, server+".log")
	}
	return &serverLog{logBook: b}
}

// heir is the log of a server that takes the place of this one.
func (l *serverLog) heir() *serverLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users++; l.users == 1 { // it was closed
		l.broken = false
	}
	return &serverLog{logBook: l.logBook}
}

// stderr adds a line that the server wrote.
func (l *serverLog) stderr(line string) {
	line = l.clean(line)
	if line == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tail = append(l.tail, clip(line, maxTailLine)); len(l.tail) > maxTail {
		l.tail = slices.Delete(l.tail, 0, 1)
	}
	l.append(line)
}

// note adds a line of our own.
func (l *serverLog) note(line string) {
	line = l.clean(line)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.append("toolcrib: " + line)
}

// clean makes a foreign line safe to show: secrets out, controls escaped, bounded.
func (l *logBook) clean(line string) string {
	line = strings.TrimRight(clip(line, maxLogLine), " \t\r\n")
	return l.redact(printable(line))
}

// printable escapes control characters and replaces invalid UTF-8.
func printable(s string) string {
	plain := strings.IndexFunc(s, func(r rune) bool { return r != '\t' && unicode.IsControl(r) }) < 0
	if plain && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '\t' || !unicode.IsControl(r):
			b.WriteRune(r)
		case r < 0x80:
			const hex = "0123456789abcdef"
			b.WriteString(`\x`)
			b.WriteByte(hex[r>>4])
			b.WriteByte(hex[r&15])
		}
	}
	return b.String()
}

// append stores a clean line; the lock is held.
func (l *logBook) append(line string) {
	line = time.Now().UTC().Format("2006-01-02T15:04:05.000Z ") + line
	l.recent = append(l.recent, line)
	l.bytes += len(line)
	for len(l.recent) > maxRecent || l.bytes > recentBytes {
		l.bytes -= len(l.recent[0])
		l.recent[0] = ""
		l.recent = l.recent[1:]
	}
	l.save(line)
}

// save writes a line to the file. A file that can't be written is given up:
// the lines in memory remain.
func (l *logBook) save(line string) {
	if l.path == "" || l.broken {
		return
	}
	if l.file == nil && !l.openFile() {
		return
	}
	n, err := l.file.WriteString(line + "\n")
	l.size += int64(n)
	if err != nil {
		l.broken = true
		return
	}
	if l.size >= maxLogFile {
		_ = l.file.Close()
		l.file = nil
		l.broken = os.Rename(l.path, l.path+".old") != nil
	}
}

// openFile opens the file for appending.
func (l *logBook) openFile() bool {
	l.broken = true
	if os.MkdirAll(filepath.Dir(l.path), 0o700) != nil {
		return false
	}
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return false
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return false
	}
	l.file, l.size, l.broken = f, info.Size(), false
	return true
}

// lines returns the newest n lines, oldest first; n <= 0 returns all there are.
// What has become a secret since they were kept is taken out.
func (l *logBook) lines(n int) []string {
	l.mu.Lock()
	if n <= 0 || n > len(l.recent) {
		n = len(l.recent)
	}
	out := slices.Clone(l.recent[len(l.recent)-n:])
	l.mu.Unlock()
	for i := range out {
		out[i] = l.redact(out[i])
	}
	return out
}

// lastLines returns the newest stderr lines since forget, oldest first.
func (l *serverLog) lastLines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.tail)
}

// lastWords returns the one of them that says best what is wrong.
func (l *serverLog) lastWords() string { return telling(l.lastLines()) }

// forget drops them, so that a new start isn't blamed on them.
func (l *serverLog) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tail = nil
}

// close closes the file when nobody else writes into it.
func (l *serverLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users--; l.users > 0 {
		return
	}
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
	}
	l.broken = true
}

// follow reads a server's stderr until it ends. A line over the bound is cut,
// and the rest of it dropped.
func (l *serverLog) follow(r io.Reader, alive func()) {
	b := bufio.NewReaderSize(r, maxLogLine)
	for {
		part, err := b.ReadSlice('\n')
		alive()
		l.stderr(string(part))
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = b.ReadSlice('\n')
			alive()
		}
		if err != nil {
			return
		}
	}
}
