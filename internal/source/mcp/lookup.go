package mcp

import "github.com/toolcrib/toolcrib/internal/child"

// Program returns the file that a local server's command is, looked for in the
// PATH that the server itself would get from a gateway with this environment. It
// is "" when there is none, and for a remote server.
func (s Server) Program(environ []string) string {
	if s.Command == "" {
		return ""
	}
	return child.Find(s.Command, childEnviron(environ, &s), s.Cwd)
}
