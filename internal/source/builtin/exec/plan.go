package exec

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/child"
	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
)

// usualPath is where programs are looked for: never in the workspace.
var usualPath = []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}

// plan is a line that is about to run.
type plan struct {
	job     job
	stdin   string
	timeout time.Duration
	keep    int
	fenced  bool
	// workspace is the folder that a fenced line may change.
	workspace string
	read      []string
}

// plan settles where and how a line runs.
func (s *Source) plan(call toolcrib.Call, in input, now Settings, v Verdict) (plan, error) {
	p := plan{stdin: in.Stdin, timeout: in.timeout(now.Timeout), keep: now.OutputBytes}
	var err error
	if p.workspace, err = s.workspace(call.Scope.Agent); err != nil {
		return p, err
	}
	if p.job.Dir, err = within(p.workspace, in.Cwd); err != nil {
		return p, err
	}
	path, err := outside(p.workspace, now.Path)
	if err != nil {
		return p, err
	}
	p.job.Env = environment(s.opt.Environ, path)
	if v.Allowed {
		p.job.Lines = v.Lines
	} else {
		p.job.Shell = in.Command
	}
	p.fenced = now.Sandbox == SandboxAlways || call.Scope.Sandboxed
	if !p.fenced {
		return p, nil
	}
	p.read = slices.Concat(now.Path, now.Read)
	return p, s.fenceable(now.Sandbox, append([]string{p.workspace}, p.read...))
}

// fenceable refuses a line that would have to run behind a fence and can't. open
// are the folders that it would see.
func (s *Source) fenceable(how Sandbox, open []string) error {
	refused := func(why, hint string) error {
		return toolcrib.NewError(toolcrib.KindBlocked, "blocked: commands of this session run sandboxed, and "+why+"; it did not run", hint)
	}
	if how == SandboxOff {
		return refused("tools.exec.sandbox is off", "")
	}
	if !fence.Probe().Files {
		return refused("this system has no sandbox for them", "this is for the operator: toolcrib doctor says what is missing")
	}
	for _, private := range s.opt.Private {
		if slices.ContainsFunc(open, func(folder string) bool { return inside(real(folder), real(private)) }) {
			return refused("their workspace, or what tools.exec.readable and path name, holds the gateway's own files", "this is for the operator: choose another folder")
		}
	}
	return nil
}

// real is a path without links, or itself where there is none.
func real(path string) string {
	if found, err := filepath.EvalSymlinks(path); err == nil {
		return found
	}
	return path
}

// workspace is the agent's folder, without links in its path.
func (s *Source) workspace(agent string) (string, error) {
	dir, err := s.opt.Workspace(agent)
	if err != nil {
		return "", err
	}
	found, err := filepath.EvalSymlinks(dir)
	if err != nil || !filepath.IsAbs(found) {
		return "", toolcrib.NewError(toolcrib.KindUnavailable, "the workspace can't be used; it did not run", "this is for the operator to mend").WithCause(errors.Join(err, errors.New(dir)))
	}
	return found, nil
}

// within is the folder cwd of a workspace, which it must not leave.
func within(workspace, cwd string) (string, error) {
	at := cwd
	if !filepath.IsAbs(at) {
		at = filepath.Join(workspace, at)
	}
	found, err := filepath.EvalSymlinks(at)
	switch {
	case errors.Is(err, fs.ErrNotExist) && inside(workspace, filepath.Clean(at)):
		return "", wrong("there is no such folder in the workspace")
	case err != nil || !inside(workspace, found):
		return "", wrong("cwd is not a folder in the workspace")
	}
	if info, err := os.Stat(found); err != nil || !info.IsDir() {
		return "", wrong("cwd is not a folder")
	}
	return found, nil
}

// inside reports whether a clean path is a folder or below it.
func inside(folder, path string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// outside is where programs are looked for; a folder of the workspace would let
// the workspace say what a program's name means.
func outside(workspace string, more []string) ([]string, error) {
	for _, dir := range more {
		if inside(workspace, real(dir)) || !filepath.IsAbs(dir) {
			return nil, toolcrib.NewError(toolcrib.KindConfig, "tools.exec.path names a folder of the workspace; it did not run", "this is for the operator to mend")
		}
	}
	return slices.Concat(more, usualPath), nil
}

// environment is what commands get: the base of every child, our PATH, and what
// keeps programs from waiting for a person.
func environment(environ, path []string) []string {
	return child.Environ(environ, map[string]string{
		"PATH": strings.Join(path, ":"), "TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "false",
	})
}
