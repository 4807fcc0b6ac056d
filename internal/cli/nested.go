package cli

import "github.com/toolcrib/toolcrib"

// startedAs is set, to the server's name, in the environment of every server that
// toolcrib starts.
const startedAs = "TOOLCRIB_STARTED_AS"

// refuseNested refuses to be a gateway below a gateway, which would call itself.
func (a *app) refuseNested() error {
	name := a.p.env(startedAs)
	if name == "" {
		return nil
	}
	return toolcrib.NewError(toolcrib.KindConfig, "this toolcrib was started by a toolcrib as its server "+name+": it would call itself",
		"remove the server "+name+" from the configuration (mcp.servers."+name+")")
}
