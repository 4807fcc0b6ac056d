package clientconfig

import (
	"net/url"
	"strings"
)

// Server is one MCP server as a program has it, in a neutral form. Its texts are
// as toolcrib's own configuration writes them: references as ${NAME} and the
// like, a plain "${" as "$${".
type Server struct {
	Name string
	// Scope is that of the file.
	Scope   string
	Command string
	Args    []string
	Env     map[string]string
	Cwd     string
	URL     string
	Headers map[string]string
	// SSE is set for the transport of protocol 2024-11-05.
	SSE bool
	// Disabled is set when the program doesn't start the server.
	Disabled bool
	// TimeoutMs bounds one call; 0 when the program says nothing.
	TimeoutMs int
	// Allow and Deny name tools of this server.
	Allow, Deny []string
	// Unresolved says that a value can't work as it stands, because only an editor
	// can fill it in; Notes say which.
	Unresolved bool
	// Notes say what could not be taken over, and why. They hold no secret.
	Notes []string
	// Line is where the server stands in its file, from 1.
	Line int
}

// IsToolcrib reports whether s is toolcrib itself: it is called so, it starts a
// program of that name, or it is an address such as http://127.0.0.1:7433/mcp.
func IsToolcrib(s Server) bool {
	if strings.EqualFold(s.Name, "toolcrib") {
		return true
	}
	base := s.Command[strings.LastIndexAny(s.Command, `/\`)+1:]
	if base = strings.ToLower(base); base == "toolcrib" || base == "toolcrib.exe" {
		return true
	}
	u, err := url.Parse(s.URL)
	return err == nil && u.Port() == "7433" && strings.TrimRight(u.Path, "/") == "/mcp"
}
