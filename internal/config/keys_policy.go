package config

// profileNames are the profiles that internal/policy knows, which this package
// doesn't import; a test of gateway compares the two.
var profileNames = []string{"minimal", "coding", "messaging", "full"}

// doors are the ways by which a caller comes in.
var doors = []struct{ name, doc string }{
	{"mcp", "MCP clients, over stdio and HTTP"},
	{"chat", "chat completions"},
	{"responses", "responses"},
	{"messages", "messages"},
	{"cli", "toolcrib's own commands and the control API"},
	{"agent", "agents that the gateway runs itself, and programs that use it as a library"},
}

// policyScopeKeys are the keys of policy below prefix, in every scope. note ends
// what is said of them, and profile is the default of its profile, as JSON.
func policyScopeKeys(prefix, note, profile string) []Key {
	keys := rulesKeys(prefix, note)
	keys[0].Default = profile
	keys = append(keys,
		Key{
			Path: prefix + ".byProvider", Type: Map,
			Doc: `What holds beside that while a model of one provider is served. A name is a provider's, such as "openai", or that of one of its models, such as "openai/gpt-5".` + note,
		},
		Key{Path: prefix + ".byProvider.*", Type: Object, Doc: "The rules for one provider or model."},
	)
	keys = append(keys, rulesKeys(prefix+".byProvider.*", note)...)
	keys = append(keys, Key{Path: prefix + ".byChannel", Type: Object, Doc: "What holds beside that for callers who come in by one door." + note})
	for _, d := range doors {
		door := prefix + ".byChannel." + d.name
		keys = append(keys, Key{Path: door, Type: Object, Doc: "The rules for " + d.doc + "."})
		keys = append(keys, rulesKeys(door, note)...)
	}
	keys = append(keys,
		Key{Path: prefix + ".byHarness", Type: Map, Doc: `What holds beside that for one program that runs the model, such as "codex".` + note},
		Key{Path: prefix + ".byHarness.*", Type: Object, Doc: "The rules for one program."},
	)
	keys = append(keys, rulesKeys(prefix+".byHarness.*", note)...)
	keys = append(keys, innerKeys(prefix+".sandbox", "sessions that run sandboxed", note)...)
	return append(keys, innerKeys(prefix+".subagents", "agents that another agent started", note)...)
}

// innerKeys are the lists of prefix.tools, which hold for some sessions.
func innerKeys(prefix, whose, note string) []Key {
	return append([]Key{
		{Path: prefix, Type: Object, Doc: "What holds beside that for " + whose + "."},
		{Path: prefix + ".tools", Type: Object, Doc: "The rules for " + whose + "."},
	}, policyKeys(prefix+".tools", note)...)
}

// rulesKeys are profile, allow, deny and alsoAllow below prefix.
func rulesKeys(prefix, note string) []Key {
	return append([]Key{
		{
			Path: prefix + ".profile", Type: String, Enum: profileNames,
			Doc: "A ready set of tools: only those in it can be used. full has them all." + note,
		},
		{
			Path: prefix + ".alsoAllow", Type: List,
			Doc: "Patterns of tools that are added to the profile beside it. It can't stand beside allow, and it brings back nothing that another scope refuses." + note,
		},
		{Path: prefix + ".alsoAllow.[]", Type: String, Doc: "A pattern."},
	}, policyKeys(prefix, note)...)
}
