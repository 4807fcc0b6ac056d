package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// trail follows the names of one path, with a handle of each folder on the way.
type trail struct {
	*workspace
	way    []*folder // from the workspace to where it has got
	rest   []string  // names to go
	next   string    // the name that is looked at
	links  int
	making bool
}

func (t *trail) here() *folder { return t.way[len(t.way)-1] }

// at is the path of the name that is looked at.
func (t *trail) at() string { return join(t.here().path, t.next) }

// follow goes to the end.
func (t *trail) follow() (spot, error) {
	for range maxSteps {
		if len(t.rest) == 0 {
			f := t.here()
			return spot{in: f, info: f.info, path: f.path}, nil
		}
		t.next, t.rest = t.rest[0], t.rest[1:]
		if t.next == ".." {
			if len(t.way) == 1 {
				return spot{}, escapes("the path")
			}
			t.way = t.way[:len(t.way)-1]
			continue
		}
		if found, done, err := t.step(); done || err != nil {
			return found, err
		}
	}
	return spot{}, refused("", "the path takes more than %d steps", maxSteps)
}

// step takes the next name; done when it's where the path ends.
func (t *trail) step() (found spot, done bool, err error) {
	if t.guards.name(t.here().info, t.next) {
		return spot{}, false, protected(t.at())
	}
	info, err := t.here().root.Lstat(t.next)
	if errors.Is(err, fs.ErrNotExist) {
		return t.absent()
	}
	if err != nil {
		return spot{}, false, err
	}
	if t.guards.hold(info) {
		return spot{}, false, protected(t.at())
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return spot{}, false, t.link()
	case info.IsDir():
		return spot{}, false, t.down(info)
	case len(t.rest) > 0:
		return spot{}, false, failed("", "%s is no folder", shown(t.at()))
	}
	return spot{in: t.here(), name: t.next, info: info, path: t.at()}, true, nil
}

func (t *trail) down(info os.FileInfo) error {
	if len(t.way) > t.bounds.Depth {
		return refused("", "the path is more than %d folders deep", t.bounds.Depth)
	}
	f, err := t.enter(t.here(), t.next, info)
	if err != nil {
		return err
	}
	t.way = append(t.way, f)
	return nil
}

// absent is a name that isn't there: the end, or a folder to make.
func (t *trail) absent() (spot, bool, error) {
	missing := spot{in: t.here(), name: t.next, path: t.at()}
	if len(t.rest) == 0 {
		return missing, true, nil
	}
	if !t.making || slices.Contains(t.rest, "..") {
		return spot{}, false, missing.missing()
	}
	if err := t.here().root.Mkdir(t.next, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return spot{}, false, trouble("make the folder", t.at(), err)
	}
	t.rest = slices.Concat([]string{t.next}, t.rest)
	return spot{}, false, nil
}

// link puts what a link says in front of the rest.
func (t *trail) link() error {
	if t.links++; t.links > maxLinks {
		return failed("", "%s is a link that leads in a circle", shown(t.at()))
	}
	target, err := t.here().root.Readlink(t.next)
	if err != nil {
		return err
	}
	if rooted(target) {
		inside := false
		if target, inside = below(filepath.Clean(target), t.spellings()); !inside {
			return escapes(t.at())
		}
		t.way = t.way[:1]
	}
	var names []string
	for name := range strings.SplitSeq(filepath.ToSlash(target), "/") {
		if name != "" && name != "." {
			names = append(names, name)
		}
	}
	t.rest = slices.Concat(names, t.rest)
	return nil
}
