package files

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/builtin/gofunc"
)

const listText = "List what is in a folder of the workspace, with types and sizes, sorted by name. Links are named and not followed."

const listInput = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "maxLength": 4096, "default": ".", "description": "Folder in the workspace; the workspace itself when left out."},
    "depth": {"type": "integer", "minimum": 1, "maximum": 10, "default": 1, "description": "How many levels of folders are shown."},
    "hidden": {"type": "boolean", "default": false, "description": "Shows names too that start with a dot."},
    "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 200, "description": "How many entries at most."}
  },
  "additionalProperties": false
}`

const listOutput = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The folder."},
    "entries": {
      "type": "array", "description": "What is in it.",
      "items": {
        "type": "object",
        "properties": {
          "path": {"type": "string", "description": "Path in the workspace."},
          "type": {"enum": ["file", "folder", "link", "other"], "description": "What it is."},
          "bytes": {"type": "integer", "description": "Size of a file."},
          "modified": {"type": "string", "description": "When it was changed last, RFC 3339."}
        },
        "required": ["path", "type", "modified"],
        "additionalProperties": false
      }
    },
    "stopped": {"enum": ["limit", "reply", "entries", "time"], "description": "Why there may be more; absent when that is all."}
  },
  "required": ["path", "entries"],
  "additionalProperties": false
}`

type listArgs struct {
	Path   string `json:"path"`
	Depth  *int   `json:"depth"`
	Hidden bool   `json:"hidden"`
	Limit  *int   `json:"limit"`
}

type listEntry struct {
	Path     string `json:"path"`
	Type     string `json:"type"`
	Bytes    *int64 `json:"bytes,omitempty"`
	Modified string `json:"modified"`
}

type listAnswer struct {
	Path    string      `json:"path"`
	Entries []listEntry `json:"entries"`
	Stopped string      `json:"stopped,omitempty"`
}

func (s *Source) listTool() gofunc.Tool {
	return described("list", "List a folder", listText, listInput, listOutput, s.list, reading()...)
}

func (s *Source) list(ctx context.Context, call toolcrib.Call, in listArgs) (toolcrib.Result, error) {
	depth, limit := valueOr(in.Depth, 1), valueOr(in.Limit, 200)
	if depth < 1 || depth > 10 || limit < 1 || limit > 1000 {
		return toolcrib.Result{}, refused("depth is 1 to 10, limit 1 to 1000", "can't list %d entries, %d deep", limit, depth)
	}
	w, at, err := s.folder(call, in.Path)
	if barren(in.Path, err) {
		return answer(listAnswer{Path: ".", Entries: []listEntry{}}, "[the workspace is empty; the first write makes it]")
	}
	if err != nil {
		return toolcrib.Result{}, err
	}
	defer w.close()
	a := listAnswer{Path: shownOr(at.path), Entries: []listEntry{}}
	lines := listing{left: s.opts.reply() - 1024}
	k := s.walk(ctx, w, func(e entry) (string, error) {
		if len(a.Entries) == limit {
			return stoppedLimit, nil
		}
		x := listEntry{Path: e.path, Type: kindOf(e.info.Mode()), Modified: stamp(e.info.ModTime())}
		if x.Type == "file" {
			x.Bytes = new(e.info.Size())
		}
		if !lines.add(x.line(), 80) {
			return stoppedReply, nil
		}
		a.Entries = append(a.Entries, x)
		return "", nil
	})
	k.depth, k.hidden, k.ignored = depth, in.Hidden, true
	if a.Stopped, err = k.run(at.in, at.path); err != nil {
		return toolcrib.Result{}, ended(ctx, "list", at.path, err)
	}
	if len(a.Entries) == 0 && a.Stopped == "" {
		return answer(a, "[the folder is empty]")
	}
	return answer(a, lines.out.String(), k.note(a.Stopped))
}

// line is the entry as a model reads it.
func (e listEntry) line() string {
	switch e.Type {
	case "file":
		return fmt.Sprintf("%s  %d\n", shown(e.Path), *e.Bytes)
	case "folder":
		return shown(e.Path) + "/\n"
	}
	return fmt.Sprintf("%s  (%s)\n", shown(e.Path), e.Type)
}

// folder opens the workspace and follows a path to a folder in it.
func (s *Source) folder(call toolcrib.Call, path string) (*workspace, spot, error) {
	w, at, err := s.look(call, path)
	if err == nil && !at.isFolder() {
		w.close()
		return nil, spot{}, failed("read shows what is in a file", "%s is no folder", shown(at.path))
	}
	return w, at, err
}

// barren reports whether there is nothing to go through since the workspace
// wasn't made yet; a path in it is an error instead.
func barren(path string, err error) bool {
	return errors.Is(err, errEmpty) && (path == "" || path == ".")
}

// walk is a walk with the source's bounds.
func (s *Source) walk(ctx context.Context, w *workspace, visit func(entry) (string, error)) *walk {
	return &walk{workspace: w, ctx: ctx, deadline: time.Now().Add(s.opts.Bounds.Time), depth: s.opts.Bounds.Depth, visit: visit}
}

// note says in words why a walk isn't complete; "" when it is.
func (k *walk) note(stopped string) string {
	switch {
	case stopped != "":
		return "[" + stopWords[stopped] + "]"
	case k.skipped > 0:
		return fmt.Sprintf("[%d folders could not be read]", k.skipped)
	}
	return ""
}

// ended keeps the end of the caller's patience apart from what the system said.
func ended(ctx context.Context, doing, path string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return trouble(doing, path, err)
}

func valueOr(p *int, usual int) int {
	if p == nil {
		return usual
	}
	return *p
}

func shownOr(path string) string {
	if path == "" {
		return "."
	}
	return path
}
