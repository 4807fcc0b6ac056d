package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Bounds of the lists on disk.
const (
	maxCacheFile = 16 << 20
	maxCacheDir  = 64 << 20
	cacheVersion = 1
)

// cache keeps the last-known list of each server in a file of its own. It holds
// what servers published and nothing of the configuration: a file is found by a
// hash over the command line or URL.
type cache struct{ dir string }

// cached is the content of a file.
type cached struct {
	Version int          `json:"version"`
	Server  string       `json:"server"`
	Tools   []cachedTool `json:"tools"`
}

// cachedTool is one tool in it.
type cachedTool struct {
	Name         string               `json:"name"`
	Label        string               `json:"label,omitempty"`
	Description  string               `json:"description,omitempty"`
	Parameters   json.RawMessage      `json:"parameters,omitempty"`
	OutputSchema json.RawMessage      `json:"outputSchema,omitempty"`
	Annotations  toolcrib.Annotations `json:"annotations,omitzero"`
	Meta         json.RawMessage      `json:"meta,omitempty"`
}

// file is the path of a server's list. What changes the server changes the path;
// what can't change its tools, or may be secret (values of variables and headers), doesn't.
func (c cache) file(s *Server) string {
	h := sha256.New()
	for _, p := range []string{s.Command, s.URL, s.Cwd, s.Scope} {
		part(h, p)
	}
	for _, p := range s.Args {
		part(h, p)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		part(h, name)
	}
	return filepath.Join(c.dir, s.Name+"-"+hex.EncodeToString(h.Sum(nil)[:8])+".json")
}

// load returns the remembered list, judged by the present configuration; nil
// with an error that says why there is none.
func (c cache) load(s *Server) (*list, error) {
	if c.dir == "" {
		return nil, fs.ErrNotExist
	}
	f, err := os.Open(c.file(s))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxCacheFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxCacheFile {
		return nil, errors.New("the file is over its bound")
	}
	l, err := decodeCached(s, data)
	if err == nil {
		_ = os.Chtimes(f.Name(), time.Time{}, time.Now()) // the oldest are removed first
	}
	return l, err
}

// decodeCached reads the content of a file, which anybody may have damaged.
func decodeCached(s *Server, data []byte) (*list, error) {
	var c cached
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, err
	}
	if c.Version != cacheVersion || c.Server != s.Name || len(c.Tools) > maxTools {
		return nil, fmt.Errorf("the file is not of this server, or of another version")
	}
	tools := make(map[string]toolcrib.Tool, len(c.Tools))
	for _, k := range c.Tools {
		t, ok := k.tool(s.Name)
		if !ok {
			return nil, errors.New("the file holds a malformed tool")
		}
		tools[t.Name] = t
	}
	return newList(slices.Collect(maps.Values(tools)), nil).judged(s), nil
}

// tool is the tool that was remembered.
func (k *cachedTool) tool(owner string) (toolcrib.Tool, bool) {
	for _, raw := range []json.RawMessage{k.Parameters, k.OutputSchema, k.Meta} {
		if raw != nil && !isObject(raw) {
			return toolcrib.Tool{}, false
		}
	}
	t := toolcrib.Tool{
		ID: toolcrib.MakeID(toolcrib.SourceMCP, owner, k.Name), Source: toolcrib.SourceMCP, Owner: owner, Name: k.Name,
		Label: k.Label, Description: k.Description, Annotations: k.Annotations,
	}
	t.Parameters, t.OutputSchema, t.Meta = pack(k.Parameters, k.OutputSchema, k.Meta)
	return t, k.Name != ""
}

// save remembers all that a server listed, also what isn't allowed at present. A
// list over the bound is not remembered.
func (c cache) save(s *Server, l *list) error {
	if c.dir == "" {
		return nil
	}
	out := cached{Version: cacheVersion, Server: s.Name, Tools: make([]cachedTool, len(l.sent))}
	for i, t := range l.sent {
		out.Tools[i] = cachedTool{t.Name, t.Label, t.Description, t.Parameters, t.OutputSchema, t.Annotations, t.Meta}
	}
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return err
	}
	path := c.file(s)
	if data.Len() > maxCacheFile {
		_ = os.Remove(path)
		return errors.New("the list is too large to be remembered")
	}
	if err := writeFile(path, data.Bytes()); err != nil {
		return err
	}
	return c.prune(path)
}

// writeFile replaces a file whole.
func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".list-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// prune removes the oldest lists until the folder is within its bound; the
// newest one stays.
func (c cache) prune(newest string) error {
	paths, err := filepath.Glob(filepath.Join(c.dir, "*.json"))
	if err != nil {
		return err
	}
	type entry struct {
		path string
		info fs.FileInfo
	}
	var all []entry
	var total int64
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil {
			all, total = append(all, entry{p, info}), total+info.Size()
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return a.info.ModTime().Compare(b.info.ModTime()) })
	for _, e := range all {
		if total <= maxCacheDir {
			return nil
		}
		if e.path == newest {
			continue
		}
		if err := os.Remove(e.path); err == nil {
			total -= e.info.Size()
		}
	}
	return nil
}
