package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// Why a walk stopped before it was done.
const (
	stoppedLimit   = "limit"   // as many as were asked for
	stoppedReply   = "reply"   // the answer is full
	stoppedEntries = "entries" // too many files to look at
	stoppedBytes   = "bytes"   // too much to read
	stoppedTime    = "time"    // it took too long
)

// stopWords say the same to a model.
var stopWords = map[string]string{
	stoppedLimit:   "there may be more: raise limit or narrow the search",
	stoppedReply:   "there is more than fits into an answer: narrow the search",
	stoppedEntries: "there are more files than one call looks at: start in a folder further down",
	stoppedBytes:   "there is more text than one call reads: start in a folder further down",
	stoppedTime:    "time ran out: start in a folder further down",
}

// entry is what a walk meets.
type entry struct {
	in   *folder
	name string
	info os.FileInfo
	path string // as it's shown
}

// spot is the entry as the place of a file.
func (e entry) spot() spot { return spot(e) }

// walk goes through a folder and those below it, in the order of their names,
// and never through a link.
type walk struct {
	*workspace
	ctx      context.Context
	deadline time.Time
	hidden   bool // those too whose names start with a dot
	ignored  bool // those too that .gitignore files name
	depth    int  // how deep; 1 is the folder alone
	visit    func(entry) (stop string, err error)

	seen    int
	skipped int // folders that couldn't be read
}

// run starts at a folder, shown as path. It returns why it stopped, "" at the end.
func (k *walk) run(f *folder, path string) (string, error) {
	var rules *ignores
	if !k.ignored {
		rules = rules.with(k.ctx, f)
	}
	return k.folder(f, path, 1, rules)
}

func (k *walk) folder(f *folder, path string, depth int, rules *ignores) (string, error) {
	names, cut, err := k.list(f)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if err := k.ctx.Err(); err != nil {
			return "", err
		}
		if k.seen++; k.seen > k.bounds.Entries {
			return stoppedEntries, nil
		}
		if time.Now().After(k.deadline) {
			return stoppedTime, nil
		}
		if stop, err := k.meet(f, name, path, depth, rules); stop != "" || err != nil {
			return stop, err
		}
	}
	if cut {
		return stoppedEntries, nil
	}
	return "", nil
}

// meet shows one name to the visitor, and goes into it when it's a folder.
func (k *walk) meet(f *folder, name, path string, depth int, rules *ignores) (string, error) {
	if !k.hidden && strings.HasPrefix(name, ".") || k.guards.name(f.info, name) {
		return "", nil
	}
	info, err := f.root.Lstat(name)
	if err != nil || k.guards.hold(info) || rules.leaveOut(join(f.path, name), info.IsDir()) {
		return "", nil // gone meanwhile, or not to be shown
	}
	at := entry{in: f, name: name, info: info, path: join(path, name)}
	if stop, err := k.visit(at); stop != "" || err != nil || !info.IsDir() || depth >= k.depth || depth >= k.bounds.Depth {
		return stop, err
	}
	child, err := k.enter(f, name, info)
	if err != nil {
		k.skipped++
		return "", nil
	}
	defer k.leave(child)
	if !k.ignored {
		rules = rules.with(k.ctx, child)
	}
	stop, err := k.folder(child, at.path, depth+1, rules)
	if err != nil && k.ctx.Err() == nil {
		k.skipped++
		return "", nil
	}
	return stop, err
}

// list returns the names in a folder, sorted, and whether there were too many.
func (k *walk) list(f *folder) (names []string, cut bool, err error) {
	dir, err := f.root.Open(".")
	if err != nil {
		return nil, false, err
	}
	defer dir.Close()
	for len(names) <= k.bounds.FolderEntries {
		more, err := dir.Readdirnames(1000)
		names = append(names, more...)
		if errors.Is(err, io.EOF) || err == nil && len(more) == 0 {
			break
		}
		if err != nil {
			return nil, false, err
		}
	}
	if cut = len(names) > k.bounds.FolderEntries; cut {
		names = names[:k.bounds.FolderEntries]
	}
	slices.Sort(names)
	return names, cut, nil
}

// kindOf is the type of an entry as answers give it.
func kindOf(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return "file"
	case m.IsDir():
		return "folder"
	case m&fs.ModeSymlink != 0:
		return "link"
	}
	return "other"
}

// listing collects lines and their structured forms while they fit into an answer.
type listing struct {
	left int
	out  strings.Builder
}

// add takes a line whose structured form costs about as much, and extra bytes more.
func (l *listing) add(line string, extra int) bool {
	if l.left -= 2*jsonCost(line) + extra; l.left < 0 {
		return false
	}
	l.out.WriteString(line)
	return true
}
