package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/clientconfig"
	"github.com/toolcrib/toolcrib/internal/config"
)

// defaultName is what toolcrib is called in a client's file.
const defaultName = "toolcrib"

// entry is what the client shall start.
func (l *linking) entry(paths config.Paths) (linkEntry, error) {
	e := linkEntry{Name: l.entryName(), Command: l.stableProgram(), Args: []string{"mcp"}, Env: l.stateEnv(paths.Socket)}
	if e.Command == "" {
		return e, toolcrib.NewError(toolcrib.KindInternal, "the path of this program can't be found out", "call it by its full path")
	}
	if strings.Contains(filepath.ToSlash(e.Command), "/go-build") {
		l.report.Notes = append(l.report.Notes, "this program was built by go run and will be gone; install it, and connect again")
	}
	mode := l.options.mode
	if mode == "" && l.client.SearchesItself {
		mode = "direct"
	}
	if mode != "" {
		e.Args = append(e.Args, "--mode", mode)
	}
	if l.options.agent != "" {
		e.Args = append(e.Args, "--agent", l.options.agent)
	}
	if paths.Config != "" && paths.Config != l.plainConfig() {
		e.Args = append(e.Args, "--config", paths.Config)
	}
	return e, nil
}

// entryName is the name that was asked for, else the one under which toolcrib
// stands in the file by hand, else the usual one.
func (l *linking) entryName() string {
	if l.options.name != "" {
		return l.options.name
	}
	for _, s := range l.servers {
		if clientconfig.IsToolcrib(s) && s.Name != defaultName {
			l.report.Notes = append(l.report.Notes, fmt.Sprintf("toolcrib stands there as %q already; that entry is replaced", s.Name))
			return s.Name
		}
	}
	return defaultName
}

// plain is what a toolcrib knows of where things are that was started without
// any of this shell's variables, as clients may do.
func (a *app) plain() config.Options {
	o := config.Options{Home: a.p.Home}
	for _, name := range []string{"APPDATA", "LOCALAPPDATA"} {
		if value := a.p.env(name); value != "" {
			o.Environ = append(o.Environ, name+"="+value)
		}
	}
	return o
}

// plainConfig is the configuration file that such a toolcrib reads.
func (a *app) plainConfig() string {
	path, _, err := config.ConfigPath(a.plain())
	if err != nil {
		return ""
	}
	return path
}

// stateEnv are the variables without which such a toolcrib would not find the
// control socket, or what is remembered.
func (a *app) stateEnv(socket string) map[string]string {
	env := map[string]string{}
	for name, folder := range map[string]func(config.Options) (string, error){"XDG_STATE_HOME": config.StateDir, "XDG_CACHE_HOME": config.CacheDir} {
		here, _ := folder(a.configOptions())
		there, _ := folder(a.plain())
		if value := a.p.env(name); value != "" && here != there {
			env[name] = value
		}
	}
	if dir := a.p.env("XDG_RUNTIME_DIR"); dir != "" && strings.HasPrefix(socket, filepath.Clean(dir)+string(filepath.Separator)) {
		env["XDG_RUNTIME_DIR"] = dir
	}
	if len(env) == 0 {
		return nil
	}
	return env
}

// passedOn are variables that every client hands to the servers that it starts.
var passedOn = []string{"HOME", "PATH", "USER", "LOGNAME", "SHELL", "TERM", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "USERNAME"}

// noteVariables names the variables that toolcrib's configuration needs, since
// the client may not have them.
func (l *linking) noteVariables() {
	var names []string
	for _, s := range l.own {
		if s.Disabled {
			continue
		}
		for _, name := range s.Variables() {
			if !slices.Contains(passedOn, name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) > 0 {
		l.report.Notes = append(l.report.Notes, fmt.Sprintf("toolcrib's configuration takes %s from the environment: %s", strings.Join(names, ", "), passOn(l.client, names)))
	}
}

// passOn says how variables reach the servers that a client starts.
func passOn(client clientconfig.Client, names []string) string {
	text := client.Title + " must be started with that set"
	switch client.Name {
	case "codex":
		return fmt.Sprintf(`%s, and hands on what env_vars = ["%s"] in [mcp_servers.toolcrib] names`, text, strings.Join(names, `", "`))
	case "gemini":
		return fmt.Sprintf(`%s, and hands on what looks like a secret only where the entry has "env": {"%s": "$%[2]s"}`, text, names[0])
	}
	return text
}

// stableProgram is a path of this program that an update doesn't move: the first
// on PATH that leads to it, such as a package manager's link; else the way it
// was called; else where it lies.
func (a *app) stableProgram() string {
	self, err := os.Stat(a.p.Executable)
	if a.p.Executable == "" || err != nil {
		return a.p.Executable
	}
	leadsHere := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && filepath.IsAbs(path) && os.SameFile(info, self)
	}
	names := []string{filepath.Base(a.p.Executable)}
	if called := filepath.Base(a.p.Program); called != names[0] {
		names = slices.Insert(names, 0, called)
	}
	for _, dir := range filepath.SplitList(a.p.env("PATH")) {
		for _, name := range names {
			if path := filepath.Join(dir, name); leadsHere(path) {
				return path
			}
		}
	}
	if path := a.absolute(a.p.Program); strings.ContainsRune(a.p.Program, filepath.Separator) && leadsHere(path) {
		return filepath.Clean(path)
	}
	return a.p.Executable
}

// nextSteps says what has to happen until the client uses toolcrib.
func nextSteps(client clientconfig.Client) []string {
	switch client.Name {
	case "claude-desktop":
		return []string{"quit Claude Desktop fully (closing its window is not enough) and start it again"}
	case "claude-code":
		return []string{"start a new session of claude; /mcp shows toolcrib"}
	case "cursor":
		return []string{"in Cursor's settings, below MCP, switch toolcrib on if it is off; restart Cursor if it doesn't show"}
	case "vscode":
		return []string{"run the command \"MCP: List Servers\" in VS Code, choose toolcrib and start it; VS Code asks once whether it is trusted"}
	case "codex":
		return []string{
			"start a new session of codex; /mcp shows toolcrib",
			`codex asks before it calls a tool that is not marked as read-only, and codex exec refuses; default_tools_approval_mode = "approve" in [mcp_servers.toolcrib] lets all calls through`,
		}
	case "windsurf":
		return []string{"press refresh in Windsurf's MCP settings, or restart Windsurf"}
	case "gemini":
		return []string{"start a new session of gemini in a folder that it trusts; /mcp shows toolcrib"}
	case "opencode":
		return []string{"start opencode anew"}
	}
	return []string{"restart " + client.Title}
}
