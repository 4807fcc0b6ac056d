package clientconfig

import "strings"

func claudeDesktopPlaces(e Environment) []place {
	const name = "claude_desktop_config.json"
	plain := user(e.join(e.appData(), "Claude", name))
	if e.GOOS != "windows" {
		return []place{plain}
	}
	// The program from the store sees a copy of its folder, which wins over the plain one.
	local := e.or("LOCALAPPDATA", e.join(e.Home, "AppData", "Local"))
	store := user(e.join(local, "Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming", "Claude", name))
	store.optional = true
	return []place{store, plain}
}

func claudeCodePlaces(e Environment) []place {
	dir := e.or("CLAUDE_CONFIG_DIR", e.join(e.Home, ".claude"))
	file := e.join(e.or("CLAUDE_CONFIG_DIR", e.Home), ".claude.json")
	if old := e.join(dir, ".config.json"); e.exists(old) {
		file = old // the program goes on using a file of its first versions
	}
	out := []place{user(file)}
	if e.Dir != "" {
		out = append(out, place{scope: scopeLocal, path: file, project: e.projectKey()})
	}
	return append(out, e.projectFiles(".mcp.json")...)
}

// projectKey is how Claude Code names the project: the folder of its git
// repository, or else the folder itself, with "/" between the names on every system.
func (e Environment) projectKey() string {
	key := e.Dir
	for dir := e.Dir; dir != ""; dir = e.parent(dir) {
		if e.exists(e.join(dir, ".git")) {
			key = dir
			break
		}
	}
	if e.GOOS == "windows" {
		key = strings.ReplaceAll(key, `\`, "/")
	}
	return key
}

func cursorPlaces(e Environment) []place {
	return append([]place{user(e.join(e.Home, ".cursor", "mcp.json"))}, e.projectFiles(".cursor/mcp.json")...)
}

func vscodePlaces(e Environment) []place {
	data := e.or("VSCODE_APPDATA", e.appData())
	folders := []string{e.join(data, "Code", "User"), e.join(data, "Code - Insiders", "User"), e.join(data, "VSCodium", "User")}
	if portable := e.get("VSCODE_PORTABLE"); portable != "" {
		folders = []string{e.join(portable, "user-data", "User")}
	}
	var out []place
	for i, dir := range folders {
		out = append(out,
			place{scope: scopeUser, path: e.join(dir, "mcp.json"), folder: dir, optional: i > 0},
			place{scope: scopeUser, path: e.join(dir, "settings.json"), old: true})
	}
	files := e.projectFiles(".vscode/mcp.json", ".vscode/settings.json")
	for i := range files {
		files[i].old = i > 0
	}
	return append(out, files...)
}

func codexPlaces(e Environment) []place {
	dir := e.or("CODEX_HOME", e.join(e.Home, ".codex"))
	return append([]place{user(e.join(dir, "config.toml"))}, e.projectFiles(".codex/config.toml")...)
}

func windsurfPlaces(e Environment) []place {
	next := user(e.join(e.Home, ".codeium", "windsurf-next", "mcp_config.json"))
	plugin := user(e.join(e.Home, ".codeium", "mcp_config.json"))
	next.optional, plugin.optional = true, true
	return []place{user(e.join(e.Home, ".codeium", "windsurf", "mcp_config.json")), next, plugin}
}

func geminiPlaces(e Environment) []place {
	home := e.or("GEMINI_CLI_HOME", e.Home)
	return append([]place{user(e.join(home, ".gemini", "settings.json"))}, e.projectFiles(".gemini/settings.json")...)
}

func opencodePlaces(e Environment) []place {
	var out []place
	if file := e.get("OPENCODE_CONFIG"); file != "" {
		out = append(out, user(file))
	}
	if dir := e.get("OPENCODE_CONFIG_DIR"); dir != "" {
		out = append(out, user(e.join(dir, "opencode.jsonc")), user(e.join(dir, "opencode.json")))
	}
	for _, name := range []string{"opencode.jsonc", "opencode.json", "config.json"} {
		out = append(out, user(e.join(e.config(), "opencode", name)))
	}
	return append(out, e.projectFiles("opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc")...)
}
