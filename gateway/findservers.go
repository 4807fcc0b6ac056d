package gateway

import (
	"fmt"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib/internal/child"
)

// slowStart is from when on a start is called slow.
const slowStart = 5 * time.Second

// maxAlike is how many findings of one kind are shown one by one.
const maxAlike = 10

// servers says how the servers are.
func (x *examiner) servers() []Finding {
	f := &findings{area: AreaServers}
	if len(x.tried) == 0 {
		f.add(LevelNote, "no server is switched on", "mcp.servers", "add one: toolcrib config set mcp.servers.NAME '{command: \"PROGRAM\"}', or toolcrib import")
	}
	for _, t := range x.tried {
		at := "mcp.servers." + t.name
		if why := x.itself(t); why != "" {
			f.add(LevelError, fmt.Sprintf("server %s is toolcrib itself: %s", t.name, why), at, "switch it off: "+setCommand(t.name, "enabled", "false"))
			continue
		}
		switch {
		case t.config.Command != "" && t.program == "":
			word, line := child.CommandWord(t.config.Command)
			do := x.options.get(t.name, word)
			if line {
				word, do = word+" …", fmt.Sprintf("give its first word in %s.command and the others in %[1]s.args: it is a whole line", at)
			}
			f.add(LevelError, fmt.Sprintf("server %s: command %q isn't there", t.name, word), at+".command", do)
		case !t.probed:
		case !t.shown.OK:
			f.add(LevelError, fmt.Sprintf("server %s: %s", t.name, t.shown.Reason), at, x.remedy(t))
		default:
			x.healthy(f, t)
		}
	}
	if n := x.reused(); n > 0 {
		f.add(LevelNote, fmt.Sprintf("%s taken as the running gateway has them, and not tried anew", count(n, "server")), "", "to try all: toolcrib doctor --fresh")
	}
	x.desktop(f)
	if x.options.Offline && len(x.tried) > 0 {
		f.add(LevelNote, "the servers were not started, so their tools are not looked at", "", "leave out --offline")
	}
	return f.list
}

// reused counts the servers that were not tried.
func (x *examiner) reused() int {
	n := 0
	for _, t := range x.tried {
		if t.reused {
			n++
		}
	}
	return n
}

// remedy is what to do about a server that can't be used.
func (x *examiner) remedy(t *trial) string {
	do := t.shown.Hint
	if t.shown.LoginAt != "" {
		do = join(do, "it describes its login at "+t.shown.LoginAt)
	}
	return join(do, "see more: toolcrib servers test "+quoted(t.name))
}

// join joins two clauses.
func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// healthy says how a server is that can be used.
func (x *examiner) healthy(f *findings, t *trial) {
	at, when := "mcp.servers."+t.name, seconds(t.shown.TookMs)
	if t.reused {
		when = "ready in the running gateway"
	}
	f.add(LevelOK, fmt.Sprintf("server %s: %s, %s, protocol %s", t.name, count(t.shown.Tools.Count, "tool"), when, t.shown.Protocol), at, "")
	if t.shown.TookMs >= slowStart.Milliseconds() {
		f.add(LevelWarning, fmt.Sprintf("server %s takes %s to start", t.name, seconds(t.shown.TookMs)), at, faster(t.name, t.config.Command, t.config.Args))
	}
	if t.shown.Tools.Count == 0 {
		do := "see what it lists: toolcrib servers test " + quoted(t.name)
		if t.shown.Tools.Listed > 0 {
			do = "correct its allow and deny"
		}
		f.add(LevelWarning, fmt.Sprintf("server %s has no tools to use, and lists %d", t.name, t.shown.Tools.Listed), at, do)
	}
	var all []Finding
	for _, w := range t.shown.Warnings {
		all = append(all, Finding{LevelWarning, f.area, fmt.Sprintf("server %s: %s", t.name, w), at, ""})
	}
	f.several(maxAlike/2, all)
}

// seconds is a time for a person.
func seconds(ms int64) string { return fmt.Sprintf("%.1f s", float64(ms)/1000) }

// faster says how a server would start faster.
func faster(name, command string, args []string) string {
	pack, pinned := fetched(args)
	switch program(command) {
	case "npx", "bunx":
		if !pinned {
			return fmt.Sprintf("%s asks for the newest version at each start: pin it (%s@VERSION), or install it once (npm install -g %s), set command to its program, and take -y and the package out of args", program(command), pack, pack)
		}
		return fmt.Sprintf("install it once (npm install -g %s), set command to its program, and take -y and the package out of args", pack)
	case "uvx":
		if !pinned {
			return fmt.Sprintf("uvx asks for the newest version at times: pin it (%s==VERSION), or install it once (uv tool install %s), set command to its program, and take the package out of args", pack, pack)
		}
		return fmt.Sprintf("install it once (uv tool install %s), set command to its program, and take the package out of args", pack)
	case "docker", "podman":
		return "fetch its image beforehand, by docker pull"
	case "":
		return "its host answers slowly"
	}
	return "see which step takes so long: toolcrib servers test " + quoted(name)
}

// fetched is the package that npx, bunx or uvx is to run, and whether its version is pinned.
func fetched(args []string) (pack string, pinned bool) {
	for i, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		switch name {
		case "-p", "--package", "--from":
			if value == "" && i+1 < len(args) {
				value = args[i+1]
			}
			return value, pins(value)
		}
		if !strings.HasPrefix(arg, "-") {
			return arg, pins(arg)
		}
	}
	return "PACKAGE", false
}

// pins reports whether the name of a package says its version.
func pins(pack string) bool {
	_, version, ok := strings.Cut(strings.TrimPrefix(pack, "@"), "@")
	return ok && version != "" && version != "latest" || strings.Contains(pack, "==")
}
