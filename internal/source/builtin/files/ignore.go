package files

import (
	"bufio"
	"bytes"
	"context"
	"strings"
)

// Bounds of a .gitignore file.
const (
	ignoreBytes = 64 << 10
	ignoreRules = 1000
)

// ignores are the rules of .gitignore files, of a folder and those above it up
// to where the walk started. nil has none.
type ignores struct {
	above *ignores
	base  string // of the folder
	rules []ignoreRule
}

type ignoreRule struct {
	glob    *glob
	not     bool // takes back what rules before say
	folders bool // for folders alone
}

// with adds the rules of a folder.
func (g *ignores) with(ctx context.Context, f *folder) *ignores {
	info, err := f.root.Lstat(".gitignore")
	if err != nil || !info.Mode().IsRegular() {
		return g
	}
	at := spot{in: f, name: ".gitignore", info: info, path: ".gitignore"}
	data, _, _, err := at.load(ctx, ignoreBytes)
	if err != nil {
		return g
	}
	own := &ignores{above: g, base: f.path}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() && len(own.rules) < ignoreRules {
		if rule, ok := ignoreRuleOf(lines.Text()); ok {
			own.rules = append(own.rules, rule)
		}
	}
	return own
}

func ignoreRuleOf(line string) (ignoreRule, bool) {
	line = strings.TrimRight(strings.TrimPrefix(line, byteOrderMark), " \t\r")
	if line == "" || strings.HasPrefix(line, "#") {
		return ignoreRule{}, false
	}
	r := ignoreRule{}
	line, r.not = strings.CutPrefix(line, "!")
	line, r.folders = strings.CutSuffix(line, "/")
	line = strings.TrimPrefix(line, `\`)
	if anchored, ok := strings.CutPrefix(line, "/"); ok && !strings.Contains(anchored, "/") {
		line = "./" + anchored // one name, here alone
	} else {
		line = strings.TrimPrefix(line, "/")
	}
	g, err := ignoreGlob(line)
	r.glob = g
	return r, err == nil
}

// ignoreGlob is globOf, but that "./" at the start ties a single name to the folder.
func ignoreGlob(line string) (*glob, error) {
	name, here := strings.CutPrefix(line, "./")
	if !here {
		return globOf(line)
	}
	g, err := globOf("x/" + name)
	if err != nil {
		return nil, err
	}
	return &glob{re: g.re, under: "x/"}, nil
}

// leaveOut reports whether the rules leave out a path of the workspace.
func (g *ignores) leaveOut(path string, isFolder bool) bool {
	for ; g != nil; g = g.above {
		rest := strings.TrimPrefix(strings.TrimPrefix(path, g.base), "/")
		for i := len(g.rules) - 1; i >= 0; i-- {
			if r := g.rules[i]; (!r.folders || isFolder) && r.glob.match(rest) {
				return !r.not
			}
		}
	}
	return false
}
