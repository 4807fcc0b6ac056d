package approval

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/toolcrib/toolcrib"
)

// HashArgs is the SHA-256 of arguments in one form: white space, the order of
// keys and the spelling of characters don't matter, all else does.
func HashArgs(args json.RawMessage) (string, error) {
	clear, err := canonical(args)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(clear)
	return hex.EncodeToString(sum[:]), nil
}

// canonical writes arguments in one form. Those that readers could take in
// different ways are refused: what a person was shown might not be what runs.
func canonical(args json.RawMessage) ([]byte, error) {
	if len(bytes.TrimSpace(args)) == 0 {
		return []byte("{}"), nil
	}
	if !utf8.Valid(args) {
		return nil, unclear("hold bytes that are no text")
	}
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	v, err := readValue(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, unclear("are more than one value")
	}
	return json.Marshal(v) // keys sorted
}

// maxDepth bounds how deep arguments may be nested.
const maxDepth = 200

// readValue reads the next value, and refuses an object that names a key twice.
func readValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, unclear("are nested too deep")
	}
	token, err := d.Token()
	if err != nil {
		return nil, unclear("are not JSON")
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return readObject(d, depth)
		}
		return readList(d, depth)
	case string:
		return t, whole(t)
	}
	return token, nil
}

func readObject(d *json.Decoder, depth int) (any, error) {
	object := map[string]any{}
	for d.More() {
		key, err := readValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if !ok {
			return nil, unclear("are not JSON")
		}
		if _, twice := object[name]; twice {
			return nil, unclear("name a key twice")
		}
		if object[name], err = readValue(d, depth+1); err != nil {
			return nil, err
		}
	}
	return object, closing(d)
}

func readList(d *json.Decoder, depth int) (any, error) {
	list := []any{}
	for d.More() {
		item, err := readValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, closing(d)
}

// closing takes the end of an object or a list.
func closing(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return unclear("are not JSON")
	}
	return nil
}

// whole refuses a text with a character that stands for what could not be read:
// half of a pair in \u form reads like any other half.
func whole(s string) error {
	if strings.ContainsRune(s, utf8.RuneError) {
		return unclear("hold a character that can't be read")
	}
	return nil
}

func unclear(how string) error {
	return toolcrib.NewError(toolcrib.KindBlocked, "blocked: its arguments "+how+", so nobody can say yes to them; it did not run", "send them otherwise")
}
