package files

import (
	"context"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/builtin/gofunc"
)

const findText = "Find files and folders of the workspace by a pattern of their names, such as *.go or src/**/*_test.go. What .gitignore files name is left out."

const findInput = `{
  "type": "object",
  "properties": {
    "pattern": {"type": "string", "minLength": 1, "maxLength": 512, "description": "* and ? stay within a name, ** goes through folders, {a,b} and [abc] are alternatives. Without a slash it's for names at any depth."},
    "path": {"type": "string", "minLength": 1, "maxLength": 4096, "default": ".", "description": "Folder to start in; the pattern is for paths from there."},
    "type": {"enum": ["any", "file", "folder"], "default": "any", "description": "What to find."},
    "hidden": {"type": "boolean", "default": false, "description": "Looks too at names that start with a dot."},
    "ignored": {"type": "boolean", "default": false, "description": "Looks too at what .gitignore files name."},
    "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 200, "description": "How many at most."}
  },
  "required": ["pattern"],
  "additionalProperties": false
}`

const findOutput = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "Where it started."},
    "found": {
      "type": "array", "description": "What fits, sorted.",
      "items": {
        "type": "object",
        "properties": {
          "path": {"type": "string", "description": "Path in the workspace."},
          "type": {"enum": ["file", "folder", "link", "other"], "description": "What it is."}
        },
        "required": ["path", "type"],
        "additionalProperties": false
      }
    },
    "stopped": {"enum": ["limit", "reply", "entries", "time"], "description": "Why there may be more; absent when that is all."}
  },
  "required": ["path", "found"],
  "additionalProperties": false
}`

type findArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
	Type    string `json:"type"`
	Hidden  bool   `json:"hidden"`
	Ignored bool   `json:"ignored"`
	Limit   *int   `json:"limit"`
}

type foundEntry struct {
	Path string `json:"path"`
	Type string `json:"type"`
}

type findAnswer struct {
	Path    string       `json:"path"`
	Found   []foundEntry `json:"found"`
	Stopped string       `json:"stopped,omitempty"`
}

func (s *Source) findTool() gofunc.Tool {
	return described("find", "Find files by name", findText, findInput, findOutput, s.find, reading()...)
}

func (s *Source) find(ctx context.Context, call toolcrib.Call, in findArgs) (toolcrib.Result, error) {
	limit := valueOr(in.Limit, 200)
	if limit < 1 || limit > 1000 {
		return toolcrib.Result{}, refused("limit is 1 to 1000", "can't find %d", limit)
	}
	pattern, err := globOf(in.Pattern)
	if err != nil {
		return toolcrib.Result{}, err
	}
	a := findAnswer{Path: ".", Found: []foundEntry{}}
	w, at, err := s.folder(call, in.Path)
	if barren(in.Path, err) {
		return answer(a, "[nothing fits: the workspace is empty]")
	}
	if err != nil {
		return toolcrib.Result{}, err
	}
	defer w.close()
	a.Path = shownOr(at.path)
	lines := listing{left: s.opts.reply() - 1024}
	k := s.walk(ctx, w, func(e entry) (string, error) {
		x := foundEntry{e.path, kindOf(e.info.Mode())}
		if in.Type != "" && in.Type != "any" && in.Type != x.Type || !pattern.match(e.from(at)) {
			return "", nil
		}
		if len(a.Found) == limit {
			return stoppedLimit, nil
		}
		line := shown(e.path)
		if e.info.IsDir() {
			line += "/"
		}
		if !lines.add(line+"\n", 30) {
			return stoppedReply, nil
		}
		a.Found = append(a.Found, x)
		return "", nil
	})
	k.hidden, k.ignored = in.Hidden, in.Ignored
	if a.Stopped, err = k.run(at.in, at.path); err != nil {
		return toolcrib.Result{}, ended(ctx, "search", at.path, err)
	}
	if len(a.Found) == 0 && a.Stopped == "" {
		return answer(a, "[nothing fits]", k.note(""))
	}
	return answer(a, lines.out.String(), k.note(a.Stopped))
}

// from is the entry's path from where a walk started.
func (e entry) from(at spot) string {
	return strings.TrimPrefix(strings.TrimPrefix(e.path, at.path), "/")
}
