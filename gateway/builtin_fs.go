package gateway

import (
	"cmp"
	"errors"
	"path/filepath"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/source/builtin/files"
	"github.com/toolcrib/toolcrib/internal/token"
)

// filesSource is the source of the file tools.
func (g *Gateway) filesSource(o Options) (source, error) {
	return files.New(files.Options{
		Workspace: func(agent string) (string, error) {
			return workspaceOf(g.settings.Load().config, agent, o.StateDir)
		},
		Protected:  g.ownFiles(o),
		ReplyBytes: func() int { return replyBytes(g.settings.Load().config) },
		Logger:     g.logger,
	})
}

// workspaceOf is the folder of an agent's file tools: its own, that of all, or
// the usual one in the state folder.
func workspaceOf(c *config.Config, agent, stateDir string) (string, error) {
	path := c.Tools.FS.Workspace
	for _, a := range c.Agents.List {
		if a.ID == cmp.Or(agent, toolcrib.DefaultAgent) {
			path = cmp.Or(a.Workspace, path)
		}
	}
	if path == "" && stateDir != "" {
		path = filepath.Join(stateDir, "workspace")
	}
	if path == "" {
		return "", errors.New("no folder is named for it: set tools.fs.workspace")
	}
	return filepath.Abs(path)
}

// ownFiles are the files and folders that no tool reads or changes. Those in the
// state folder that hold secrets are named on their own, so that a hard link of
// one is known too.
func (g *Gateway) ownFiles(o Options) []string {
	own := []string{g.settings.Load().config.Path, o.Socket, o.CacheDir, o.StateDir}
	if o.StateDir != "" {
		own = append(own, filepath.Join(o.StateDir, token.AdminFile))
	}
	if p := g.store.place; !p.Memory() && p.Path != "" {
		own = append(own, p.Path, p.Path+"-wal", p.Path+"-shm", p.Path+"-journal")
	}
	var all []string
	for _, p := range own {
		if p == "" {
			continue
		}
		if full, err := filepath.Abs(p); err == nil {
			all = append(all, full)
		}
	}
	return all
}
