package gofunc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/toolcrib/toolcrib"
)

// Func makes a tool of a Go function. The input schema is derived from In, a
// struct or a map with string keys: json tags name the properties, jsonschema
// tags describe them, and fields without omitempty or omitzero are required.
// The output schema is derived from Out; there is none when Out is an interface
// or toolcrib.Result. Options may replace either.
//
// What f returns becomes Result.Details and, as JSON, its one text block; an Out
// of type toolcrib.Result is passed on untouched. An error is the tool's own
// failure: a *toolcrib.Error is passed on, any other becomes a Result with
// IsError set and the error's text.
//
// A type that has no schema is reported by New and Add.
func Func[In, Out any](name, description string, f func(ctx context.Context, in In) (Out, error), opts ...Option) Tool {
	return FuncCall(name, description, func(ctx context.Context, _ toolcrib.Call, in In) (Out, error) { return f(ctx, in) }, opts...)
}

// FuncCall is Func for a function that also wants the call: who asks, and where
// progress goes.
func FuncCall[In, Out any](name, description string, f func(ctx context.Context, call toolcrib.Call, in In) (Out, error), opts ...Option) Tool {
	t := Tool{Tool: toolcrib.Tool{Name: name, Description: description}, Handler: handler(f)}
	for _, o := range opts {
		o(&t.Tool)
	}
	if t.Parameters == nil {
		raw, err := inputSchema[In]()
		t.Parameters, t.fault = raw, err
	}
	if t.OutputSchema == nil {
		raw, err := outputSchema[Out]()
		t.OutputSchema, t.fault = raw, errors.Join(t.fault, err)
	}
	return t
}

func handler[In, Out any](f func(context.Context, toolcrib.Call, In) (Out, error)) Handler {
	return func(ctx context.Context, call toolcrib.Call) (toolcrib.Result, error) {
		var in In
		if err := decode(call, &in); err != nil {
			return toolcrib.Result{}, err
		}
		out, err := f(ctx, call, in)
		if err != nil {
			return failure(ctx, err)
		}
		if r, ok := any(out).(toolcrib.Result); ok {
			return r, nil
		}
		return ResultOf(out)
	}
}

// failure keeps errors that have a kind, and those of a context that ended, as
// errors; the rest is the tool's own answer.
func failure(ctx context.Context, err error) (toolcrib.Result, error) {
	if known := (*toolcrib.Error)(nil); errors.As(err, &known) || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return toolcrib.Result{}, err
	}
	return toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text(err.Error())}, IsError: true}, nil
}

// ResultOf returns the result whose structured value is v: v as Details, and the
// same JSON as its one text block. A nil slice is written as an empty list.
func ResultOf(v any) (toolcrib.Result, error) {
	if rv := reflect.ValueOf(v); rv.Kind() == reflect.Slice && rv.IsNil() {
		v = []struct{}{}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // it is read by models, not put into pages
	if err := enc.Encode(v); err != nil {
		return toolcrib.Result{}, toolcrib.NewError(toolcrib.KindOutput, "the tool did run, but its answer can't be written as JSON", "don't repeat the call blindly").WithCause(err)
	}
	raw := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text(string(raw))}, Details: raw}, nil
}

func decode(call toolcrib.Call, in any) error {
	if len(call.Args) == 0 {
		return nil
	}
	err := json.Unmarshal(call.Args, in)
	if err == nil {
		return nil
	}
	message := "the arguments of " + call.Tool.ID + " are not a JSON object that it can read"
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) && wrong.Field != "" {
		message = fmt.Sprintf("the argument %q of %s can't be a %s", wrong.Field, call.Tool.ID, wrong.Value)
	}
	return toolcrib.NewError(toolcrib.KindInput, message, "describe the tool to see its parameters").WithCause(err)
}

func inputSchema[In any]() (json.RawMessage, error) {
	t := reflect.TypeFor[In]()
	if t.Kind() != reflect.Struct && t.Kind() != reflect.Map {
		return nil, fmt.Errorf("its arguments are a %s, want a struct or a map with string keys", t)
	}
	return schemaOf[In]()
}

func outputSchema[Out any]() (json.RawMessage, error) {
	t := reflect.TypeFor[Out]()
	if t.Kind() == reflect.Interface || t == reflect.TypeFor[toolcrib.Result]() {
		return nil, nil
	}
	return schemaOf[Out]()
}

func schemaOf[T any]() (json.RawMessage, error) {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		return nil, fmt.Errorf("no schema can be made of the Go type %s: %w", reflect.TypeFor[T](), err)
	}
	return json.Marshal(s)
}
