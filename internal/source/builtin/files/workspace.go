package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
)

// Bounds of following one path.
const (
	maxSteps = 512
	maxLinks = 40
)

// workspace is the folder of one agent, open for one call.
type workspace struct {
	path   string
	top    *folder
	guards guards
	bounds Bounds
	opened []*os.Root
}

// folder is a handle of a folder inside of the workspace.
type folder struct {
	root *os.Root
	info os.FileInfo
	path string // in the workspace, "" for itself
}

// spot is where a path leads: a name in a folder, or the folder itself.
type spot struct {
	in   *folder
	name string      // "" when the spot is the folder
	info os.FileInfo // nil when there is nothing
	path string      // as it's shown
}

func (s spot) isFolder() bool { return s.name == "" }

// open opens the workspace of a caller, which making makes where there is none.
// A workspace that doesn't exist is fs.ErrNotExist.
func (s *Source) open(scope toolcrib.Scope, making bool) (*workspace, error) {
	path, err := s.opts.Workspace(agentOf(scope))
	if err != nil {
		return nil, toolcrib.NewError(toolcrib.KindUnavailable, "there is no workspace: "+err.Error(), "")
	}
	if making {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return nil, failed("", "the workspace can't be made: %s", reasonOf(err))
		}
	}
	// The dot keeps a pipe in the folder's place from being waited for.
	root, err := os.OpenRoot(path + string(filepath.Separator) + ".")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, failed("", "the workspace can't be opened: %s", reasonOf(err))
	}
	w := &workspace{path: path, guards: guardsOf(s.opts.Protected), bounds: s.opts.Bounds, opened: []*os.Root{root}}
	info, err := root.Stat(".")
	if err == nil && w.guards.hold(info) {
		err = protected("the workspace")
	}
	if err != nil {
		w.close()
		return nil, trouble("open", "the workspace", err)
	}
	w.top = &folder{root: root, info: info}
	return w, nil
}

func (w *workspace) close() {
	for _, r := range w.opened {
		r.Close()
	}
}

// spellings are the absolute paths by which the workspace may be named.
func (w *workspace) spellings() []string {
	all := []string{w.path}
	if real, err := filepath.EvalSymlinks(w.path); err == nil && real != w.path {
		all = append(all, real)
	}
	return all
}

// find follows a path. Missing folders on the way are made when making is true;
// what the path ends in may be missing always.
func (w *workspace) find(asked string, making bool) (spot, error) {
	names, err := namesOf(asked, w.spellings())
	if err != nil {
		return spot{}, err
	}
	if len(names) > w.bounds.Depth {
		return spot{}, refused("", "the path has more than %d names", w.bounds.Depth)
	}
	t := trail{workspace: w, way: []*folder{w.top}, rest: names, making: making}
	found, err := t.follow()
	if err != nil {
		return spot{}, trouble("open", t.at(), err)
	}
	if !slices.Contains(names, "..") {
		found.path = strings.Join(names, "/")
	}
	return found, nil
}

// enter opens a folder that was looked at, and nothing else.
func (w *workspace) enter(in *folder, name string, info os.FileInfo) (*folder, error) {
	root, err := in.root.OpenRoot(name + "/.")
	if err != nil {
		return nil, err
	}
	now, err := root.Stat(".")
	if err == nil && !os.SameFile(info, now) {
		err = errChanged
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	w.opened = append(w.opened, root)
	return &folder{root: root, info: now, path: join(in.path, name)}, nil
}

// leave closes a folder that isn't needed any more.
func (w *workspace) leave(f *folder) {
	if i := slices.Index(w.opened, f.root); i > 0 {
		w.opened = slices.Delete(w.opened, i, i+1)
		f.root.Close()
	}
}

// file opens a regular file for reading, without waiting.
func (s spot) file() (*os.File, os.FileInfo, error) {
	if err := s.regular(); err != nil {
		return nil, nil, err
	}
	f, err := s.in.root.OpenFile(s.name, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		return nil, nil, trouble("read", s.path, err)
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || !os.SameFile(info, s.info)) {
		err = errChanged
	}
	if err != nil {
		f.Close()
		return nil, nil, trouble("read", s.path, err)
	}
	return f, info, nil
}

// regular refuses what is missing and what is no regular file.
func (s spot) regular() error {
	switch {
	case s.isFolder():
		return failed("list shows what is in it", "%s is a folder", shown(s.path))
	case s.info == nil:
		return s.missing()
	case !s.info.Mode().IsRegular():
		return failed("only regular files can be used", "%s is %s", shown(s.path), special(s.info.Mode()))
	}
	return nil
}

// special names what is neither file nor folder.
func special(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&(fs.ModeDevice|fs.ModeCharDevice) != 0:
		return "a device"
	case m&fs.ModeSymlink != 0:
		return "a link"
	case m.IsDir():
		return "a folder"
	}
	return "a special file"
}

// missing says that there is nothing, and which names there differ in case or
// way of writing alone.
func (s spot) missing() error {
	hint := "list or find shows what there is"
	if names, err := s.in.names(2000); err == nil {
		for _, n := range names {
			if folded(n) == folded(s.name) {
				hint = "there is " + shown(join(s.in.path, n))
			}
		}
	}
	return failed(hint, "there is no %s", shown(s.path))
}

// names returns at most n names of a folder, unsorted.
func (f *folder) names(n int) ([]string, error) {
	dir, err := f.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(n)
}
