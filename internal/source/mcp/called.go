package mcp

import "fmt"

// called is what texts call the server.
func (s *Server) called() string {
	if s.Plugin {
		return fmt.Sprintf("plugin %q", s.Name)
	}
	return fmt.Sprintf("server %q", s.Name)
}

// key is where one of its settings stands: in the configuration, or for what a
// plugin says of itself in its manifest.
func (s *Server) key(name string) string {
	switch {
	case !s.Plugin:
		return "mcp.servers." + s.Name + "." + name
	case name == "timeoutMs" || name == "env":
		return "plugins.entries." + s.Name + "." + name
	}
	return name + " of its plugin.json5"
}

// restart is the command that starts it anew.
func (s *Server) restart() string {
	if s.Plugin {
		return "toolcrib plugins restart " + s.Name
	}
	return "toolcrib servers restart " + s.Name
}
