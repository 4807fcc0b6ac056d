package toolsearch

import (
	"strconv"
	"strings"
)

// client is what is known of a program at the other end: where its model sees
// the texts of a server, and how much of them.
type client struct {
	// name is what it calls itself (clientInfo.name), in lower case. A "*" at the
	// end stands for any rest.
	name string
	// instructions is true when the model sees the server's instructions.
	instructions bool
	// since is the first version that shows them; "" for all that are in use.
	since string
	// maxInstructions and maxDescription are where it, or the provider behind
	// it, cuts or refuses these texts, in characters; 0 when no such bound is known.
	maxInstructions, maxDescription int
}

// safeDescription is a length of a tool's description that every provider takes:
// the chat completions API of OpenAI and its likes refuse a whole request for one
// function whose description has more than 1,024 characters.
const safeDescription = 1024

// clients are the programs of which something is known. A row is from the
// program's own source or documents where there are any, else from reports of
// what was seen on the wire. All other programs are stranger.
var clients = []client{
	// Claude Code shows instructions to the model, and cuts them and every
	// description after 2,048 characters (its documents, "For MCP server
	// authors"; anthropics/claude-code#81268 and #87650). Instructions of several
	// servers together are cut once more (#43474), descriptions are not.
	{name: "claude-code", instructions: true, maxInstructions: 2048, maxDescription: 2048},
	// claude.ai and Claude Desktop drop instructions (anthropics/claude-ai-mcp#93,
	// #131) and are said to cut descriptions; where isn't known, so that Claude
	// Code's bound is taken.
	{name: "claude-ai", maxDescription: 2048},
	// VS Code hands a server's instructions to Copilot Chat, which writes them
	// into its prompt (microsoft/vscode, mcpTypesUtils.ts; vscode-copilot-chat,
	// McpToolInstructions).
	{name: "visual studio code*", instructions: true, since: "1.104.0", maxDescription: safeDescription},
	// goose writes them into its system prompt, below each extension's name
	// (block/goose, prompts/system.md).
	{name: "goose*", instructions: true, maxDescription: safeDescription},
	// opencode appends them to the system prompt (anomalyco/opencode#32490).
	{name: "opencode", instructions: true, since: "1.17.10", maxDescription: safeDescription},
	// Crush appends them to the system prompt (charmbracelet/crush#2015).
	{name: "crush", instructions: true, maxDescription: safeDescription},
	// Gemini CLI documents that it appends them, and is reported not to always
	// (google-gemini/gemini-cli#13432, #15528). It passes descriptions on uncut,
	// to models that take them.
	{name: "gemini-cli*"},
	// Codex makes them the description of a namespace, which its model may not
	// see before it has searched for the tools in it (openai/codex#29097).
	{name: "codex*", maxDescription: safeDescription},
	// LibreChat shows them only where its operator has asked for it
	// (serverInstructions in librechat.yaml).
	{name: "@librechat/api-client", maxDescription: safeDescription},
	// Cline (cline/cline#8797) and Copilot CLI (github/copilot-cli#1579) drop them.
	{name: "cline", maxDescription: safeDescription},
	{name: "github-copilot*", maxDescription: safeDescription},
	// Nothing reliable is known of Cursor, Windsurf, Zed, and of programs made
	// with the agent SDKs: they are strangers.
}

// stranger is any other program. What isn't known to be shown counts as hidden.
var stranger = client{maxDescription: safeDescription}

// ShowsInstructions reports whether the model of a client sees the instructions
// of a server, by the name and version with which the client introduces itself.
// The answer is false for one that isn't known.
func ShowsInstructions(name, version string) bool {
	return known(name).shows(version)
}

// DirectoryFor says where the model of a client sees a directory, and how much of
// it. untrusted is DirectoryOptions.Untrusted.
func DirectoryFor(name, version, untrusted string) DirectoryOptions {
	c := known(name)
	whole := len(directoryInstructions) + DirectoryChars
	if c.shows(version) && (c.maxInstructions == 0 || c.maxInstructions >= whole) {
		return DirectoryOptions{Untrusted: untrusted, MaxChars: c.maxInstructions}
	}
	return DirectoryOptions{Untrusted: untrusted, InControl: true, MaxChars: c.maxDescription}
}

// known finds a client by its name. What a proxy adds to it is not read.
func known(name string) client {
	name, _, _ = strings.Cut(strings.ToLower(name), " (via ")
	for _, c := range clients {
		start, open := strings.CutSuffix(c.name, "*")
		if name == c.name || (open && strings.HasPrefix(name, start)) {
			return c
		}
	}
	return stranger
}

// shows reports whether this version of the client shows instructions.
func (c client) shows(version string) bool {
	return c.instructions && (c.since == "" || !olderVersion(version, c.since))
}

// olderVersion compares dotted numbers. One that is no version is older than all.
func olderVersion(a, b string) bool {
	for b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, ".")
		y, b, _ = strings.Cut(b, ".")
		m, err := strconv.Atoi(digits(x))
		n, _ := strconv.Atoi(y) // of the table
		if err != nil || m != n {
			return err != nil || m < n
		}
	}
	return false
}

// digits returns the digits at the start: "3" of "3-beta".
func digits(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
}
