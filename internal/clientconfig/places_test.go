package clientconfig

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFiles(t *testing.T) {
	linux := Environment{Home: "/home/ana", GOOS: "linux"}
	mac := Environment{Home: "/Users/ana", GOOS: "darwin"}
	windows := Environment{Home: `C:\Users\ana`, GOOS: "windows"}
	with := func(e Environment, dir string, pairs ...string) Environment {
		e.Dir = dir
		e.Getenv = func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
		return e
	}
	there := func(e Environment, paths ...string) Environment {
		e.Exists = func(p string) bool { return slices.Contains(paths, p) }
		return e
	}
	for _, c := range []struct {
		client string
		env    Environment
		want   string // scope and path, the first ones
	}{
		{"claude-desktop", linux, "user /home/ana/.config/Claude/claude_desktop_config.json"},
		{"claude-desktop", with(linux, "/p", "XDG_CONFIG_HOME", "/x/"), "user /x/Claude/claude_desktop_config.json"},
		{"claude-desktop", mac, "user /Users/ana/Library/Application Support/Claude/claude_desktop_config.json"},
		{"claude-desktop", windows, `user C:\Users\ana\AppData\Roaming\Claude\claude_desktop_config.json`},
		{
			"claude-desktop", there(windows, `C:\Users\ana\AppData\Local\Packages\Claude_pzs8sxrjxfjjc\LocalCache\Roaming\Claude\claude_desktop_config.json`),
			`user C:\Users\ana\AppData\Local\Packages\Claude_pzs8sxrjxfjjc\LocalCache\Roaming\Claude\claude_desktop_config.json`,
		},

		{"claude-code", linux, "user /home/ana/.claude.json"},
		{"claude-code", with(linux, "/p/q"), "user /home/ana/.claude.json|local /home/ana/.claude.json=/p/q|project /p/q/.mcp.json"},
		{"claude-code", there(with(linux, "/p/q"), "/p/.git"), "user /home/ana/.claude.json|local /home/ana/.claude.json=/p|project /p/q/.mcp.json"},
		{"claude-code", with(linux, "", "CLAUDE_CONFIG_DIR", "/cfg"), "user /cfg/.claude.json"},
		{"claude-code", there(linux, "/home/ana/.claude/.config.json"), "user /home/ana/.claude/.config.json"},
		{"claude-code", there(with(windows, `D:\p\q`), `D:\p\.git`), `user C:\Users\ana\.claude.json|local C:\Users\ana\.claude.json=D:/p|project D:\p\q\.mcp.json`},

		{"cursor", with(mac, "/p"), "user /Users/ana/.cursor/mcp.json|project /p/.cursor/mcp.json"},
		{"cursor", windows, `user C:\Users\ana\.cursor\mcp.json`},

		{"vscode", linux, "user /home/ana/.config/Code/User/mcp.json"},
		{"vscode", mac, "user /Users/ana/Library/Application Support/Code/User/mcp.json"},
		{"vscode", with(windows, "", "APPDATA", `E:\roam`), `user E:\roam\Code\User\mcp.json`},
		{"vscode", there(linux, "/home/ana/.config/Code - Insiders/User", "/home/ana/.config/Code/User/settings.json"), "user /home/ana/.config/Code - Insiders/User/mcp.json"},
		{"vscode", with(linux, "", "VSCODE_PORTABLE", "/port"), "user /port/user-data/User/mcp.json|user /port/user-data/User/settings.json"},

		{"codex", with(linux, "/p"), "user /home/ana/.codex/config.toml|project /p/.codex/config.toml"},
		{"codex", with(linux, "", "CODEX_HOME", "/c"), "user /c/config.toml"},
		{"windsurf", linux, "user /home/ana/.codeium/windsurf/mcp_config.json"},
		{"windsurf", there(linux, "/home/ana/.codeium/windsurf-next/mcp_config.json"), "user /home/ana/.codeium/windsurf-next/mcp_config.json"},
		{"gemini", with(windows, `D:\p`), `user C:\Users\ana\.gemini\settings.json|project D:\p\.gemini\settings.json`},
		{"gemini", with(linux, "", "GEMINI_CLI_HOME", "/g"), "user /g/.gemini/settings.json"},

		{"opencode", linux, "user /home/ana/.config/opencode/opencode.jsonc|user /home/ana/.config/opencode/opencode.json"},
		{"opencode", there(linux, "/home/ana/.config/opencode/opencode.json"), "user /home/ana/.config/opencode/opencode.json"},
		{"opencode", with(linux, "", "OPENCODE_CONFIG", "/o.json"), "user /o.json"},
		{"opencode", with(linux, "", "OPENCODE_CONFIG_DIR", "/o"), "user /o/opencode.jsonc"},
		{"opencode", windows, `user C:\Users\ana\.config\opencode\opencode.jsonc`},
	} {
		var got []string
		for _, f := range client(t, c.client).Files(c.env) {
			line := f.Scope + " " + f.Path
			if f.Project != "" {
				line += "=" + f.Project
			}
			got = append(got, line)
			if f.Client != c.client || c.env.Dir == "" && f.Scope != "user" {
				t.Errorf("%s: odd file %+v", c.client, f)
			}
		}
		want := strings.Split(c.want, "|")
		if diff := cmp.Diff(want, got[:min(len(want), len(got))]); diff != "" {
			t.Errorf("%s on %s (-want +got):\n%s", c.client, c.env.GOOS, diff)
		}
	}
}

func TestFilesOfOpencodeProject(t *testing.T) {
	got := client(t, "opencode").Files(Environment{Home: "/h", GOOS: "linux", Dir: "/p"})
	if f := got[len(got)-4]; f.Path != "/p/opencode.json" || f.Scope != "project" {
		t.Errorf("the first project file is %+v", f)
	}
	if _, ok := Find("emacs"); ok {
		t.Error("found a client that isn't there")
	}
}
