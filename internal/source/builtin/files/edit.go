package files

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/builtin/gofunc"
)

const editText = "Change parts of a text file of the workspace: each oldText is replaced by its newText. An oldText must be in the file exactly once, white space included, unless all is true. " +
	"All edits are matched against the file as it is, may not overlap, and are made together or not at all. Line ends and a byte order mark are kept."

const editInput = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "File in the workspace."},
    "edits": {
      "type": "array", "minItems": 1, "maxItems": 100, "description": "The replacements.",
      "items": {
        "type": "object",
        "properties": {
          "oldText": {"type": "string", "minLength": 1, "maxLength": 1048576, "description": "Exact text to replace, with as much around it as makes it unique."},
          "newText": {"type": "string", "maxLength": 1048576, "description": "What takes its place; may be empty."},
          "all": {"type": "boolean", "default": false, "description": "Replaces it wherever it is."}
        },
        "required": ["oldText", "newText"],
        "additionalProperties": false
      }
    },
    "hash": {"type": "string", "pattern": "^[0-9a-f]{16}$", "description": "Edit only if this is still the file's hash, as read gave it."}
  },
  "required": ["path", "edits"],
  "additionalProperties": false
}`

const editOutput = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The file."},
    "replaced": {"type": "integer", "description": "How many places were replaced."},
    "lines": {"type": "array", "items": {"type": "integer"}, "description": "Lines at which the new texts start, the first 100 of them."},
    "bytes": {"type": "integer", "description": "Its size now."},
    "hash": {"type": "string", "description": "Its hash now."},
    "modified": {"type": "string", "description": "When it was changed last, RFC 3339."}
  },
  "required": ["path", "replaced", "lines", "bytes", "hash", "modified"],
  "additionalProperties": false
}`

type editArgs struct {
	Path  string        `json:"path"`
	Edits []replacement `json:"edits"`
	Hash  string        `json:"hash"`
}

type editAnswer struct {
	Path     string `json:"path"`
	Replaced int    `json:"replaced"`
	Lines    []int  `json:"lines"`
	Bytes    int    `json:"bytes"`
	Hash     string `json:"hash"`
	Modified string `json:"modified"`
}

const mostEdits = 100

func (s *Source) editTool() gofunc.Tool {
	return described("edit", "Edit a file", editText, editInput, editOutput, s.edit, gofunc.Destructive(true), changing)
}

func (s *Source) edit(ctx context.Context, call toolcrib.Call, in editArgs) (toolcrib.Result, error) {
	if len(in.Edits) == 0 || len(in.Edits) > mostEdits {
		return toolcrib.Result{}, refused("", "edits holds %d replacements; it takes 1 to %d", len(in.Edits), mostEdits)
	}
	done, err := s.alone(ctx)
	if err != nil {
		return toolcrib.Result{}, err
	}
	defer done()
	w, at, err := s.look(call, in.Path)
	if err != nil {
		return toolcrib.Result{}, err
	}
	defer w.close()
	raw, info, err := s.editable(ctx, at, in.Hash)
	if err != nil {
		return toolcrib.Result{}, err
	}
	at.info = info
	t := textOf(raw)
	changed, starts, err := replace(t, in.Edits)
	if err != nil {
		return toolcrib.Result{}, err
	}
	out := t.raw(changed)
	if most := s.opts.Bounds.WriteBytes; len(out) > most && len(out) > len(raw) {
		return toolcrib.Result{}, limited("", "%s would have %d bytes; a file may have %d", shown(at.path), len(out), most)
	}
	if info, err = s.put(ctx, at, out); err != nil {
		return toolcrib.Result{}, err
	}
	a := editAnswer{Path: at.path, Replaced: len(starts), Lines: linesOf(changed, starts), Bytes: len(out), Hash: hashOf(out), Modified: stamp(info.ModTime())}
	return answer(a, a.words())
}

// editable reads a text file whole.
func (s *Source) editable(ctx context.Context, at spot, hash string) ([]byte, os.FileInfo, error) {
	data, info, whole, err := at.load(ctx, s.opts.Bounds.FileBytes)
	if err != nil {
		return nil, nil, err
	}
	if !whole {
		return nil, nil, limited("", "%s has %d bytes; at most %d can be edited", shown(at.path), info.Size(), s.opts.Bounds.FileBytes)
	}
	if what := binary(data); what != "" {
		return nil, nil, failed("only text can be edited", "%s is %s", shown(at.path), what)
	}
	return data, info, same(at, data, whole, hash)
}

func (a editAnswer) words() string {
	places := "1 place"
	if a.Replaced != 1 {
		places = fmt.Sprintf("%d places", a.Replaced)
	}
	at := strings.Trim(strings.ReplaceAll(fmt.Sprint(a.Lines[:min(len(a.Lines), 10)]), " ", ", "), "[]")
	if len(a.Lines) > 10 {
		at += ", …"
	}
	return fmt.Sprintf("replaced %s in %s, line %s; %d bytes, hash %s", places, shown(a.Path), at, a.Bytes, a.Hash)
}
