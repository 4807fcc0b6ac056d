package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/clientconfig"
)

// record is what connect leaves behind so that disconnect can undo it. It may
// hold servers that were taken out of the client's file, and their secrets with
// them: its file is for this user alone.
type record struct {
	File clientconfig.File `json:"file"`
	// Entry is what stands for toolcrib there.
	Entry clientconfig.Entry `json:"entry"`
	// Existed is false when connect made the file.
	Existed bool `json:"existed"`
	// Before is the hash of what the backup holds; Wrote are those of all that
	// connect wrote in its place, the last first, so that an end between two writes
	// does no harm.
	Before string   `json:"before"`
	Wrote  []string `json:"wrote"`
	// TakenOver are the servers that were switched off for toolcrib's sake.
	TakenOver []string          `json:"takenOver,omitempty"`
	Undo      clientconfig.Undo `json:"undo"`
}

// records is the folder of records and backups.
type records struct{ dir string }

// recordPath is where the record of a client's file is: one for each part of
// a file that has servers of its own.
func (r records) recordPath(f clientconfig.File) string { return r.stem(f) + ".json" }

// backupPath is where the client's file is as it was before.
func (r records) backupPath(f clientconfig.File) string {
	return r.stem(f) + ".backup" + filepath.Ext(f.Path)
}

func (r records) stem(f clientconfig.File) string {
	identity := strings.Join([]string{f.Path, f.Scope, f.Project}, "\x00")
	return filepath.Join(r.dir, f.Client+"-"+hashOf([]byte(identity))[:8])
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// load returns the record of a client's file, nil when there is none.
func (r records) load(f clientconfig.File) (*record, error) { return readRecord(r.recordPath(f)) }

func readRecord(path string) (*record, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var rec record
	if err == nil {
		err = json.Unmarshal(text, &rec)
	}
	if err != nil {
		return nil, toolcrib.NewError(toolcrib.KindConfig, "the record of connect "+path+" can't be read",
			"delete it; toolcrib disconnect then takes its own entry out and leaves the rest").WithCause(err)
	}
	return &rec, nil
}

// all returns the records of a client.
func (r records) all(client string) ([]*record, error) {
	paths, err := filepath.Glob(filepath.Join(globQuote(r.dir), client+"-????????.json"))
	if err != nil {
		return nil, err
	}
	var list []*record
	for _, path := range paths {
		rec, err := readRecord(path)
		if err != nil {
			return nil, err
		}
		if rec != nil && rec.File.Client == client {
			list = append(list, rec)
		}
	}
	return list, nil
}

// globQuote makes a folder's name stand for itself in a pattern.
func globQuote(dir string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(dir)
}

// save writes the backup, then the record. It returns the backup's path, "" when
// there was no file to keep.
func (r records) save(rec *record, before []byte) (string, error) {
	text, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return "", err
	}
	backup := ""
	if rec.Existed {
		backup = r.backupPath(rec.File)
		if err := writePrivate(backup, before); err != nil {
			return "", err
		}
	}
	return backup, writePrivate(r.recordPath(rec.File), append(text, '\n'))
}

// restore puts a record back that save has replaced; nil takes the new one away.
func (r records) restore(f clientconfig.File, old *record) {
	if old == nil {
		_ = r.remove(f)
		return
	}
	if text, err := json.MarshalIndent(old, "", "  "); err == nil {
		_ = writePrivate(r.recordPath(f), append(text, '\n'))
	}
}

// remove takes a record away and keeps the backup.
func (r records) remove(f clientconfig.File) error {
	err := os.Remove(r.recordPath(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// original returns the bytes of the client's file before connect, if text is
// what connect made of them, or is still those bytes. A file that wasn't there is nil.
func (r records) original(rec *record, text []byte) (before []byte, ok bool) {
	switch hash := hashOf(text); {
	case rec == nil:
		return nil, false
	case hash == rec.Before && rec.Existed == (text != nil):
		return text, true
	case !slices.Contains(rec.Wrote, hash):
		return nil, false
	}
	if !rec.Existed {
		return nil, true
	}
	before, err := os.ReadFile(r.backupPath(rec.File))
	return before, err == nil && hashOf(before) == rec.Before
}
