package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolcrib/toolcrib"
)

// Bounds of a schema that Compile takes.
const (
	// MaxBytes is the size of a schema.
	MaxBytes = 1 << 20
	// MaxDepth is how many objects and arrays may stand within each other, in a
	// schema and in a value.
	MaxDepth = 128
	// MaxObjects is how many objects a schema may hold; compiling is quadratic in them.
	MaxObjects = 5000
)

// baseURL is the address under which a schema without an $id is compiled.
const baseURL = "schema:///"

// Schema is a compiled schema. It is immutable and safe for concurrent use.
// Compiling costs much more than using it: keep it.
type Schema struct {
	root  *jsonschema.Schema
	meter *meter
}

// Compile reads a schema. No schema at all (nil, or null) admits every value.
// Errors are of KindLimit when a bound is passed and of KindTool otherwise.
func Compile(schema json.RawMessage) (*Schema, error) {
	schema = bytes.TrimSpace(schema)
	if len(schema) == 0 || string(schema) == "null" {
		schema = json.RawMessage("true")
	}
	if err := checkBounds(schema); err != nil {
		return nil, err
	}
	doc, err := decode(schema)
	if err != nil {
		return nil, toolcrib.NewError(toolcrib.KindTool, "the tool's schema can't be read: "+err.Error(), "").WithCause(err)
	}
	if number := oversized(doc); number != "" {
		return nil, toolcrib.NewError(toolcrib.KindTool, "the tool's schema can't be used: the number "+cut(number, maxShown)+" is out of range", "")
	}
	admitNull(doc)
	root, err := compile(doc)
	if err != nil {
		return nil, toolcrib.NewError(toolcrib.KindTool, "the tool's schema can't be used: "+compileFault(err), "").WithCause(err)
	}
	m := &meter{}
	m.install(root)
	return &Schema{root: root, meter: m}, nil
}

// compile tries the drafts that a schema without "$schema" may be written in,
// the newest first, and returns the first one's error when none fits.
func compile(doc any) (*jsonschema.Schema, error) {
	drafts := []*jsonschema.Draft{jsonschema.Draft2020}
	if object, ok := doc.(map[string]any); ok && object["$schema"] == nil {
		drafts = append(drafts, jsonschema.Draft7, jsonschema.Draft4)
	}
	var first error
	for _, draft := range drafts {
		root, err := compileAs(draft, doc)
		if err == nil {
			return root, nil
		}
		if first == nil {
			first = err
		}
		var invalid *jsonschema.SchemaValidationError
		if !errors.As(err, &invalid) {
			break // another draft would not help
		}
	}
	return nil, first
}

func compileAs(draft *jsonschema.Draft, doc any) (root *jsonschema.Schema, err error) {
	defer func() {
		if recover() != nil { // a fault of the compiler that a schema brought out
			root, err = nil, errUnusable
		}
	}()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.UseLoader(closedLoader{})
	c.UseRegexpEngine(lenientRegexp)
	for _, name := range formatNames {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
	if err := c.AddResource(baseURL, doc); err != nil {
		return nil, err
	}
	return c.Compile(baseURL)
}

// formatNames are the formats that old drafts would enforce.
var formatNames = []string{
	"json-pointer", "relative-json-pointer", "uuid", "duration", "period", "ipv4", "ipv6", "hostname", "email", "date",
	"time", "date-time", "uri", "iri", "uri-reference", "iri-reference", "uri-template", "semver",
}

// closedLoader refuses to fetch anything.
type closedLoader struct{}

var errRemote = errors.New("references outside the schema are not followed")

func (closedLoader) Load(string) (any, error) { return nil, errRemote }

// anyText stands for a pattern that can't be compiled.
type anyText string

func (anyText) MatchString(string) bool { return true }
func (t anyText) String() string        { return string(t) }

func lenientRegexp(pattern string) (jsonschema.Regexp, error) {
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return anyText(pattern), nil
	}
	return compiled, nil
}

// compileFault says in one line what is wrong with a schema.
func compileFault(err error) string {
	var load *jsonschema.LoadURLError
	if errors.As(err, &load) {
		return fmt.Sprintf("it refers to %s: %v", quoteCut(strings.TrimPrefix(load.URL, baseURL)), load.Err)
	}
	var invalid *jsonschema.SchemaValidationError
	var faults *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &faults) {
		return Sentence((&explainer{}).explain(faults))
	}
	return cut(strings.ReplaceAll(err.Error(), baseURL, ""), 200)
}

func checkBounds(data []byte) error {
	if len(data) > MaxBytes {
		return toolcrib.NewError(toolcrib.KindLimit, fmt.Sprintf("the tool's schema has %d bytes, more than %d", len(data), MaxBytes), "")
	}
	depth, objects := extent(data)
	if depth > MaxDepth {
		return toolcrib.NewError(toolcrib.KindLimit, fmt.Sprintf("the tool's schema is nested more than %d deep", MaxDepth), "")
	}
	if objects > MaxObjects {
		return toolcrib.NewError(toolcrib.KindLimit, fmt.Sprintf("the tool's schema holds %d objects, more than %d", objects, MaxObjects), "")
	}
	return nil
}

// extent returns how deep data is nested and how many objects it holds.
func extent(data []byte) (depth, objects int) {
	level, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			level++
			depth = max(depth, level)
			if c == '{' {
				objects++
			}
		case c == '}' || c == ']':
			level--
		}
	}
	return depth, objects
}

// decode reads one JSON value and keeps numbers as they are written.
func decode(data []byte) (any, error) {
	if depth, _ := extent(data); depth > MaxDepth {
		return nil, fmt.Errorf("it is nested more than %d deep", MaxDepth)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("it is empty")
		}
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is text after its end")
	}
	return v, nil
}
