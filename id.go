package toolcrib

import (
	"fmt"
	"regexp"
	"strings"
)

// Source says what kind of place a tool comes from. It decides trust: core and
// plugin code was installed by the operator, while MCP servers and clients send
// names, texts and schemas that somebody else wrote.
type Source string

// The four sources.
const (
	SourceCore   Source = "core"
	SourcePlugin Source = "plugin"
	SourceMCP    Source = "mcp"
	SourceClient Source = "client"
)

// ownerPattern is the form of an owner, plugin or server name inside an id.
var ownerPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// ValidOwner reports whether s may stand as the owner part of a tool id:
// a letter or digit, then at most 63 letters, digits, "_", "." or "-".
func ValidOwner(s string) bool { return ownerPattern.MatchString(s) }

// MakeID returns the id of a tool: "core:OWNER:NAME", "plugin:PLUGIN:NAME",
// "mcp:SERVER:NAME" or "client:NAME". The owner of a client tool is ignored.
func MakeID(source Source, owner, name string) string {
	if source == SourceClient {
		return string(source) + ":" + name
	}
	return string(source) + ":" + owner + ":" + name
}

// ParseID splits an id into its parts. Everything after the last separator that
// the source has is the name, so a name may hold any character, colons included.
func ParseID(id string) (source Source, owner, name string, err error) {
	kind, rest, ok := strings.Cut(id, ":")
	if !ok || rest == "" {
		return "", "", "", fmt.Errorf("%q is not a tool id: want SOURCE:OWNER:NAME, such as mcp:calendar:create_event", id)
	}
	source = Source(kind)
	switch source {
	case SourceClient:
		return source, "", rest, nil
	case SourceCore, SourcePlugin, SourceMCP:
		owner, name, ok = strings.Cut(rest, ":")
		if !ok || name == "" || !ValidOwner(owner) {
			return "", "", "", fmt.Errorf("%q is not a tool id: want %s:OWNER:NAME", id, kind)
		}
		return source, owner, name, nil
	}
	return "", "", "", fmt.Errorf("%q is not a tool id: unknown source %q (core, plugin, mcp or client)", id, kind)
}
