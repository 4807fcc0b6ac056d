package mcp

import (
	"maps"

	"github.com/toolcrib/toolcrib/internal/child"
)

// Marker is the variable by which a program knows that toolcrib started it, so
// that a toolcrib inside a toolcrib can refuse to run. Each child has it, with
// the name of its server, whatever its configured environment says.
const Marker = "TOOLCRIB_STARTED_AS"

// childEnviron is the whole environment of a server: the base, then what is
// configured for it, then the marker.
func childEnviron(environ []string, s *Server) []string {
	own := maps.Clone(s.Env)
	maps.DeleteFunc(own, func(name, _ string) bool { return child.SameVariable(name, Marker) })
	return append(child.Environ(environ, own), Marker+"="+s.Name)
}
