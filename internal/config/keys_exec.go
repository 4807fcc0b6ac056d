package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// Exec says which command lines the built-in tool exec runs, and how.
type Exec struct {
	// Allow holds patterns of simple commands that run without a question.
	Allow []string
	// Ask is "on-miss", "always" or "off".
	Ask string
	// AskClient lets the person at the client that made the call answer too.
	AskClient bool
	// Sandbox is "auto", "always" or "off".
	Sandbox string
	// TimeoutMs is the most that a call may take, 1000 to 3600000.
	TimeoutMs int
	// MaxOutputBytes bounds what is kept of each of a command's two streams, 1024 to
	// 1048576.
	MaxOutputBytes int
	// Path are absolute folders in which programs are looked for first.
	Path []string
	// Readable are absolute files and folders that a sandboxed command may read
	// beside the system's.
	Readable []string
}

// Timeout is TimeoutMs as a duration.
func (e Exec) Timeout() time.Duration { return time.Duration(e.TimeoutMs) * time.Millisecond }

func execKeys() []Key {
	const p = "tools.exec"
	return []Key{
		{Path: p, Type: Object, Doc: "Which command lines the built-in tool exec runs, and how. It works in the folder of the file tools."},
		{
			Path: p + ".allow", Type: List,
			Doc: `What runs without a question: patterns over the words of one simple command, such as "git status", "git log *" or "ls *". A * within a word stands for anything in it, and as the last word for any further words. Each command of a line must match, and a line with anything that a shell would replace, redirect or start in the background matches nothing. A pattern says which program starts, not what it may do: sh, env, find -exec and many others run whatever they are given.`,
		},
		{Path: p + ".allow.[]", Type: String, Doc: "A pattern."},
		{
			Path: p + ".ask", Type: String, Default: `"on-miss"`, Enum: []string{"on-miss", "always", "off"},
			Doc: `When a person is asked before a command line runs: when it isn't on the list, always, or never; with "off" what isn't on the list is refused.`,
		},
		{
			Path: p + ".askClient", Type: Bool, Default: "false",
			Doc: "Whether the person at the client that made the call may answer, where that client can ask. Any program can be a client and answer itself, and the answer lets it run anything: by default only operators answer.",
		},
		{
			Path: p + ".sandbox", Type: String, Default: `"auto"`, Enum: []string{"auto", "always", "off"},
			Doc: `Which command lines run without network and with nothing but the system to read and the workspace to write: those of sandboxed sessions, all, or none; with "off" those of sandboxed sessions are refused, and so they are on systems that have no such sandbox. It needs Linux with Landlock.`,
		},
		{Path: p + ".timeoutMs", Type: Whole, Default: "300000", Min: 1000, Max: 3_600_000, Doc: "The most that a call may take, in milliseconds. A call that names no time has a minute."},
		{
			Path: p + ".maxOutputBytes", Type: Whole, Default: "65536", Min: 1024, Max: 1 << 20,
			Doc: "How many bytes are kept of each of a command's two outputs: its start and its end.",
		},
		{
			Path: p + ".path", Type: List,
			Doc: "Folders in which programs are looked for before /usr/local/bin, /usr/bin and the like. PATH in toolcrib's environment doesn't count, and no folder may be in the workspace.",
		},
		{Path: p + ".path.[]", Type: String, Doc: "A folder: an absolute path, or one that starts with ~/."},
		{Path: p + ".readable", Type: List, Doc: "Files and folders that a sandboxed command may read and run beside the system's, such as that of a compiler."},
		{Path: p + ".readable.[]", Type: String, Doc: "An absolute path, or one that starts with ~/."},
	}
}

// execOf reads them.
func execOf(v *value) Exec {
	return Exec{
		Allow: texts(v.get("allow")), Ask: text(v.get("ask")), AskClient: yes(v.get("askClient")), Sandbox: text(v.get("sandbox")),
		TimeoutMs: number(v.get("timeoutMs"), 0), MaxOutputBytes: number(v.get("maxOutputBytes"), 0),
		Path: texts(v.get("path")), Readable: texts(v.get("readable")),
	}
}

// exec checks and completes the folders. What the patterns mean is checked by
// those who match them.
func (c crossChecker) exec(v *value) {
	for _, key := range []string{"path", "readable"} {
		list := v.get(key)
		if list == nil || list.bad {
			continue
		}
		for i, item := range list.items {
			if item.bad {
				continue
			}
			at := itemPath("tools.exec."+key, i)
			full := c.opts.resolve(item.text, "")
			if strings.TrimSpace(item.text) == "" || !filepath.IsAbs(full) || strings.ContainsAny(full, ":\x00") {
				c.fail(item.origin, at, fmt.Sprintf("is no absolute path that a search path can hold: %q", item.text), "write the whole path, without a colon")
				continue
			}
			item.text = filepath.Clean(full)
		}
	}
}
