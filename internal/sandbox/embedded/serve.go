package embedded

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolcrib/toolcrib/internal/sandbox"
	"github.com/toolcrib/toolcrib/internal/sandbox/engine"
	"github.com/toolcrib/toolcrib/internal/sandbox/prelude"
	"github.com/toolcrib/toolcrib/internal/sandbox/wire"
)

// serve runs the one script that comes. A child whose parent is gone ends at
// once, also in the middle of a busy loop.
func serve(e *engine.Engine, in *wire.Reader, out *wire.Writer) error {
	frame, err := in.Read()
	if err != nil {
		return nil // never needed
	}
	var m wire.Run
	if frame.Kind != wire.KindRun {
		return fmt.Errorf("the first frame is %q", frame.Kind)
	}
	if err := frame.Decode(&m); err != nil {
		return err
	}
	answers := make(chan engine.Answer, m.Calls)
	go func() {
		err := receive(in, answers)
		fmt.Fprintln(os.Stderr, "the parent is gone:", err)
		os.Exit(1)
	}()
	config := m
	config.Code = ""
	text, err := json.Marshal(config)
	if err != nil {
		return err
	}
	logs := logger{out: out, left: m.Logs}
	end, err := e.Run(engine.Script{Code: m.Code, Bare: sandbox.Bare(m.Code), Config: text, Memory: m.Memory}, engine.Host{
		Call: func(n int, function, args string) error {
			return out.Write(wire.KindCall, wire.Call{N: n, Function: function, Args: json.RawMessage(args)})
		},
		Log: logs.log,
	}, answers)
	return finish(out, end, err)
}

// receive takes the parent's answers.
func receive(in *wire.Reader, answers chan<- engine.Answer) error {
	for {
		frame, err := in.Read()
		if err != nil {
			return err
		}
		var m wire.Answer
		if err := frame.Decode(&m); err != nil {
			return err
		}
		answer := engine.Answer{N: m.N, OK: m.Error == nil, Text: string(m.Value)}
		if m.Error != nil {
			text, err := json.Marshal(m.Error)
			if err != nil {
				return err
			}
			answer.Text = string(text)
		}
		answers <- answer
	}
}

// logger sends lines until they are too many.
type logger struct {
	out  *wire.Writer
	left int
}

var errLogs = errors.New("too many logs")

func (l *logger) log(level, text string) error {
	over := len(text)+1 > l.left
	if over {
		text = cut(text, l.left-1)
	}
	l.left -= len(text) + 1
	if over && text == "" {
		return errLogs
	}
	if err := l.out.Write(wire.KindLog, wire.Log{Level: level, Text: text}); err != nil {
		return err
	}
	if over {
		return errLogs
	}
	return nil
}

// cut shortens a text to at most n bytes of whole characters.
func cut(text string, n int) string {
	if n <= 0 {
		return ""
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// finish sends the last frame.
func finish(out *wire.Writer, end engine.End, err error) error {
	switch {
	case errors.Is(err, errLogs):
		return out.Write(wire.KindFailure, wire.Failure{Kind: sandbox.KindLimit, Limit: sandbox.LimitLogs, Message: "too many logs"})
	case err != nil:
		return out.Write(wire.KindFailure, wire.Failure{Kind: sandbox.KindInternal, Message: err.Error()})
	case end.Failure != "":
		var f wire.Failure
		if err := json.Unmarshal([]byte(end.Failure), &f); err != nil {
			return err
		}
		place(&f)
		return out.Write(wire.KindFailure, f)
	}
	var notes []string
	if err := json.Unmarshal([]byte(end.Notes), &notes); err != nil {
		return err
	}
	return out.Write(wire.KindDone, wire.Done{Value: json.RawMessage(end.Value), Notes: notes})
}

var frameAt = regexp.MustCompile(`<eval>:(\d+):(\d+)`)

// maxFrames bounds a stack, of which the innermost frames are the ones to read.
const maxFrames = 8

// place puts lines and the stack into the script's own numbers.
func place(f *wire.Failure) {
	if f.Line > 0 {
		f.Line = max(f.Line-prelude.HeadLines, 1)
	}
	var frames []string
	for line := range strings.Lines(f.Stack) {
		at := frameAt.FindStringSubmatch(line)
		if at == nil {
			continue
		}
		// Both are digits; what is too large for an int is none of the script's lines.
		number, err := strconv.Atoi(at[1])
		column, err2 := strconv.Atoi(at[2])
		number -= prelude.HeadLines
		if err != nil || err2 != nil || number > engine.LastLine {
			continue
		}
		name := strings.TrimSpace(line[:strings.Index(line, "(")])
		// The constructor of a script's own error isn't where it was thrown.
		if f.Line == 0 && !strings.HasPrefix(f.Message, strings.TrimPrefix(name, "at ")+": ") {
			f.Line, f.Column = max(number, 1), column
		}
		if len(frames) < maxFrames {
			frames = append(frames, fmt.Sprintf("%s (%s:%d:%d)", name, prelude.File, number, column))
			frames = slices.Compact(frames) // a recursion is one line
		}
	}
	f.Stack = strings.Join(frames, "\n")
}
