package clientconfig

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
)

// Entry is how a program is to start toolcrib.
type Entry struct {
	// Name is the server's name, "toolcrib" as a rule.
	Name string
	// Command is an absolute path.
	Command string
	Args    []string
	Env     map[string]string
}

func (e Entry) check() error {
	if e.Name == "" || e.Command == "" {
		return toolcrib.NewError(toolcrib.KindInternal, "an entry needs a name and a command", "")
	}
	return nil
}

// object is a JSON object with its keys in order.
type object []pair

type pair struct {
	key   string
	value any
}

// MarshalJSON writes the keys in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(source(p.key))
		b.WriteByte(':')
		b.Write(source(p.value))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// source is a value as compact JSON. The values are texts, lists and objects of
// texts, for which there is no error.
func source(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n")
}

// list is never nil, so that it's written as [].
func list(texts []string) []string { return append([]string{}, texts...) }

// plainEntry is what most programs take.
func plainEntry(e Entry) object {
	out := object{{"command", e.Command}, {"args", list(e.Args)}}
	if len(e.Env) > 0 {
		out = append(out, pair{"env", e.Env})
	}
	return out
}

// typedEntry names the transport too.
func typedEntry(e Entry) object {
	return append(object{{"type", "stdio"}}, plainEntry(e)...)
}

// opencodeEntry has the program and its arguments in one list.
func opencodeEntry(e Entry) object {
	out := object{{"type", "local"}, {"command", append([]string{e.Command}, e.Args...)}}
	if len(e.Env) > 0 {
		out = append(out, pair{"environment", e.Env})
	}
	return append(out, pair{"enabled", true})
}

// same reports whether a server that was read is the entry. Texts were escaped
// when they were read.
func (e Entry) same(s Server) bool {
	escaped := func(texts []string) []string {
		out := make([]string, len(texts))
		for i, t := range texts {
			out[i] = escape(t)
		}
		return out
	}
	env := map[string]string{}
	for k, v := range e.Env {
		env[k] = escape(v)
	}
	return !s.Disabled && s.Command == escape(e.Command) && slices.Equal(s.Args, escaped(e.Args)) && maps.Equal(s.Env, env)
}

func slashed(path string) string {
	return strings.TrimRight(strings.ReplaceAll(path, `\`, "/"), "/")
}

func baseName(path string) string {
	return path[strings.LastIndexAny(path, `/\`)+1:]
}
