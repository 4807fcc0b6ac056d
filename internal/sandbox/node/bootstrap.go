package node

import (
	_ "embed" // for bootstrap
	"encoding/json"
	"fmt"

	"github.com/toolcrib/toolcrib/internal/sandbox/prelude"
	"github.com/toolcrib/toolcrib/internal/sandbox/wire"
)

// bootstrap is a function expression that takes settings.
//
//go:embed bootstrap.js
var bootstrap string

// settings is what the JavaScript can't know by itself.
type settings struct {
	Prelude   string     `json:"prelude"`
	Wrappings []wrapping `json:"wrappings"`
	// CodeMark and BareMark stand for the code in the wrappings.
	CodeMark  string     `json:"codeMark"`
	BareMark  string     `json:"bareMark"`
	HeadLines int        `json:"headLines"`
	MaxFrames int        `json:"maxFrames"`
	MaxFrame  int        `json:"maxFrame"`
	Ready     wire.Ready `json:"ready"`
	// Language lists the globals of this realm that belong to JavaScript.
	Language []string `json:"language"`
}

type wrapping struct {
	Source     string `json:"source"`
	Check      string `json:"check"`
	Expression bool   `json:"expression"`
}

// maxFrames bounds a stack, of which the innermost frames are the ones to read.
const maxFrames = 8

// language is what the JavaScript realm of Node has of the language itself.
var language = []string{
	"Object", "Function", "Array", "Number", "Boolean", "String", "Symbol", "BigInt", "Date", "RegExp", "Promise", "Proxy", "Map", "Set",
	"WeakMap", "WeakSet", "WeakRef", "FinalizationRegistry", "Iterator", "Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError",
	"URIError", "AggregateError", "SuppressedError", "ArrayBuffer", "SharedArrayBuffer", "DataView", "Uint8ClampedArray", "Int8Array", "Uint8Array",
	"Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "BigInt64Array", "BigUint64Array", "Float16Array", "Float32Array", "Float64Array",
	"JSON", "Math", "Reflect", "Atomics", "Intl", "WebAssembly",
}

// program is the source text for node -e.
func program(ready wire.Ready) (string, error) {
	s := settings{
		Prelude: prelude.Source, CodeMark: "\x00code\x00", BareMark: "\x00bare\x00", HeadLines: prelude.HeadLines,
		MaxFrames: maxFrames, MaxFrame: wire.MaxFrame, Ready: ready, Language: language,
	}
	for _, w := range prelude.Wrappings(s.CodeMark, s.BareMark) {
		s.Wrappings = append(s.Wrappings, wrapping(w))
	}
	text, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("node: settings: %w", err)
	}
	return "(" + bootstrap + ")(" + string(text) + ")", nil
}
