package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/toolcrib/toolcrib"
)

// maxAnswer is the most that a hook may answer, in bytes.
const maxAnswer = 1 << 20

// answer is what a hook said, checked.
type answer struct {
	decision Decision
	reason   string
	args     json.RawMessage // nil: as they are
	approval Approval
	result   *toolcrib.Result // nil: as it is
}

// parseAnswer reads the answer of a program or a webhook. It is one JSON object
// of known keys, each at most once and of its own type; everything else is an
// error, so that a misspelt "decision" can't let a call run.
func parseAnswer(event Event, data []byte) (answer, error) {
	if !utf8.Valid(data) {
		return answer{}, errors.New("its answer is not UTF-8")
	}
	fields, err := object(data)
	if err != nil {
		return answer{}, err
	}
	a := answer{decision: Allow}
	asked := false
	for _, f := range fields {
		switch f.key {
		case "decision":
			a.decision, err = decision(event, f.value)
		case "reason":
			err = text(f, &a.reason)
		case "args":
			a.args, err = newArgs(event, f.value)
		case "approval":
			asked = true
			a.approval, err = approval(event, f.value)
		case "result":
			a.result, err = newResult(event, f.value)
		default:
			err = unknownKey(f.key)
		}
		if err != nil {
			return answer{}, err
		}
	}
	if asked && a.decision != Ask {
		return answer{}, fmt.Errorf(`its answer has "approval" without the decision "ask"`)
	}
	return a, nil
}

// field is one key of an object with its value.
type field struct {
	key   string
	value json.RawMessage
}

// object reads the fields of one JSON object, of which no key may stand twice.
func object(data []byte) ([]field, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("its answer is not a JSON object")
	}
	var fields []field
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, errors.New("its answer is not JSON")
		}
		f := field{key: key.(string)} // only a string can stand here
		if seen[f.key] {
			return nil, fmt.Errorf("its answer has the key %q twice", cut(f.key, maxKey))
		}
		seen[f.key] = true
		if err := d.Decode(&f.value); err != nil {
			return nil, errors.New("its answer is not JSON")
		}
		fields = append(fields, f)
	}
	if _, err := d.Token(); err != nil {
		return nil, errors.New("its answer is not JSON")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("its answer is more than one JSON object")
	}
	return fields, nil
}

// maxKey is how many characters of a foreign key are repeated.
const maxKey = 40

func unknownKey(key string) error {
	return fmt.Errorf("its answer has the unknown key %q", cut(key, maxKey))
}

// text reads a string.
func text(f field, into *string) error {
	if len(f.value) == 0 || f.value[0] != '"' || json.Unmarshal(f.value, into) != nil {
		return fmt.Errorf("%q in its answer is not a string", f.key)
	}
	return nil
}

func decision(event Event, value json.RawMessage) (Decision, error) {
	var word string
	if err := text(field{"decision", value}, &word); err != nil {
		return "", err
	}
	d := Decision(word)
	switch {
	case d == Allow, d == Block, d == Ask && event == Before:
		return d, nil
	case d == Ask:
		return "", errors.New(`its decision is "ask", but the tool did run already`)
	}
	return "", fmt.Errorf("its decision %q is none of allow, block and ask", cut(word, maxKey))
}

func newArgs(event Event, value json.RawMessage) (json.RawMessage, error) {
	if event != Before {
		return nil, errors.New(`its answer has "args", but the tool did run already`)
	}
	return value, checkArgs(value)
}

// checkArgs wants a JSON object.
func checkArgs(args json.RawMessage) error {
	if trimmed := bytes.TrimSpace(args); len(trimmed) == 0 || trimmed[0] != '{' || !json.Valid(trimmed) {
		return errors.New("the arguments that it made are not a JSON object")
	}
	return nil
}

// approval reads how a person is to be asked.
func approval(event Event, value json.RawMessage) (Approval, error) {
	var a Approval
	if event != Before {
		return a, errors.New(`its answer has "approval", but the tool did run already`)
	}
	fields, err := object(value)
	if err != nil {
		return a, errors.New(`"approval" in its answer is not an object whose keys stand once`)
	}
	for _, f := range fields {
		switch f.key {
		case "title":
			err = text(f, &a.Title)
		case "description":
			err = text(f, &a.Description)
		case "severity":
			err = text(f, (*string)(&a.Severity))
		case "decisions":
			err = decode(f, &a.Decisions)
		case "timeoutMs":
			err = milliseconds(f, &a.Timeout)
		case "anyArgs":
			err = decode(f, &a.AnyArgs)
		default:
			err = unknownKey("approval." + f.key)
		}
		if err != nil {
			return a, err
		}
	}
	return a, a.check()
}

// decode reads a value of another type; null is none.
func decode[T any](f field, into *T) error {
	if string(f.value) == "null" || json.Unmarshal(f.value, into) != nil {
		return fmt.Errorf("%q in its answer is of the wrong type", f.key)
	}
	return nil
}

// milliseconds reads a duration; one that is too long becomes the longest.
func milliseconds(f field, into *time.Duration) error {
	var ms float64
	if err := decode(f, &ms); err != nil {
		return err
	}
	if ms < 1 {
		return fmt.Errorf("%q in its answer is no time", f.key)
	}
	*into = time.Duration(min(ms, float64(toolcrib.MaxApprovalFor.Milliseconds()))) * time.Millisecond
	return nil
}

// newResult reads the result that takes the place of the tool's.
func newResult(event Event, value json.RawMessage) (*toolcrib.Result, error) {
	if event != After {
		return nil, errors.New(`its answer has "result", but the tool has not run yet`)
	}
	fields, err := object(value)
	if err != nil {
		return nil, errors.New(`"result" in its answer is not an object whose keys stand once`)
	}
	r := &toolcrib.Result{Content: []toolcrib.Content{}}
	for _, f := range fields {
		switch f.key {
		case "content":
			err = decode(f, &r.Content)
		case "details":
			r.Details = f.value
		case "isError":
			err = decode(f, &r.IsError)
		default:
			err = unknownKey("result." + f.key)
		}
		if err != nil {
			return nil, err
		}
	}
	return r, checkResult(r)
}

// checkResult wants blocks that say of which type they are.
func checkResult(r *toolcrib.Result) error {
	if string(r.Details) == "null" {
		r.Details = nil
	}
	if len(r.Details) > 0 && !json.Valid(r.Details) {
		return errors.New("the result's details that it made are not JSON")
	}
	for i, c := range r.Content {
		if c.Type == "" || c.Raw != nil && !json.Valid(c.Raw) {
			return fmt.Errorf("block %d of the result that it made is no content", i+1)
		}
	}
	return nil
}
