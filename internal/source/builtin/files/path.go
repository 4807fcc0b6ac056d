package files

import (
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a path as it is asked for, in bytes.
const (
	maxPath = 4096
	maxName = 255
)

// shown is a path as messages and texts show it: "." for the workspace, and
// quoted where a sign in it could be taken for something else.
func shown(p string) string {
	if p == "" {
		return "."
	}
	for _, r := range p {
		if r == utf8.RuneError || unicode.IsControl(r) || !unicode.IsPrint(r) && r != ' ' {
			return strconv.Quote(strings.ToValidUTF8(p, "\uFFFD"))
		}
	}
	return p
}

// namesOf takes a path apart. An absolute one must be inside one of the
// folders, which are spellings of the workspace. The names may hold "..", but no "." and
// nothing empty.
func namesOf(asked string, folders []string) ([]string, error) {
	if strings.ContainsRune(asked, 0) {
		return nil, refused("", "the path holds a NUL character")
	}
	if len(asked) > maxPath {
		return nil, refused("", "the path is longer than %d bytes", maxPath)
	}
	rest := asked
	if rooted(asked) {
		inside := false
		if rest, inside = below(asked, folders); !inside {
			return nil, escapes("the absolute path")
		}
	}
	var names []string
	for name := range strings.SplitSeq(filepath.ToSlash(rest), "/") {
		if name == "" || name == "." {
			continue
		}
		if len(name) > maxName {
			return nil, refused("", "a name in the path is longer than %d bytes", maxName)
		}
		if reserved(name, runtime.GOOS) {
			return nil, refused("", "%s can't be the name of a file on this system", shown(name))
		}
		names = append(names, name)
	}
	return names, nil
}

// rooted reports whether a path starts at the root of a file system or a drive.
func rooted(p string) bool {
	return filepath.IsAbs(p) || filepath.VolumeName(p) != "" || p != "" && (p[0] == '/' || p[0] == filepath.Separator)
}

// below returns the rest of an absolute path that is inside one of the folders.
func below(p string, folders []string) (string, bool) {
	same := func(a, b string) bool { return a == b }
	if runtime.GOOS == "windows" {
		p, same = filepath.FromSlash(p), strings.EqualFold
	}
	for _, f := range folders {
		f = strings.TrimSuffix(filepath.Clean(f), string(filepath.Separator))
		if len(p) >= len(f) && same(p[:len(f)], f) && (len(p) == len(f) || p[len(f)] == filepath.Separator) {
			return p[len(f):], true
		}
	}
	return "", false
}

// reserved reports whether a name means something other than a file on a system:
// on Windows devices, other streams of a file, and names that end in a way that is cut off.
func reserved(name, system string) bool {
	if system != "windows" || name == ".." {
		return false
	}
	if strings.ContainsAny(name, `<>:"|?*\`) || strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
		return true
	}
	for _, r := range name {
		if r < ' ' {
			return true
		}
	}
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch stem = strings.TrimRight(stem, " "); stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	for _, port := range []string{"COM", "LPT"} {
		if n, ok := strings.CutPrefix(stem, port); ok && strings.Contains("0123456789¹²³", n) && utf8.RuneCountInString(n) == 1 {
			return true
		}
	}
	return false
}

// join appends a name to a path of the workspace.
func join(dir, name string) string { return path.Join(dir, name) }
