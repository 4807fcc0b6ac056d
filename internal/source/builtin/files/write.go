package files

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/builtin/gofunc"
)

const writeText = "Write a whole file of the workspace, exactly as given. Missing folders are made. A file that exists is kept, and the call fails, unless overwrite is true; " +
	"to change a part of one, use edit."

const writeInput = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "File in the workspace, such as notes/today.md."},
    "content": {"type": "string", "maxLength": 4194304, "description": "The whole new content."},
    "overwrite": {"type": "boolean", "default": false, "description": "Replaces a file that exists."},
    "hash": {"type": "string", "pattern": "^[0-9a-f]{16}$", "description": "With overwrite: replace the file only if this is still its hash, as read gave it."}
  },
  "required": ["path", "content"],
  "additionalProperties": false
}`

const writeOutput = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The file."},
    "created": {"type": "boolean", "description": "Whether it's new."},
    "bytes": {"type": "integer", "description": "Its size."},
    "hash": {"type": "string", "description": "Its hash now, for edit and write."},
    "modified": {"type": "string", "description": "When it was changed last, RFC 3339."}
  },
  "required": ["path", "created", "bytes", "hash", "modified"],
  "additionalProperties": false
}`

type writeArgs struct {
	Path      string `json:"path"`
	Content   string `json:"content"`
	Overwrite bool   `json:"overwrite"`
	Hash      string `json:"hash"`
}

type writeAnswer struct {
	Path     string `json:"path"`
	Created  bool   `json:"created"`
	Bytes    int    `json:"bytes"`
	Hash     string `json:"hash"`
	Modified string `json:"modified"`
}

func (s *Source) writeTool() gofunc.Tool {
	return described("write", "Write a file", writeText, writeInput, writeOutput, s.write, gofunc.Destructive(true), changing)
}

// changing says that a tool is not read-only.
func changing(t *toolcrib.Tool) {
	t.Annotations.ReadOnly = new(false)
	t.Annotations.Idempotent = new(false)
}

func (s *Source) write(ctx context.Context, call toolcrib.Call, in writeArgs) (toolcrib.Result, error) {
	if most := s.opts.Bounds.WriteBytes; len(in.Content) > most {
		return toolcrib.Result{}, limited("", "%d bytes are too many: a file may have %d", len(in.Content), most)
	}
	done, err := s.alone(ctx)
	if err != nil {
		return toolcrib.Result{}, err
	}
	defer done()
	w, err := s.open(call.Scope, true)
	if err != nil {
		return toolcrib.Result{}, err
	}
	defer w.close()
	at, err := w.find(in.Path, true)
	if err != nil {
		return toolcrib.Result{}, err
	}
	if at.info == nil && strings.HasSuffix(in.Path, "/") {
		return toolcrib.Result{}, refused("folders are made with the files in them", "%s names a folder", shown(at.path))
	}
	if err := s.mayWrite(ctx, at, in); err != nil {
		return toolcrib.Result{}, err
	}
	info, err := s.put(ctx, at, []byte(in.Content))
	if err != nil {
		return toolcrib.Result{}, err
	}
	a := writeAnswer{Path: at.path, Created: at.info == nil, Bytes: len(in.Content), Hash: hashOf([]byte(in.Content)), Modified: stamp(info.ModTime())}
	verb := "replaced"
	if a.Created {
		verb = "made"
	}
	return answer(a, fmt.Sprintf("%s %s, %d bytes, hash %s", verb, shown(a.Path), a.Bytes, a.Hash))
}

// mayWrite says what keeps a file from being written over.
func (s *Source) mayWrite(ctx context.Context, at spot, in writeArgs) error {
	if at.info == nil && in.Hash == "" {
		return nil
	}
	if err := at.regular(); err != nil {
		return err
	}
	if !in.Overwrite {
		return failed("use edit to change a part of it, or set overwrite to replace it whole", "%s exists already (%d bytes)", shown(at.path), at.info.Size())
	}
	if in.Hash == "" {
		return nil
	}
	data, _, whole, err := at.load(ctx, s.opts.Bounds.FileBytes)
	if err != nil {
		return err
	}
	return same(at, data, whole, in.Hash)
}

// same refuses a file that is no longer the one with the hash.
func same(at spot, data []byte, whole bool, hash string) error {
	if hash == "" || whole && hashOf(data) == hash {
		return nil
	}
	return failed("read it again", "%s has changed since: its hash isn't %s any more", shown(at.path), shown(hash))
}
