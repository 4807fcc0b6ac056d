package plugin

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
)

// File is the name of a manifest in the plugin's folder.
const File = "plugin.json5"

// Manifest is what a plugin says of itself. It is never changed once read.
type Manifest struct {
	// ID is the owner part of its tools' ids; it satisfies toolcrib.ValidOwner.
	ID string
	// Version and Description are the author's own words; both may be empty.
	Version, Description string
	// Dir is the plugin's folder, absolute.
	Dir string
	// Command, Args and Env start the program, which speaks MCP on its standard
	// input and output, in Dir. Command is empty for a plugin of hooks alone.
	Command string
	Args    []string
	Env     map[string]string
	// Declared is true when the manifest names the tools; then exactly Tools exist.
	Declared bool
	Tools    []Tool
	// Hooks are by name.
	Hooks []Hook
	// Hash is over the bytes of the file.
	Hash string
}

// Tool is one declaration. What is nil or empty is as the program says.
type Tool struct {
	Name, Title, Description string
	Parameters, OutputSchema json.RawMessage
	Annotations              *toolcrib.Annotations
	CatalogMode              toolcrib.CatalogMode
	ExecutionMode            toolcrib.ExecutionMode
	OwnerOnly                bool
}

// Hook is one hook around calls: either Command or URL is set.
type Hook struct {
	Name string
	// Event is "before_tool_call" or "after_tool_call".
	Event string
	// Match are patterns of tools; empty means every tool, of whatever source.
	Match   []string
	Command string
	Args    []string
	Env     map[string]string
	// Cwd is absolute.
	Cwd     string
	URL     string
	Secret  string
	Headers map[string]string
	// Timeout bounds one run.
	Timeout time.Duration
	// Priority orders hooks, the highest first.
	Priority int
	// Enabled is false for one that the author left out of use.
	Enabled bool
}

// within resolves a command against the plugin's folder: a bare word is looked
// for as a program of the system, and anything with a separator is a path.
func within(dir, command string) string {
	if command == "" || !strings.ContainsAny(command, `/\`) || filepath.IsAbs(command) {
		return command
	}
	return filepath.Join(dir, filepath.FromSlash(command))
}
