package node

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// version is a Node version.
type version struct{ major, minor int }

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

func (v version) before(major, minor int) bool {
	return v.major < major || v.major == major && v.minor < minor
}

// The first versions that are good enough.
const (
	// oldest has the permission model.
	oldest = 20
	// closedMajor and closedMinor can refuse sockets, Unix sockets too.
	closedMajor, closedMinor = 25, 3
)

var versionText = regexp.MustCompile(`^v(\d{1,4})\.(\d{1,4})\.\d+`)

func parseVersion(text string) (version, error) {
	m := versionText.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return version{}, fmt.Errorf("it doesn't say its version, but %.80q", text)
	}
	major, err := strconv.Atoi(m[1])
	if err != nil {
		return version{}, err
	}
	minor, err := strconv.Atoi(m[2])
	return version{major, minor}, err
}

// askTimeout bounds how long Node may take to say its version.
const askTimeout = 10 * time.Second

// ask runs node --version, in an empty environment.
func ask(path string) (version, error) {
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = []string{}
	out, err := cmd.Output()
	if err != nil {
		return version{}, fmt.Errorf("ask %s for its version: %w", path, err)
	}
	v, err := parseVersion(string(out))
	if err != nil {
		return v, fmt.Errorf("%s: %w", path, err)
	}
	if v.before(oldest, 0) {
		return v, fmt.Errorf("%s is version %v; the sandbox needs Node %d or later", path, v, oldest)
	}
	return v, nil
}

// find gives the real file of a Node: a path, or a name to look up in the
// folders of searchPath.
func find(name, searchPath string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) {
		return real(name)
	}
	for _, folder := range filepath.SplitList(searchPath) {
		if !filepath.IsAbs(folder) {
			continue
		}
		found, err := exec.LookPath(filepath.Join(folder, name))
		if err == nil {
			return real(found)
		}
	}
	return "", fmt.Errorf("there is no %s in the folders of PATH; install Node %d or later, or name its file", name, oldest)
}

func real(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	path, err = filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	if _, err := exec.LookPath(path); err != nil {
		return "", errors.Join(fmt.Errorf("%s can't be run", path), err)
	}
	return path, nil
}

// flags are Node's own switches, for what they are worth: the permission model
// under the version's name for it, no code from text, no native modules.
func flags(v version, memory int64) []string {
	permission := "--permission"
	if v.before(22, 13) || v.major == 23 && v.minor < 5 {
		permission = "--experimental-permission"
	}
	list := []string{
		permission, "--disallow-code-generation-from-strings", "--no-addons", "--no-warnings",
		"--openssl-config=" + emptyFile, "--max-old-space-size=" + strconv.FormatInt(max(memory>>20, minHeap), 10),
	}
	if !v.before(22, 5) {
		list = append(list, "--no-experimental-sqlite")
	}
	return list
}

// emptyFile is a file that holds nothing: OpenSSL reads its settings from it.
const emptyFile = "/dev/null"

// minHeap is the least heap in which Node starts, in MiB.
const minHeap = 16
