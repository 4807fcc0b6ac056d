package policy

import "slices"

// FullProfile is the profile that allows everything; it is the default.
const FullProfile = "full"

// profiles says which tools each profile but full has. Tools of MCP servers
// belong to those profiles that are meant for work with them; those that a
// caller sends along belong to all, for it is the caller who runs them.
var profiles = []struct {
	name     string
	patterns []string
}{
	{"minimal", []string{"core:sessions:session_status", "client:*"}},
	{"coding", []string{
		"group:fs", "group:runtime", "group:web", "group:sessions", "group:memory", "group:automation", "group:media", "group:mcp", "client:*",
	}},
	{"messaging", []string{
		"group:messaging", "core:sessions:session_status", "core:sessions:sessions_list", "core:sessions:sessions_history",
		"core:sessions:sessions_send", "group:mcp", "client:*",
	}},
}

// Profiles returns the names of all profiles, from the narrowest to FullProfile.
func Profiles() []string {
	names := make([]string, 0, len(profiles)+1)
	for _, p := range profiles {
		names = append(names, p.name)
	}
	return append(names, FullProfile)
}

// ProfilePatterns returns what a profile allows, and false for one that there
// isn't. FullProfile and the empty name have no patterns: they allow all.
func ProfilePatterns(name string) ([]string, bool) {
	for _, p := range profiles {
		if p.name == name {
			return slices.Clone(p.patterns), true
		}
	}
	return nil, name == "" || name == FullProfile
}

// knownGroups are the groups that are never taken for misspelt ones, also while
// no tool is in them.
var knownGroups = []string{
	"automation", "core", "fs", "mcp", "media", "memory", "messaging", "plugins", "runtime", "sessions", "web",
}
