package gateway

import "github.com/toolcrib/toolcrib/internal/source/builtin/web"

// webSource is the source of web_fetch. It takes no proxy from the environment:
// only tools.web.proxy names one.
func (g *Gateway) webSource(Options) (source, error) {
	return web.New(web.Options{
		Settings: func() web.Settings {
			c := g.settings.Load().config
			w := c.Tools.Web
			return web.Settings{
				AllowHosts: w.AllowHosts, DenyHosts: w.DenyHosts, AllowPrivate: w.AllowPrivate,
				Timeout: w.Timeout(), MaxBytes: w.MaxBytes, AllowDowngrade: w.AllowDowngrade, Proxy: w.Proxy,
				ReplyBytes: replyBytes(c),
			}
		},
		Version: g.version, Logger: g.logger,
	})
}
